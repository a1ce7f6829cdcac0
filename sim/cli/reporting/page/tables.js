// The pictures of the state tables stand in the page already; here what the run did is marked.

function markTables() {
  for (const figure of document.querySelectorAll("figure.table")) {
    const used = runs[0].used[figure.dataset.table] || {};
    const rows = Object.keys(used);
    figure.classList.toggle("unused", !rows.length);
    for (const word of figure.querySelectorAll("tspan[data-trigger]")) {
      const count = used[`${word.dataset.state} ${word.dataset.trigger}`];
      word.classList.toggle("done", Boolean(count));
    }
    for (const way of figure.querySelectorAll("g.way[data-from]")) {
      way.classList.toggle("done", Boolean(figure.querySelector(`g.words[data-from="${way.dataset.from}"][data-to="${way.dataset.to}"] tspan.done`)));
    }
    for (const box of figure.querySelectorAll("g[data-state]")) {
      box.classList.toggle("done", rows.some((row) => row.startsWith(`${box.dataset.state} `)));
    }
    const note = rows.length ? t`frames of this run took ${rows.length} of its ways` : t`no frame of this run asked this table`;
    figure.querySelector("figcaption").append(el("span", "soft", ` · ${note}`));
  }
}
