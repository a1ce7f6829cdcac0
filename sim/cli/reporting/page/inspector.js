// One step: what it is, why it happened, what became of it, and its frame field by field.

const inspector = {
  name: t`Step`,

  draw(run, n) {
    const from = run.lane(run.source[n]), to = run.lane(run.target[n]);
    return el("div", "step",
      el("h3", "", run.label(n) || run.event(n).kind),
      el("p", "where", t`step ${n} · ${seconds(run.at[n])} s · `, from === to ? from : `${from} → ${to}`,
        el("span", "soft", ` ${run.event(n).kind}`)),
      run.detail(n) ? el("p", "detail", run.detail(n)) : null,
      ...run.violations.filter((one) => one.step === n).map(brokenNote),
      this.because(run, n),
      ...this.frame(run, n),
      ...this.call(run, n),
      details(t`The event as recorded`, () => el("pre", "", JSON.stringify(run.event(n), null, 2))),
    );
  },

  because(run, n) {
    const list = el("dl", "links");
    const add = (name, steps) => {
      if (!steps.length) return;
      list.append(el("dt", "", name), el("dd", "", ...steps.map((k) => stepLink(run, k))));
    };
    add(t`because of`, run.chain(n, 6));
    if (run.referOf(n) >= 0) add(t`about`, [run.referOf(n)]);
    add(t`then`, run.answersTo(n).slice(0, 6));
    return list;
  },

  frame(run, n) {
    const found = run.frameOf(n);
    if (!found || found[1] === undefined) return [];
    const [sent, frame] = found;
    const [shapeAt, faults, verdicts] = run.note(sent) || [-1, {}, []];
    const declared = shapeAt < 0 ? null : report.shapes[shapeAt];
    const bad = Object.keys(faults).length;
    const parts = [el("h4", "", t`Frame `, declared ? el("span", "soft", declared.section) : "")];
    parts.push(el("p", bad ? "bad" : "good", bad ? t`refused: a field breaks its rule` : declared ? t`every field is legal` : t`nobody declared this type`));
    parts.push(fieldTree(run, frame, declared, faults));
    for (const one of verdicts) parts.push(verdictNote(run, one));
    if (declared) parts.push(details(t`What ${declared.type} is`, () => declaration(declared)));
    return parts;
  },

  // A call says what is asked, and what came of it: of an answer the question is shown, too.
  call(run, n) {
    const event = run.event(n), parts = [];
    const asked = event.request ?? (run.has(event.call) ? run.event(event.call).request : undefined);
    const titled = (title, value) => parts.push(el("h4", "", title), fieldTree(run, value, null, {}));
    if (asked !== undefined) titled(t`Request`, asked);
    if (event.reply !== undefined) titled(t`Reply`, event.reply);
    for (const [title, value] of [[t`Act`, event.act], [t`Note`, event.data], [t`Row`, event.value]]) {
      if (value !== undefined) titled(title, value);
    }
    return parts;
  },
};

function brokenNote(one) {
  return el("div", "note bad", el("b", "", `✗ ${one.invariant}`), el("p", "", one.sentence), el("p", "", one.text));
}

function stepLink(run, n) {
  const link = el("button", "link", `${n} `, el("span", "", run.label(n) || run.event(n).kind));
  link.title = visible(`${run.lane(run.source[n])} → ${run.lane(run.target[n])} ${run.detail(n)}`);
  link.addEventListener("click", () => go(n));
  return link;
}

function details(title, make) {
  const box = el("details", "", el("summary", "", title));
  box.addEventListener("toggle", () => {
    if (box.open && box.children.length === 1) box.append(make());
  });
  return box;
}

// [table, subject, state, trigger, after, legal]
function verdictNote(run, [table, subject, before, trigger, after, legal]) {
  const told = (place) => run.words[place];
  const where = trigger ? `${told(before)} → ${legal ? told(after) : t`not allowed`}` : told(before);
  return el("p", legal ? "table-says" : "table-says bad", el("b", "", told(table)), ` ${run.named(told(subject))}: ${where}`);
}

function declaration(declared) {
  const box = el("div", "declared", el("p", "", declared.summary), el("p", "soft", declared.direction));
  if (declared.feature) box.append(el("p", "soft", t`only when the ${declared.feature.announced_by} announced ${declared.feature.name}`));
  const table = el("table");
  for (const [name, type, required, nullable, when] of declared.fields) {
    const presence = when ? "when " + Object.entries(when).map(([k, v]) => `${k} is ${v}`).join(" and ")
      : required ? t`required` : t`optional`;
    table.append(el("tr", "", el("td", "key", name), el("td", "", type + (nullable ? t` or null` : "")), el("td", "soft", presence)));
  }
  box.append(table, el("ul", "", ...declared.linkage.map((one) => el("li", "", one))));
  return box;
}

// The frame as JSON, one field per line; what breaks a rule says so, what nobody declared too.
function fieldTree(run, frame, declared, faults) {
  const box = el("div", "fields");
  if (frame === null || typeof frame !== "object" || Array.isArray(frame)) {
    box.append(el("pre", "", typeof frame === "string" ? frame : JSON.stringify(frame)));
    return box;
  }
  const known = declared ? new Set(declared.fields.map(([name]) => name)) : null;
  const envelope = declared ? new Set(declared.envelope) : null;
  const left = new Map(Object.entries(faults).map(([path, why]) => [path, run.words[why]]));
  const line = (key, path, value, depth, isKnown) => {
    const broken = [...left].filter(([one]) => one === path || one.startsWith(`${path}.`) || one.startsWith(`${path}[`));
    const about = broken.length ? "field bad" : isKnown === false ? "field unknown" : "field";
    const shown = el("div", about, el("span", "key", key), valueOf(run, value));
    shown.style.paddingLeft = `${depth * 14}px`;
    if (isKnown === false && !broken.length) shown.append(el("span", "soft", t` ignored: not declared`));
    for (const [one, why] of broken) {
      left.delete(one);
      shown.append(el("div", "why", one === path ? why : `${one}: ${why}`));
    }
    box.append(shown);
  };
  for (const [key, value] of Object.entries(frame)) {
    if (key === "payload" && value && typeof value === "object" && !Array.isArray(value)) {
      box.append(el("div", "field", el("span", "key", "payload")));
      for (const [name, inner] of Object.entries(value)) line(name, name, inner, 1, known ? known.has(name) : undefined);
    } else line(key, key, value, 0, envelope ? envelope.has(key) : undefined);
  }
  for (const [path, why] of left) box.append(el("div", "field bad", el("span", "key", path || t`the frame`), path ? el("span", "soft", t`missing`) : null, el("div", "why", why)));
  return box;
}

function valueOf(run, value) {
  if (value !== null && typeof value === "object") return el("pre", "value", JSON.stringify(value, null, 1));
  const told = el("span", `value ${value === null ? "null" : typeof value}`, typeof value === "string" ? value || '""' : String(value));
  if (typeof value === "string" && run.real.has(value)) told.append(el("span", "name", ` ${run.named(value)}`));
  return told;
}
