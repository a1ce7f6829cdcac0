// Written by `hooktwin bridge plugin`: hands every question of OpenCode to a running bridge,
// which asks it on Telegram. Put it into .opencode/plugin/ of a project, or into
// ~/.config/opencode/plugin/. It never throws and holds a question up for 5 s at most:
// without a bridge the question is asked in OpenCode alone.

const BRIDGE = process.env.HERMES_BRIDGE_URL || "http://127.0.0.1:4097"
const LIMIT_MS = 5000

export const HooktwinBridge = async ({ directory } = {}) => ({
  "tool.execute.before": async (input, output) => {
    if (input?.tool !== "question") return
    try {
      const { tool, sessionID, callID } = input
      const response = await fetch(`${BRIDGE}/tool.execute.before`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ input: { tool, sessionID, callID }, args: output?.args, directory }),
        signal: AbortSignal.timeout(LIMIT_MS),
      })
      await response.arrayBuffer()
    } catch {
      // The question stays where it is: in OpenCode's own dialog.
    }
  },
})
