// The whole run as one line: how much happens where, faults, what broke, where two runs part.

const BARS = 240;

const scrubber = {
  build() {
    this.root = document.getElementById("scrubber");
    this.range = el("input");
    Object.assign(this.range, { type: "range", min: 0, step: 1, id: "scrub" });
    this.range.setAttribute("aria-label", t`Step`);
    this.range.addEventListener("input", () => go(Number(this.range.value)));
    this.line = shape("svg", "line", { viewBox: `0 0 ${BARS} 22`, preserveAspectRatio: "none" });
    this.told = el("output", "told");
    const button = (text, title, act) => {
      const made = el("button", "", text);
      made.title = title;
      made.addEventListener("click", act);
      return made;
    };
    this.playing = button("▶", t`Play (space)`, () => play());
    this.root.append(
      button("|◀", t`First step (Home)`, () => go(0)),
      button("◁", t`Step back (←)`, () => diagram.move(-1)),
      this.playing,
      button("▷", t`Next step (→)`, () => diagram.move(1)),
      el("div", "track", this.line, this.range),
      this.told,
    );
  },

  // Counts per stretch of the run; marks over them.
  lay() {
    const run = state.run, steps = Math.max(run.count, 1);
    this.range.max = run.last;
    const counts = new Float64Array(BARS);
    for (let n = 0; n < run.count; n++) {
      if (run.isShown(n)) counts[Math.floor((n * BARS) / steps)]++;
    }
    const most = Math.max(...counts, 1);
    const bars = Array.from(counts, (count, k) => `M${k + 0.5} 22v${-(count / most) * 13}`).join("");
    const marks = [shape("path", "bars", { d: bars })];
    const mark = (about, n, tall) => marks.push(shape("rect", about,
      { x: (n / Math.max(run.last, 1)) * (BARS - 1), y: 22 - tall, width: 1, height: tall }));
    for (const n of thinned(run.faults, steps)) mark("fault", n, 17);
    if (run.number === 0) for (const n of thinned(compare.stretches, steps)) mark("parted", n, 15);
    for (const one of run.violations) mark("broken", one.step, 22);
    this.line.replaceChildren(...marks);
  },

  show() {
    this.range.value = state.step;
    const at = seconds(state.run.at[state.step] || 0);
    this.range.setAttribute("aria-valuetext", t`step ${state.step}, ${at} seconds`);
    this.told.textContent = t`step ${state.step} of ${state.run.last} · ${at} s`;
  },
};

// At most one mark per bar.
function thinned(steps, count) {
  const bars = new Map();
  for (const n of steps) bars.set(Math.floor((n * BARS) / count), n);
  return bars.values();
}

let timer = 0;
function play() {
  if (timer) {
    clearInterval(timer);
    timer = 0;
  } else {
    timer = setInterval(() => {
      const before = state.step;
      diagram.move(1);
      if (state.step === before) play();
    }, 350);
  }
  scrubber.playing.textContent = timer ? "❚❚" : "▶";
}
