// The page: what is shown, which keys do what, and where everything begins.

let report, runs = [];
const state = { run: null, step: 0, view: "run", panel: 0 };
const PANELS = [inspector, channels, hosts];
const VIEWS = [["run", t`Run`], ["compare", t`Compare`], ["tables", t`State tables`], ["scenario", t`Scenario`]];
const THEMES = ["auto", "light", "dark"];

const KEYS = [
  [t`→ ← or n N`, t`one step on, back`, { ArrowRight: () => diagram.move(1), n: () => diagram.move(1), ArrowDown: () => diagram.move(1),
    ArrowLeft: () => diagram.move(-1), N: () => diagram.move(-1), ArrowUp: () => diagram.move(-1) }],
  ["PgDn PgUp", t`twenty steps on, back`, { PageDown: () => diagram.move(20), PageUp: () => diagram.move(-20) }],
  ["Home End", t`the first, the last step`, { Home: () => go(0), End: () => go(state.run.last) }],
  ["v", t`next invariant that broke`, { v: () => nextOf(state.run.violations.map((one) => one.step)) }],
  ["f", t`next fault`, { f: () => nextOf(state.run.faults) }],
  ["d", t`next difference between the runs`, { d: () => state.view === "compare" ? compare.next() : nextOf(compare.stretches) }],
  [t`space`, t`play, pause`, { " ": () => play() }],
  ["/", t`filter rows: words that all must stand in a row`, { "/": () => (view("run"), document.getElementById("filter").focus()) }],
  ["e", t`every step, or those that tell the story`, { e: () => every() }],
  ["s c h", t`panel: step, channels, hosts`, { s: () => panel(0), c: () => panel(1), h: () => panel(2) }],
  ["r", t`the other run`, { r: () => runs.length > 1 && choose(1 - state.run.number) }],
  ["1 2 3 4", t`run, compare, state tables, scenario`, { 1: () => view("run"), 2: () => view("compare"), 3: () => view("tables"), 4: () => view("scenario") }],
  ["t", t`colours: as the system, light, dark`, { t: () => theme() }],
  ["?", t`these keys`, { "?": () => document.getElementById("help").showModal() }],
];

function go(step) {
  state.step = Math.max(0, Math.min(state.run.last, step));
  diagram.show();
  scrubber.show();
  showPanel();
  const run = state.run, n = state.step;
  document.getElementById("spoken").textContent = visible(t`step ${n}, ${seconds(run.at[n])} s: ${run.lane(run.source[n])} to ${run.lane(run.target[n])}, ${run.label(n)} ${run.detail(n)}`);
  remember();
}

function nextOf(steps) {
  if (steps.length) go(steps.find((step) => step > state.step) ?? steps[0]);
}

function choose(number) {
  state.run = runs[number];
  for (const button of document.querySelectorAll(".run-choice")) button.setAttribute("aria-pressed", String(Number(button.dataset.run) === number));
  document.getElementById("verdict").replaceChildren(verdictCard(state.run));
  state.step = Math.min(state.step, state.run.last);
  scrubber.lay();
  diagram.sift();
  go(state.step);
}

function view(name) {
  state.view = name;
  for (const [one] of VIEWS) document.getElementById(`view-${one}`).hidden = one !== name;
  for (const button of document.querySelectorAll("#head nav button")) button.setAttribute("aria-current", button.dataset.view === name ? "page" : "false");
  if (name === "run") diagram.lay();
  if (name === "run") diagram.show();
  if (name === "compare") compare.show();
  remember();
}

function panel(number) {
  state.panel = number;
  document.querySelectorAll("#panels button").forEach((button, k) => button.setAttribute("aria-selected", String(k === number)));
  showPanel();
  remember();
}

function showPanel() {
  const box = document.getElementById("panel");
  if (state.run.count) box.replaceChildren(PANELS[state.panel].draw(state.run, state.step));
}

function every() {
  diagram.every = !diagram.every;
  document.getElementById("every").checked = diagram.every;
  diagram.sift();
}

function theme(wanted) {
  const root = document.documentElement;
  const next = wanted || THEMES[(THEMES.indexOf(root.dataset.theme || "auto") + 1) % THEMES.length];
  root.dataset.theme = next;
  document.getElementById("theme").textContent = { auto: t`◐ auto`, light: t`☀ light`, dark: t`☾ dark` }[next];
  remember();
}

// Everything is written anew: what a page says of itself is said once, when it begins.
function otherLanguage() {
  asked = chinese ? "en" : "zh";
  remember();
  location.reload();
}

