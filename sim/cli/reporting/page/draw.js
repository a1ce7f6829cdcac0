// Lifelines and arrows: one small picture per row, so that only what is looked at is drawn.

const SVG = "http://www.w3.org/2000/svg";
const ROW = 30, HEAD = 46, SIGN = 6.7;

function shape(tag, about, values, text) {
  const node = document.createElementNS(SVG, tag);
  if (about) node.setAttribute("class", about);
  for (const [name, value] of Object.entries(values)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = visible(text);
  return node;
}

// About as wide as a text is: Chinese signs and pictures take two places.
function wide(text) {
  let signs = 0;
  for (const sign of text) signs += sign.codePointAt(0) > 0x2e7f ? 2 : 1;
  return signs * SIGN;
}

function cut(text, room) {
  if (wide(text) <= room) return text;
  let kept = "", used = SIGN;
  for (const sign of text) {
    used += wide(sign);
    if (used > room) break;
    kept += sign;
  }
  return kept.trimEnd() + "…";
}

class Lanes {
  constructor(run, width) {
    this.run = run;
    const count = Math.max(run.lanes.length, 1);
    this.gap = Math.max(74, Math.min(210, (width * 0.6) / count));
    this.width = this.gap * count;
  }

  x(lane) { return this.gap * (lane + 0.5); }

  head() {
    const svg = shape("svg", "lanes", { width: this.width, height: HEAD });
    this.run.lanes.forEach(([name, kind, title], lane) => {
      const box = Math.min(this.gap - 12, 136), x = this.x(lane);
      svg.append(shape("rect", "host", { x: x - box / 2, y: 5, width: box, height: HEAD - 10, rx: 7 }));
      const below = title || (kind !== name ? kind : "");
      svg.append(shape("text", "name", { x, y: below ? 22 : 28 }, cut(name, box - 8)));
      if (below) svg.append(shape("text", "kind", { x, y: 35 }, cut(below, box - 8)));
      const full = shape("title", "", {}, [name, title, kind].filter(Boolean).join(" · "));
      svg.append(full);
    });
    return svg;
  }

  // The row of a step: lifelines and its arrow; `on` says whether the label stands on it.
  row(n) {
    const run = this.run;
    const svg = shape("svg", "lanes", { width: this.width, height: ROW });
    run.lanes.forEach((_, lane) => {
      const x = this.x(lane);
      const about = run.isDown(lane, n) ? "life down" : "life";
      svg.append(shape("line", about, { x1: x, x2: x, y1: 0, y2: ROW }));
    });
    const from = run.source[n], to = run.target[n];
    if (from < 0 || to < 0) return { svg, on: false };
    const group = shape("g", `arrow ${report.arrows[run.arrow[n]]}`, {});
    svg.append(group);
    if (from === to) {
      group.append(shape("circle", "dot", { cx: this.x(from), cy: ROW / 2, r: 4.5 }));
      return { svg, on: false };
    }
    return { svg, on: this.arrow(group, n, from, to) };
  }

  arrow(group, n, from, to) {
    const way = to > from ? 1 : -1, left = this.x(from), right = this.x(to), y = ROW - 9;
    const lost = report.arrows[this.run.arrow[n]] === "lost";
    const end = lost ? (left + 3 * right) / 4 : right - 2 * way;
    group.append(shape("path", "line", { d: `M${left} ${y}H${end}` }));
    if (lost) group.append(shape("path", "cross", { d: `M${end - 5} ${y - 5}l10 10m0 -10l-10 10` }));
    else group.append(shape("path", "tip", { d: `M${right} ${y}l${-9 * way} -4.5v9z` }));
    const label = this.run.label(n), room = Math.abs(right - left) - 18;
    if (wide(label) > room) return false;
    group.append(shape("text", "label", { x: (left + right) / 2, y: y - 5 }, label));
    return true;
  }
}

// What a row says beside its picture.
function wordsOf(run, n, on) {
  const from = run.source[n], to = run.target[n];
  const words = el("span", `words ${report.arrows[run.arrow[n]]}`);
  if (!on) {
    const who = from === to || to < 0 ? run.lane(from) : "";
    words.append(el("b", "", `${who} ${run.label(n)}`.trim()), " ");
  }
  words.append(el("span", "soft", run.detail(n)));
  words.title = visible(`${run.lane(from)} → ${run.lane(to)}  ${run.label(n)}  ${run.detail(n)}`);
  return words;
}
