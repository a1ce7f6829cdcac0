"""Numbers and words of the question bridge. Units stand in the names."""

from __future__ import annotations

from typing import Final

QUESTION: Final = "question"
"""The tool that the hook reacts to, and the type of its entries (§2.1, §5)."""

# -- which hosts there are, by kind; a host's name is its kind unless a diagram says otherwise
OPENCODE: Final = "opencode"
HOOK: Final = "hook"
LISTENER: Final = "listener"
STORE: Final = "store"
TELEGRAM: Final = "telegram"
KINDS: Final = (OPENCODE, HOOK, STORE, LISTENER, TELEGRAM)

# -- OpenCode's question API (§3)
LIST_PATH: Final = "/question"
SESSION_PATH: Final = "/session"
REPLY: Final = "reply"
REJECT: Final = "reject"
OPENCODE_TIMEOUT_MS: Final = 5_000
"""Each call of OpenCode's API (DQ-11)."""

# -- matching (§6)
MATCH_TRIES: Final = 20
MATCH_PAUSE_MS: Final = 300
ATTEMPT_LIMIT_MS: Final = 20_000
"""The whole of one attempt, tries and reply together (DQ-11)."""

# -- time (§5, DQ-10, DQ-12)
QUESTION_TTL_MS: Final = 30 * 60 * 1_000
EXPIRY_TRIES: Final = 2
EXPIRY_PAUSE_MS: Final = 200
CLEANING_EVERY_MS: Final = 30_000

# -- claims and the lease (DQ-13, DQ-15)
CLAIM_REFRESH_MS: Final = 5_000
CLAIM_VOID_MS: Final = 15_000
LEASE_REFRESH_MS: Final = 5_000
LEASE_VOID_MS: Final = 15_000

# -- the hook (DQ-21)
HOOK_LIMIT_MS: Final = 5_000
"""It returns within this time, whatever has happened."""
NO_LIMIT_US: Final = 3_600_000_000
"""How long a tool waits for the hook: OpenCode sets no limit of its own, and nothing here
takes an hour."""

# -- the store's file (DQ-22, DQ-23, DQ-25)
STORE_FILE: Final = "/tmp/hermes-pending.json"
STORE_MODE: Final = 0o600
LOCK_SUFFIX: Final = ".lock"
LEASE_SUFFIX: Final = ".listener"
BROKEN_SUFFIX: Final = ".broken-"
"""Followed by the Unix time in milliseconds."""
LOCK_RETRY_MS: Final = 15
LOCK_WAIT_MS: Final = 2_000
LOCK_STALE_MS: Final = 10_000
BROKEN_READS: Final = 3
"""How often unreadable content is read again."""
BROKEN_PAUSE_MS: Final = 50
UNIQUE_ID_CHARS: Final = 8

# -- Telegram's Bot API (facts, section 3)
TELEGRAM_TIMEOUT_MS: Final = 10_000
GET_UPDATES_TIMEOUT_MS: Final = 40_000
LONG_POLL_S: Final = 30
ALLOWED_UPDATES: Final = ("callback_query", "message")
POLL_RETRY_MS: Final = 5_000
"""The wait after a getUpdates that failed, 409 too (DQ-15)."""
BUSY_POLL_MS: Final = 300
"""The least time between two polls while a handler runs (DQ-14)."""
RETRY_AFTER_LIMIT_S: Final = 30
"""The longest delay of a 429 that is waited for (DQ-17)."""
MESSAGE_CHARS: Final = 4_096
CALLBACK_DATA_BYTES: Final = 64
TOAST_CHARS: Final = 200
PRESS_VALID_MS: Final = 15_000
"""After so long a press can no longer be answered (DQ-27)."""
PARSE_MODE: Final = "Markdown"

# -- buttons (§4 step 3, §4.1)
OPTION_PREFIX: Final = "qopt:"
CUSTOM_PREFIX: Final = "qcustom:"

VISITOR: Final = "visitor"
"""In live runs the host of those who ask although the usual asker is a twin: people with curl."""