// The address says what is looked at, so that it can be handed on.
function remember() {
  const told = new URLSearchParams({ run: state.run.number, step: state.step });
  if (state.view !== "run") told.set("view", state.view);
  if (state.panel) told.set("panel", state.panel);
  const look = document.documentElement.dataset.theme;
  if (look && look !== "auto") told.set("theme", look);
  if (asked) told.set("lang", asked);
  try { history.replaceState(null, "", `#${told}`); } catch { /* a frame without an address */ }
}

function verdictLine(run) {
  const broken = run.violations.length;
  const told = broken ? t`${broken} invariant${broken > 1 ? "s" : ""} broken` + (run.ok ? t`, as it says` : "") : t`no invariant is broken`;
  const lines = run.failures.length ? t`; ${run.failures.length} line${run.failures.length > 1 ? "s" : ""} of the diagram did not come true` : "";
  return el("p", run.ok ? "line good" : "line bad", `${run.ok ? "✓" : "✗"} ${told}${lines}`);
}

// What held, what did not, and how to see it again.
function verdictCard(run) {
  const card = el("div", run.ok ? "card ok" : "card fails", verdictLine(run));
  for (const one of run.violations) card.append(violationBox(run, one));
  for (const one of run.failures) {
    card.append(el("div", "note bad", el("p", "", el("b", "", t`line ${one.line} `), el("code", "", one.source)),
      el("p", "", el("span", "soft", t`expected `), one.expected), el("p", "", el("span", "soft", t`happened `), one.happened)));
  }
  for (const name of run.missing) card.append(el("p", "note bad", t`@violates ${name}: but it held in this run`));
  if (run.number === 0) {
    if (report.choices.length) card.append(el("div", "", el("b", "", t`the choices that lead here`), el("ol", "choices", ...report.choices.map((one) => el("li", "", one)))));
    for (const rule of report.rules) card.append(el("p", "rule", el("b", "", t`rule off: ${rule.name} `), `${rule.reason} `, el("span", "soft", t`Without it: ${rule.without}`)));
  }
  if (run.unjudged) card.append(el("p", "warn", t`not judged to its end: ${run.unjudged}`));
  if (run.cut_off) card.append(el("p", "warn", t`the file was cut off in the middle of a line; the run goes on`));
  return card;
}

function violationBox(run, one) {
  const jump = el("button", "link", t`step ${one.step}`);
  jump.addEventListener("click", () => (choose(run.number), view("run"), go(one.step)));
  const box = el("div", one.expected ? "note warn" : "note bad", el("p", "", el("b", "", one.invariant), t` broken at `, jump, one.expected ? t` (this scenario shows it)` : ""),
    el("p", "", el("span", "soft", t`must be `), one.sentence), el("p", "", el("span", "soft", t`happened `), one.text));
  const rows = one.rows.filter(([, , rule]) => rule);
  if (rows.length) {
    box.append(details(t`what the protocol says (${rows.map(([id]) => id).join(", ")})`, () => el("ul", "", ...rows.map(([id, section, rule]) => el("li", "", el("b", "", `${id} `), el("span", "soft", `${section} `), rule)))));
  }
  return box;
}

function buildHead() {
  const run = runs[0], nav = el("nav");
  VIEWS.forEach(([name, title]) => {
    const button = el("button", "", title);
    button.dataset.view = name;
    button.addEventListener("click", () => view(name));
    nav.append(button);
  });
  const button = (id, text, title, act) => {
    const made = el("button", "plain", text);
    Object.assign(made, { id, title });
    made.addEventListener("click", act);
    return made;
  };
  const choices = runs.length < 2 ? [] : runs.map((one, k) => {
    const made = el("button", "run-choice", el("span", `badge ${"ab"[k]}`, "AB"[k]), ` ${one.title}`);
    made.dataset.run = k;
    made.addEventListener("click", () => choose(k));
    return made;
  });
  const facts = t`${report.protocol} · seed ${run.seed} · ${run.count} steps · ${run.virtual_s.toFixed(3)} s virtual`;
  document.getElementById("head").append(
    el("div", "title", el("span", run.ok ? "sign good" : "sign bad", run.ok ? "✓" : "✗"), el("h1", "", report.name), el("p", "about", report.about)),
    el("div", "facts", el("span", "soft", facts), el("code", "soft", t`digest ${run.digest}`), ...report.command.map((one) => el("code", "command", one))),
    el("div", "bar", nav, ...choices, el("span", "fill"), button("theme", t`◐ auto`, t`Colours (t)`, () => theme()),
      button("language", chinese ? "English" : "中文", chinese ? "English" : "中文", () => otherLanguage()), button("print", t`print`, t`Print, or save as PDF`, () => window.print()), button("keys", t`? keys`, t`Keys (?)`, () => document.getElementById("help").showModal())));
}

