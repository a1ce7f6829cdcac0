// Written by `hooktwin bridge plugin`: hands every question of OpenCode to a running bridge,
// which asks it on Telegram. Put it into .opencode/plugin/ of a project, or into
// ~/.config/opencode/plugin/. It never throws and holds a question up for 5 s at most:
// without a bridge the question is asked in OpenCode alone.

import { connect } from "node:net"

const BRIDGE = process.env.HERMES_BRIDGE_URL || "http://127.0.0.1:4097"
const LIMIT_MS = 5000

// By hand: within OpenCode fetch and node:http take HTTP_PROXY even to 127.0.0.1.
const post = (url, body) =>
  new Promise((resolve) => {
    const socket = connect({ host: url.hostname.replace(/[[\]]/g, ""), port: url.port || 80 })
    const timer = setTimeout(() => socket.destroy(), LIMIT_MS)
    const done = () => resolve(clearTimeout(timer))
    socket.on("error", () => {}).on("close", done).once("data", () => socket.destroy())
    socket.write(
      `POST ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\nConnection: close\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
  })

export const HooktwinBridge = async ({ directory } = {}) => ({
  "tool.execute.before": async (input, output) => {
    if (input?.tool !== "question") return
    try {
      const { tool, sessionID, callID } = input
      const body = { input: { tool, sessionID, callID }, args: output?.args, directory }
      await post(new URL(`${BRIDGE}/tool.execute.before`), JSON.stringify(body))
    } catch {
      // The question stays where it is: in OpenCode's own dialog.
    }
  },
})
