// Does Mermaid's own parser accept these diagrams?
//
// stdin: a JSON list of texts. stdout: a JSON list of {"ok": true} or {"ok": false, "error": text}.
// argv[2]: a node_modules folder with `mermaid` 11 and `jsdom` (npm install mermaid@11 jsdom).
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { join, resolve } from "node:path";

const modules = resolve(process.argv[2]);
const require = createRequire(join(modules, "anchor.js"));
const { JSDOM } = require("jsdom");

// Mermaid cleans texts with DOMPurify, which wants a window.
const { window } = new JSDOM("<!doctype html><body></body>");
globalThis.window = window;
globalThis.document = window.document;
globalThis.Option = window.Option; // the colour of a box is tried on an <option>

const entry = join(modules, "mermaid", "dist", "mermaid.core.mjs");
const { default: mermaid } = await import(pathToFileURL(entry).href);
mermaid.initialize({ startOnLoad: false, logLevel: "fatal" });

const verdicts = [];
for (const text of JSON.parse(readFileSync(0, "utf8"))) {
  try {
    const { diagramType } = await mermaid.parse(text);
    const ok = diagramType === "sequence";
    verdicts.push(ok ? { ok } : { ok, error: `a diagram of type ${diagramType}` });
  } catch (failure) {
    verdicts.push({ ok: false, error: String(failure?.message ?? failure) });
  }
}
process.stdout.write(JSON.stringify(verdicts));