function buildTools() {
  const filter = el("input"), box = document.getElementById("tools");
  Object.assign(filter, { id: "filter", type: "search", placeholder: t`filter rows  ( / )` });
  filter.setAttribute("aria-label", t`Filter rows`);
  filter.addEventListener("input", () => {
    diagram.filter = filter.value;
    diagram.sift();
  });
  const check = el("input");
  Object.assign(check, { id: "every", type: "checkbox" });
  check.addEventListener("change", () => every());
  const legend = [["frame", t`frame`], ["call", t`call`], ["person", t`person`], ["link", t`link`], ["lost", t`lost`], ["fault", t`fault`]].map(([one, told]) => el("span", `legend ${one}`, told));
  box.append(filter, el("label", "", check, t` every step`), ...legend);
}

function buildRest() {
  const tabs = document.getElementById("panels");
  PANELS.forEach((one, k) => {
    const tab = el("button", "", one.name);
    tab.setAttribute("role", "tab");
    tab.addEventListener("click", () => panel(k));
    tabs.append(tab);
  });
  const help = document.getElementById("help");
  help.append(el("h2", "", t`Keys`), el("table", "", ...KEYS.map(([keys, told]) => el("tr", "", el("td", "", el("kbd", "", keys)), el("td", "", told)))), el("p", "soft", t`Esc closes this.`));
  const scenario = document.getElementById("view-scenario");
  scenario.append(el("h2", "", report.name), el("p", "lead", report.about));
  if (report.source) report.source.split("\n").forEach((text, k) => scenario.append(el("div", "code", el("span", "n", k + 1), el("span", "", text || " "))));
  else scenario.append(el("p", "soft", t`This recording does not hold a scenario.`));
}

function pressed(event) {
  const tag = event.target.tagName;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") return void event.target.blur();
  if (event.target.type === "search" || document.getElementById("help").open) return;
  if (tag === "BUTTON" && (event.key === " " || event.key === "Enter")) return;
  if (event.target.id === "grip") return;
  const act = KEYS.map(([, , acts]) => acts[event.key]).find(Boolean);
  if (!act) return;
  event.preventDefault();
  act();
}

// The border between diagram and panels can be drawn, and moved with the arrow keys.
function buildGrip() {
  const grip = document.getElementById("grip"), side = document.getElementById("side");
  const set = (width) => { side.style.width = `${Math.max(220, Math.min(window.innerWidth * 0.6, width))}px`; };
  grip.addEventListener("pointerdown", (event) => grip.setPointerCapture(event.pointerId));
  grip.addEventListener("pointermove", (event) => {
    if (grip.hasPointerCapture(event.pointerId)) set(window.innerWidth - event.clientX - 12);
  });
  grip.addEventListener("keydown", (event) => {
    if (event.key === "ArrowLeft") set(side.offsetWidth + 30);
    if (event.key === "ArrowRight") set(side.offsetWidth - 30);
  });
}

speak();
readBlocks(() => {
  report = JSON.parse(blocks.get("report"));
  runs = Array.from({ length: report.runs }, (_, k) => new Run(k));
  const wanted = new URLSearchParams(location.hash.slice(1));
  state.run = runs[Math.min(Number(wanted.get("run")) || 0, runs.length - 1)];
  buildHead();
  buildTools();
  buildRest();
  buildGrip();
  compare.build();
  diagram.build();
  scrubber.build();
  markTables();
  const first = state.run.violations.length ? state.run.violations[0].step : 0;
  state.step = Math.max(0, Math.min(wanted.has("step") ? Number(wanted.get("step")) || 0 : first, state.run.last));
  if (THEMES.includes(wanted.get("theme"))) theme(wanted.get("theme"));
  choose(state.run.number);
  panel(Math.min(Number(wanted.get("panel")) || 0, PANELS.length - 1));
  view(VIEWS.some(([name]) => name === wanted.get("view")) ? wanted.get("view") : "run");
  if (wanted.has("print")) printed();
  window.addEventListener("beforeprint", printed);
  document.addEventListener("keydown", pressed);
  document.documentElement.dataset.ready = "yes";
});
