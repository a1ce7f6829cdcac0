"""The variables of ``hooktwin bridge``: names, what each is for, what is usual.

The command line's help shows them: nothing but names may be imported here.
"""

from __future__ import annotations

from typing import Final

BOT_TOKEN: Final = "HERMES_PERMISSION_BOT_TOKEN"
HOOK_TOKEN: Final = "HERMES_HOOK_TOKEN"
CHAT: Final = "HERMES_TELEGRAM_CHANNEL"
OPENCODE_URL: Final = "HERMES_OPENCODE_URL"
OPENCODE_PORT: Final = "HERMES_OPENCODE_PORT"
TELEGRAM_URL: Final = "HERMES_TELEGRAM_URL"
STORE_PATH: Final = "HERMES_PENDING_STORE_PATH"
STORE_FILE_MODE: Final = "HERMES_PENDING_STORE_MODE"
STORE_LOCK_WAIT: Final = "HERMES_PENDING_STORE_LOCK_WAIT_MS"
BRIDGE_PORT: Final = "HERMES_BRIDGE_PORT"

USUAL_OPENCODE_PORT: Final = 4096
USUAL_TELEGRAM: Final = "https://api.telegram.org"
USUAL_BRIDGE_PORT: Final = 4097
STORE_NAME: Final = "hermes-pending.json"
USUAL_LOCK_WAIT_MS: Final = 2_000

VARIABLES: Final = {
    BOT_TOKEN: "the bot's token (needed)",
    CHAT: "the number of the chat where questions are asked and answered (needed)",
    HOOK_TOKEN: f"the token of the bot that asks; default: {BOT_TOKEN}",
    OPENCODE_URL: f"OpenCode's base URL; default: http://127.0.0.1:${OPENCODE_PORT}",
    OPENCODE_PORT: f"OpenCode's port on this machine; default: {USUAL_OPENCODE_PORT}",
    TELEGRAM_URL: f"the Bot API's base URL; default: {USUAL_TELEGRAM}",
    STORE_PATH: f"the pending file; default: {STORE_NAME} in the temporary directory",
    STORE_FILE_MODE: "its mode, octal; default: 600",
    STORE_LOCK_WAIT: f"how long a lock is waited for, ms; default: {USUAL_LOCK_WAIT_MS}",
    BRIDGE_PORT: f"where the plugin reaches the bridge; default: {USUAL_BRIDGE_PORT}",
}
"""What may stand in the environment, for people."""
