// What the hosts know at a step: connections, what is on its way, what they have in mind, and
// what they have stored.

const hosts = {
  name: t`Hosts`,

  draw(run, n) {
    const scene = run.scene(n), box = el("div", "hosts");
    box.append(this.links(run, scene));
    for (const [name, kind] of run.lanes) {
      const [up, epoch] = scene.hosts[name] || [true, 0];
      const card = el("div", up ? "host" : "host down", el("h3", "", name, el("span", "soft", ` ${kind}`),
        up ? (epoch > 1 ? el("span", "soft", t` · life ${epoch}`) : "") : el("span", "bad", t` is down`)));
      const lines = [...this.waits(run, scene, name), ...this.minds(run, name, n), ...this.stores(run, name, n)];
      if (lines.length || !up) box.append(el("div", "", card, ...lines));
    }
    return box;
  },

  links(run, scene) {
    const list = el("table", "connections");
    for (const [name, link] of Object.entries(scene.links)) {
      const flying = Object.entries(scene.frames).filter(([, one]) => one.link === name);
      const open = link.client_open && link.server_open;
      const half = link.client_open ? t`only ${link.client} believes in it` : t`only ${link.server} believes in it`;
      list.append(el("tr", "", el("td", "", el("b", "", name)), el("td", open ? "good" : "warn", open ? t`open` : half),
        el("td", "", ...flying.slice(0, 6).map(([n]) => stepLink(run, Number(n))), flying.length > 6 ? t` and ${flying.length - 6} more` : "")));
    }
    const box = el("div", "", el("h3", "", t`Connections`));
    box.append(list.children.length ? list : el("p", "soft", t`none`));
    return box;
  },

  waits(run, scene, host) {
    return Object.entries(scene.calls).filter(([, call]) => call.source === host).map(([n, call]) =>
      el("p", "line warn", t`waits for ${call.target}: `, stepLink(run, Number(n)),
        el("span", "soft", t` since ${seconds(scene.now - call.at)} s`)));
  },

  minds(run, host, n) {
    if (run.minds === null) return [];
    const now = new Map();
    for (const [step, whose, head, key, text] of run.minds) {
      if (step > n) break;
      if (whose !== host) continue;
      if (text < 0) now.delete(`${head} ${key}`);
      else now.set(`${head} ${key}`, [step, head, text]);
    }
    return [...now.values()].map(([step, head, text]) => el("p", step === n ? "line new" : "line",
      el("span", "soft", `${run.words[head]} `), run.words[text]));
  },

  stores(run, host, n) {
    const now = new Map();
    for (const [step, whose, key, there] of run.stores) {
      if (step > n) break;
      if (whose !== host) continue;
      if (there) now.set(key, step);
      else now.delete(key);
    }
    if (!now.size) return [];
    const made = details(t`${now.size} stored row${now.size > 1 ? "s" : ""}`, () => {
      const list = el("div");
      for (const [key, step] of [...now].slice(-200)) {
        list.append(el("div", "stored", stepLink(run, step), el("b", "", named(run, key)),
          el("pre", "", JSON.stringify(run.event(step).value, null, 1))));
      }
      return list;
    });
    return [made];
  },
};

function named(run, key) {
  const [kind, ...rest] = key.split("/");
  return rest.length ? `${kind} ${run.named(rest.join("/"))}` : kind;
}
