"use strict";
// The run as it stands in the page: columns with one entry per step, and chunks of a
// thousand events that are decoded when somebody looks into them. No text of a run is ever
// markup: it reaches the document through textContent alone (see `el`).

const SHOWN = 1, FAULT = 2, BAD = 4, FRAME = 8;

function el(tag, about = "", ...children) {
  const node = document.createElement(tag);
  if (about) node.className = about;
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === "") continue;
    node.append(child instanceof Node ? child : visible(String(child)));
  }
  return node;
}

// Signs that have no shape, or turn the text around, become signs that one sees.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
function visible(text) {
  return text.replace(UNSEEN, (sign) => {
    const code = sign.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? "\u2421" : "\ufffd";
  });
}

const blocks = new Map();

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

// Small reports are plain, and shown at once; large ones are unpacked first.
function readBlocks(then) {
  const found = [...document.querySelectorAll("script.data")];
  const take = (node, text) => {
    blocks.set(node.id, text);
    node.remove();
  };
  if (found[0].type === "application/json") {
    for (const node of found) take(node, node.textContent);
    then();
    return;
  }
  const told = document.getElementById("verdict");
  told.textContent = t`unpacking the run …`;
  Promise.all(found.map(async (node) => take(node, await unpacked(node.textContent)))).then(then, () => {
    told.textContent = t`This browser cannot unpack the run: it needs DecompressionStream (2023 or newer).`;
  });
}

class Run {
  constructor(number) {
    this.number = number;
    Object.assign(this, JSON.parse(blocks.get(`run-${number}`)));
    blocks.delete(`run-${number}`);
    const rows = this.rows;
    this.at = Float64Array.from(rows.at);
    for (let n = 1; n < this.count; n++) this.at[n] += this.at[n - 1];
    this.arrow = Uint8Array.from(rows.arrow);
    this.source = Int16Array.from(rows.source);
    this.target = Int16Array.from(rows.target);
    this.labels = Int32Array.from(rows.label);
    this.details = Int32Array.from(rows.detail);
    this.refers = Int32Array.from(rows.refers);
    this.cause = Int32Array.from(rows.cause);
    this.flags = Uint8Array.from(rows.flags);
    this.rows = null;
    this.real = new Map(this.names);
    this.chunks = new Map();
    this.faults = [];
    for (let n = 0; n < this.count; n++) if (this.flags[n] & FAULT) this.faults.push(n);
  }

  // Whether a number in a recording is one of its steps.
  has(n) { return Number.isInteger(n) && n >= 0 && n < this.count; }
  get last() { return Math.max(this.count - 1, 0); }
  label(n) { return this.words[this.labels[n]]; }
  detail(n) { return this.words[this.details[n]]; }
  lane(place) { return place < 0 ? "" : this.lanes[place][0]; }
  causeOf(n) { return this.cause[n] ? n - this.cause[n] : -1; }
  referOf(n) { return this.refers[n] ? n - this.refers[n] : -1; }
  isShown(n) { return (this.flags[n] & SHOWN) !== 0; }
  named(real) { return this.real.get(real) || real; }

  chunkOf(n) {
    const place = Math.floor(n / report.chunk);
    let chunk = this.chunks.get(place);
    if (!chunk) {
      chunk = JSON.parse(blocks.get(`run-${this.number}-${place}`));
      if (this.chunks.size > 20) this.chunks.clear();
      this.chunks.set(place, chunk);
    }
    return chunk;
  }

  event(n) { return this.chunkOf(n).events[n % report.chunk]; }
  note(n) { return this.chunkOf(n).notes[n]; }

  // The frame that a step sends, delivers, loses or refuses: [step of its sending, frame].
  frameOf(n) {
    const event = this.event(n);
    if (event.kind === "FrameSent") return [n, event.frame];
    if (this.has(event.sent)) return [event.sent, this.event(event.sent).frame];
    return null;
  }

  // What became of it: the steps that answer or complete this one.
  answersTo(n) {
    if (!this.answers) {
      this.answers = new Map();
      for (let k = 0; k < this.count; k++) {
        if (!this.refers[k]) continue;
        const list = this.answers.get(k - this.refers[k]);
        if (list) list.push(k);
        else this.answers.set(k - this.refers[k], [k]);
      }
    }
    return this.answers.get(n) || [];
  }

  // The steps without which this one would not be, the nearest first.
  chain(n, most = 60) {
    const found = [];
    for (let k = this.causeOf(n); k >= 0 && found.length < most; k = this.causeOf(k)) found.push(k);
    return found;
  }

  isDown(lane, n) {
    return this.downs.some(([host, from, to]) => host === lane && from <= n && (to < 0 || n < to));
  }

  // Who is up, what is connected, what is on its way when step n has happened.
  scene(n) {
    const chunk = this.chunkOf(n);
    const scene = structuredClone(chunk.scene);
    for (const part of ["hosts", "links", "frames", "calls"]) scene[part] = bare(scene[part]);
    for (let k = n - (n % report.chunk); k <= n; k++) takeEvent(scene, this.event(k));
    return scene;
  }
}

// Names of a recording are keys here; none of them may be one that every object has.
function bare(object) { return Object.assign(Object.create(null), object); }

function wordFor(value) {
  return value && typeof value === "object" ? String(value.is || value.type || value.messageType || "") : "";
}

// The same fold as that of hooktwin's own viewers (sim/view/scene.py).
function takeEvent(scene, event) {
  scene.now = event.at;
  scene.steps = event.n + 1;
  switch (event.kind) {
    case "HostStarted": scene.hosts[event.host] = [true, event.epoch]; break;
    case "HostCrashed":
      scene.hosts[event.host] = [false, event.epoch];
      for (const n of Object.keys(scene.calls)) if (scene.calls[n].source === event.host) delete scene.calls[n];
      break;
    case "ConnectionOpened":
      scene.links[event.link] = { client: event.client, server: event.server, lane: event.lane,
        client_open: true, server_open: true };
      break;
    case "ConnectionClosed": closeEnd(scene, event); break;
    case "FrameSent":
      scene.frames[event.n] = { source: event.sender, target: event.receiver, what: wordFor(event.frame),
        link: event.link, at: event.at };
      break;
    case "FrameDelivered": delete scene.frames[event.sent]; break;
    case "FrameLost": scene.lost++; delete scene.frames[event.sent]; break;
    case "CallIssued":
      scene.calls[event.n] = { source: event.caller, target: event.callee, what: wordFor(event.request),
        link: "", at: event.at };
      break;
    case "CallAnswered": delete scene.calls[event.call]; break;
    case "FaultInjected": scene.faults++; break;
  }
}

function closeEnd(scene, event) {
  const link = scene.links[event.link];
  if (!link) return;
  if (event.host === link.client) link.client_open = false;
  else link.server_open = false;
  if (!link.client_open && !link.server_open) delete scene.links[event.link];
}

function seconds(us, digits = 3) { return (us / 1e6).toFixed(digits); }

// The place of the last value that is not behind n, in a rising list; -1 for none.
function placeOf(list, n, of = (one) => one) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (of(list[middle]) <= n) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
