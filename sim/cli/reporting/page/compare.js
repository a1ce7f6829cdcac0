// Two runs of one schedule side by side: what is equal stands on one line, what differs is marked.

const compare = {
  pairs: [],
  stretches: [],  // the steps of the first run at which a stretch of differences begins

  build() {
    this.root = document.getElementById("view-compare");
    if (!report.pairs) {
      this.root.append(el("div", "alone", el("p", "", report.alone)));
      return;
    }
    let different = false, last = 0;
    report.pairs.forEach(([left, , same], place) => {
      last = left >= 0 ? left : last;
      if (!same && !different) this.stretches.push(last);
      different = !same;
    });
    this.starts = [];
    this.only = false;
    this.root.append(this.verdicts(), this.tools());
    this.list = el("div", "pairs");
    this.list.tabIndex = 0;
    this.root.append(this.list, el("div", "ends", ...runs.map((run) => this.end(run))));
    this.rows = new VirtualRows(this.list, 27, (place) => this.row(place));
    this.sift();
  },

  verdicts() {
    return el("div", "sides", ...runs.map((run, k) => el("div", "side", el("h2", "", el("span", `badge ${"ab"[k]}`, "AB"[k]), ` ${run.title}`),
      verdictLine(run))));
  },

  tools() {
    const box = el("div", "tools");
    const only = el("label", "", el("input"), t` only what differs `);
    only.firstChild.type = "checkbox";
    only.firstChild.addEventListener("change", (event) => {
      this.only = event.target.checked;
      this.sift();
    });
    const next = el("button", "", t`next difference (d)`);
    next.addEventListener("click", () => this.next());
    const told = this.stretches.length ? t`${this.stretches.length} stretch${this.stretches.length > 1 ? "es" : ""} of differences, the first at step ${this.stretches[0]}`
      : t`no difference`;
    box.append(only, next, el("span", "soft", ` ${told}`));
    return box;
  },

  sift() {
    this.pairs = report.pairs.filter(([, , same]) => !this.only || !same);
    this.starts = [];
    this.pairs.forEach(([, , same], place) => {
      if (!same && (place === 0 || this.pairs[place - 1][2])) this.starts.push(place);
    });
    this.rows.reset(this.pairs.length);
  },

  row(place) {
    const [left, right, same] = this.pairs[place];
    const row = el("div", same ? "pair" : "pair differs", this.cell(runs[0], left, 0), el("span", "sign", same ? "" : "≠"), this.cell(runs[1], right, 1));
    if (place === this.current) row.classList.add("current");
    return row;
  },

  cell(run, n, k) {
    if (n < 0) return el("span", "cell nothing");
    const from = run.lane(run.source[n]), to = run.lane(run.target[n]);
    const broken = run.violations.filter((one) => one.step === n);
    const cell = el("span", broken.length ? "cell broken" : `cell ${report.arrows[run.arrow[n]]}`, el("span", "n", n), el("span", "who", from === to ? from : `${from}→${to}`),
      el("b", "", run.label(n)), " ", el("span", "soft", run.detail(n)));
    if (broken.length) cell.append(el("span", "bad", ` ✗ ${broken.map((one) => one.invariant).join(", ")}`));
    cell.title = visible(`${run.label(n)} ${run.detail(n)}`);
    cell.addEventListener("click", () => {
      choose(k);
      view("run");
      go(n);
    });
    return cell;
  },

  // The run's end: what stands in the channels, and what broke.
  end(run) {
    const box = el("div", "end", el("h3", "", t`At the end: ${run.title}`));
    for (const one of run.messages) {
      if (!one.bot || one.deleted >= 0) continue;
      const now = one.looks[one.looks.length - 1];
      const seen = one.looks.map((look) => look[2]).filter((word, k, all) => word && word !== all[k - 1]);
      box.append(el("div", "final", chip(now[2]), el("b", "", ` ${one.about || one.id} `), run.words[now[1]],
        seen.length > 1 ? el("div", "soft", t`a reader saw: ${seen.map((word) => (Object.hasOwn(STATES, word) ? STATES[word] : word)).join(" → ")}`) : ""));
    }
    for (const one of run.violations) box.append(el("p", "bad", t`✗ ${one.invariant} at step ${one.step}`));
    if (!run.violations.length) box.append(el("p", "good", t`no invariant is broken`));
    return box;
  },

  next() {
    if (!this.starts || !this.starts.length) return;
    const after = this.starts.find((place) => place > (this.current ?? -1));
    this.current = after ?? this.starts[0];
    this.rows.reveal(this.current);
  },

  show() {
    if (this.rows) this.rows.draw(true);
    if (this.rows && this.current === undefined) this.next();
  },
};
