// Runs an OpenCode plugin without OpenCode: the twin of `hooktwin serve --protocol question
// --hook-url URL` posts {input, args, directory} before each tool, and the plugin's
// tool.execute.before gets them. The answer is {"threw": null}, or what the plugin threw.
// As in OpenCode, each project gets a plugin of its own.
//
//   node plugin-host.mjs ./my-plugin.js [PORT]

import { createServer } from "node:http"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"

const [file, port = "4098"] = process.argv.slice(2)
const exported = Object.values(await import(pathToFileURL(resolve(file)).href))
const makers = [...new Set(exported.filter((one) => typeof one === "function"))]
const projects = new Map()

function hooksOf(directory) {
  if (!projects.has(directory)) {
    const made = makers.map((make) => make({ directory, worktree: directory }))
    projects.set(directory, Promise.all(made))
  }
  return projects.get(directory)
}

const server = createServer(async (request, response) => {
  let threw = null
  try {
    let body = ""
    for await (const part of request) body += part
    const { input, args, directory } = JSON.parse(body)
    for (const one of await hooksOf(directory || process.cwd())) {
      await one["tool.execute.before"]?.(input, { args })
    }
  } catch (error) {
    threw = String(error)
  }
  response.setHeader("content-type", "application/json")
  response.end(JSON.stringify({ threw }))
})
server.listen(Number(port), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}/tool.execute.before`)
})
