// On paper there is no window: all rows stand one below the other. Of a long run those stay
// that lead to what broke, its beginning and its end.

const MOST_PRINTED = 1200;

function printed() {
  const run = state.run, paper = document.getElementById("paper");
  const steps = [];
  for (let n = 0; n < run.count; n++) if (run.isShown(n)) steps.push(n);
  const kept = steps.length <= MOST_PRINTED ? steps : important(run, steps);
  const lanes = new Lanes(run, 900);
  const list = el("div", "printed", el("div", "heads", el("span", "n", t`step`), el("span", "t", "s"), lanes.head()));
  let before = -1, broken = [...run.violations].sort((a, b) => a.step - b.step);
  for (const n of kept) {
    const place = placeOf(steps, n);
    if (place > before + 1) list.append(el("div", "row left-out", t`… ${place - before - 1} rows left out …`));
    before = place;
    while (broken.length && broken[0].step < n) list.append(bannerRow(run, run.violations.indexOf(broken.shift())));
    const { svg, on } = lanes.row(n);
    const words = wordsOf(run, n, on);
    list.append(el("div", "row", el("span", "n", n), el("span", "t", seconds(run.at[n])), svg, words));
  }
  for (const one of broken) list.append(bannerRow(run, run.violations.indexOf(one)));
  paper.replaceChildren(el("h1", "", report.name), verdictCard(run), el("h2", "", t`The run: ${run.title}`), list,
    ...run.channels.length ? [el("h2", "", t`The channels at the end`), channels.draw(run, run.last)] : [],
    ...report.pairs ? [el("h2", "", t`Where the runs part`), compare.verdicts(), printedPairs()] : [],
    ...report.source ? [el("h2", "", t`The scenario`), el("pre", "source", report.source)] : []);
}

function important(run, steps) {
  const wanted = new Set([...steps.slice(0, 300), ...steps.slice(-300)]);
  for (const one of run.violations) {
    const place = placeOf(steps, one.step);
    for (const n of steps.slice(Math.max(0, place - 40), place + 10)) wanted.add(n);
    for (const n of run.chain(one.step)) if (run.isShown(n)) wanted.add(n);
  }
  return [...wanted].sort((a, b) => a - b);
}

function printedPairs() {
  const different = report.pairs.filter(([, , same]) => !same).slice(0, 200);
  return el("div", "pairs", ...different.map(([left, right]) => el("div", "pair differs", compare.cell(runs[0], left, 0), el("span", "sign", "≠"), compare.cell(runs[1], right, 1))));
}
