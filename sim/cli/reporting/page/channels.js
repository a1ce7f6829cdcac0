// The channels as a reader saw them at a step, and what a reader does not see: owner, writer,
// history, edits that are under way.

const STATES = { WORKING: t`in progress`, QUEUED: t`queued`, OK: t`ok`, FAILED: t`error`,
  CANCELLED: t`cancelled`, INTERRUPTED: t`interrupted`, REJECTED: t`rejected` };

const MOST_MESSAGES = 60;  // of a chat; older ones wait until somebody wants them

const channels = {
  name: t`Channels`,

  draw(run, n) {
    const box = el("div", "channels");
    for (const channel of run.channels) {
      const kind = run.lanes.find(([name]) => name === channel)[1];
      const here = run.messages.filter((one) => one.channel === channel && one.looks[0][0] <= n);
      box.append(el("h3", "", channel, kind !== channel ? el("span", "soft", ` ${kind}`) : ""));
      if (!here.length) box.append(el("p", "soft", t`nothing yet`));
      for (const [chat, list] of grouped(here, (one) => one.chat)) {
        const pane = el("div", `chat ${kind}`, el("h4", "", chat));
        const all = threaded(list), old = all.slice(0, -MOST_MESSAGES);
        const boxes = (some) => some.map((one) => messageBox(run, one, n));
        if (old.length) pane.append(details(t`${old.length} earlier messages`, () => el("div", "", ...boxes(old))));
        pane.append(...boxes(all.slice(-MOST_MESSAGES)));
        box.append(pane);
      }
    }
    if (!run.channels.length) box.append(el("p", "soft", t`In this run nobody talks in a chat; the hosts show what stands where.`));
    return box;
  },
};

function grouped(list, of) {
  const groups = new Map();
  for (const one of list) {
    const key = of(one);
    if (groups.has(key)) groups.get(key).push(one);
    else groups.set(key, [one]);
  }
  return groups;
}

// Replies stand behind the message that they answer.
function threaded(list) {
  const roots = new Map(list.map((one) => [one.id, []]));
  const first = [];
  for (const one of list) {
    if (one.thread && one.thread !== one.id && roots.has(one.thread)) roots.get(one.thread).push(one);
    else first.push(one);
  }
  return first.flatMap((one) => [one, ...roots.get(one.id)]);
}

// A state is a word of the channel; whatever else a recording has there is shown, too.
function chip(word) {
  if (!word) return null;
  return Object.hasOwn(STATES, word) ? el("span", `chip ${word}`, STATES[word]) : el("span", "chip", word);
}

function messageBox(run, one, n) {
  const looks = one.looks.filter(([step]) => step <= n), now = looks[looks.length - 1];
  const gone = one.deleted >= 0 && one.deleted <= n;
  const about = ["message", one.bot ? "bot" : "person"];
  if (one.thread && one.thread !== one.id) about.push("reply");
  if (now[0] === n || one.deleted === n) about.push("new");
  const box = el("div", about.join(" "));
  box.append(el("div", "author", el("b", "", one.author), chip(now[2]),
    el("span", "soft", ` ${one.id}${one.about ? " · " + one.about : ""} · ${seconds(run.at[now[0]], 2)} s`)));
  if (gone) {
    box.append(el("p", "soft", t`(deleted)`));
    return box;
  }
  box.append(el("div", "text", run.words[now[1]]));
  if (now[3].length) box.append(el("div", "buttons", ...now[3].map((label) => el("span", "button", label))));
  for (const file of now[4]) box.append(el("div", "file", `📎 ${file}`));
  const marks = one.marks ? one.marks[placeOf(one.marks, n, (m) => m[0])] : null;
  if (marks && marks[1]) box.append(el("span", "mark", marks[1]));
  if (one.bot) box.append(...behind(run, one, looks, n));
  return box;
}

// Who owns a message now; on whose behalf it was written; how it came to look so.
function behind(run, one, looks, n) {
  const parts = [], owners = one.owners || [];
  const owner = owners[placeOf(owners, n, (o) => o[0])];
  const writer = (place) => run.words[place];
  if (owner) {
    const wrote = writer(looks[looks.length - 1][5]);
    const late = / on \S+#\d+$/.test(wrote) && !wrote.endsWith(` on ${owner[2]}`);
    parts.push(el("div", late ? "owner warn" : "owner", `${t`owner`} ${owner[1]}${owner[2] ? t` on ${owner[2]}` : ""}${owner[3] ? " " + owner[3].toLowerCase() : ""}`,
      wrote ? t` · written by ${wrote}` : "", late ? " !" : ""));
  }
  const flying = (one.edits || []).filter(([from, to]) => from <= n && (to < 0 || to > n));
  if (looks.length > 1 || flying.length) {
    const list = el("ol", "looks");
    list.start = Math.max(1, looks.length - 7);
    for (const look of looks.slice(-8)) list.append(lookLine(run, look));
    for (const [from, , word, text, by] of flying) {
      const line = el("li", "flying", stepLink(run, from), t` on its way: `, chip(word), el("span", "", ` ${run.words[text]} `), el("span", "soft", writer(by)));
      list.append(line);
    }
    parts.push(list);
  }
  return parts;
}

function lookLine(run, [step, text, word, , , by]) {
  return el("li", "", stepLink(run, step), chip(word), el("span", "short", ` ${run.words[text]} `),
    el("span", "soft", run.words[by] ? t`by ${run.words[by]}` : ""));
}
