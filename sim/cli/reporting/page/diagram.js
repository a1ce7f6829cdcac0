// The sequence diagram: of a hundred thousand rows only those in the window are in the document.

class VirtualRows {
  // `make(place)` gives the element of a row; rows are all equally high.
  constructor(root, height, make) {
    this.root = root;
    this.height = height;
    this.make = make;
    this.count = 0;
    this.space = el("div", "space");
    root.append(this.space);
    root.addEventListener("scroll", () => this.later(), { passive: true });
    new ResizeObserver(() => this.later()).observe(root);
  }

  later() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  reset(count) {
    this.count = count;
    this.space.style.height = `${count * this.height}px`;
    this.draw(true);
  }

  // Rows of the window, and some on both sides; the others leave the document.
  draw(anew = false) {
    const top = Math.max(0, this.root.scrollTop - this.above());
    const first = Math.max(0, Math.floor(top / this.height) - 8);
    const last = Math.min(this.count, first + Math.ceil((this.root.clientHeight || 600) / this.height) + 16);
    if (!anew && first === this.first && last === this.last) return;
    this.first = first;
    this.last = last;
    const rows = [];
    for (let place = first; place < last; place++) {
      const row = this.make(place);
      row.style.top = `${place * this.height}px`;
      rows.push(row);
    }
    this.space.replaceChildren(...rows);
  }

  above() { return this.space.offsetTop; }

  reveal(place) {
    const above = this.above(), from = place * this.height + above, box = this.root;
    const low = box.scrollTop + above, high = box.scrollTop + box.clientHeight - 2 * this.height;
    if (from < low || from > high) box.scrollTop = Math.max(0, from - above - box.clientHeight * 0.4);
    this.draw(true);
  }
}

const diagram = {
  items: [],  // steps, and -1 - k for the k-th violation, in order
  every: false,
  filter: "",

  build() {
    this.root = document.getElementById("diagram");
    this.head = el("div", "heads");
    this.root.append(this.head);
    this.root.tabIndex = 0;
    this.root.setAttribute("role", "listbox");
    this.root.setAttribute("aria-label", t`Sequence diagram, one row per step`);
    this.rows = new VirtualRows(this.root, ROW, (place) => this.row(place));
    this.root.addEventListener("click", (event) => {
      const row = event.target.closest(".row");
      if (row) go(Number(row.dataset.step));
    });
    new ResizeObserver(() => {
      if (this.wide !== this.root.clientWidth) this.lay();
    }).observe(this.root);
  },

  lay() {
    this.wide = this.root.clientWidth;
    this.lanes = new Lanes(state.run, Math.max(this.wide - 120, 300));
    this.head.replaceChildren(el("span", "n", t`step`), el("span", "t", "s"), this.lanes.head());
    this.rows.reset(this.items.length);
  },

  // Another run, another filter: which rows are there?
  sift() {
    const run = state.run, wanted = this.filter.toLowerCase();
    const broken = run.violations.map((one, k) => [one.step, k]).sort((a, b) => a[0] - b[0]);
    const hits = wanted ? matching(run, wanted) : null;
    this.items = [];
    let next = 0;
    for (let n = 0; n < run.count; n++) {
      const kept = hits ? hits[n] && (this.every || run.isShown(n)) : this.every || run.isShown(n);
      if (kept) this.items.push(n);
      while (next < broken.length && broken[next][0] === n) this.items.push(-1 - broken[next++][1]);
    }
    this.lay();
    this.show();
  },

  stepAt(place) {
    const item = this.items[place];
    return item < 0 ? state.run.violations[-1 - item].step : item;
  },

  // The row of a step, or the one before it where it has none.
  place(step) { return Math.max(0, placeOf(this.items, step, (item) => item < 0 ? state.run.violations[-1 - item].step : item)); },

  row(place) {
    const item = this.items[place], run = state.run;
    if (item < 0) return bannerRow(run, -1 - item);
    const { svg, on } = this.lanes.row(item);
    const row = el("div", "row", el("span", "n", item), el("span", "t", seconds(run.at[item])), svg,
      wordsOf(run, item, on));
    row.dataset.step = item;
    row.setAttribute("role", "option");
    if (place === this.current) {
      row.classList.add("current");
      row.setAttribute("aria-selected", "true");
    }
    if (this.causes.has(item)) row.classList.add("cause");
    if (run.violations.some((one) => one.step === item)) row.classList.add("broken");
    return row;
  },

  show() {
    this.current = this.place(state.step);
    // A banner stands behind the step that broke: the step itself is the one that is meant.
    while (this.current > 0 && this.items[this.current] < 0) this.current--;
    this.causes = new Set(state.run.chain(state.step));
    this.rows.reveal(this.current);
  },

  move(by) {
    let place = this.current;
    const way = by > 0 ? 1 : -1;
    for (let left = Math.abs(by); left > 0; left--) {
      do place += way;
      while (place >= 0 && place < this.items.length && this.items[place] < 0);
    }
    place = Math.max(0, Math.min(this.items.length - 1, place));
    while (place > 0 && this.items[place] < 0) place--;
    if (this.items.length) go(this.stepAt(place));
  },
};
diagram.causes = new Set();

function bannerRow(run, k) {
  const one = run.violations[k];
  const row = el("div", "row banner", el("span", "n", one.step), el("span", "t", ""),
    el("span", "told", el("b", "", `✗ ${one.invariant}`), " ", one.text));
  row.title = visible(`${one.sentence}\n${one.text}`);
  row.dataset.step = one.step;
  return row;
}

// Which steps have all words of the filter in what is visible of them.
function matching(run, wanted) {
  const words = wanted.split(/\s+/).filter(Boolean);
  const lower = run.words.map((text) => text.toLowerCase());
  const lanes = run.lanes.map(([name]) => name.toLowerCase());
  const hits = new Uint8Array(run.count);
  for (let n = 0; n < run.count; n++) {
    const told = `${lanes[run.source[n]] || ""} ${lanes[run.target[n]] || ""} ${lower[run.labels[n]]} ${lower[run.details[n]]}`;
    if (words.every((word) => told.includes(word))) hits[n] = 1;
  }
  return hits;
}
