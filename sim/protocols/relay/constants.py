"""Numbers and words of the relay protocol. Times are in milliseconds."""

from __future__ import annotations

from typing import Final

RELAY_PROTOCOL_VERSION: Final = "1.0"

CONTROLLER: Final = "controller"
RELAY: Final = "relay"
NODE: Final = "node"
ROLES: Final = (CONTROLLER, RELAY, NODE)
PEER_ROLES: Final = (CONTROLLER, NODE)
"""Who connects to a relay, and may say hello."""

MESSAGE_TYPES: Final = (
    "hello",
    "hello_ack",
    "auth",
    "auth_ack",
    "refresh",
    "refresh_ack",
    "command",
    "result",
    "error",
    "event",
    "ping",
    "pong",
    "tab_lock",
    "tab_unlock",
    "command_cancel",
)
"""The message families, in the order of the protocol's own list."""

FAIL_FAST: Final = "fail_fast"
WAIT_WITH_TIMEOUT: Final = "wait_with_timeout"
WAIT_POLICIES: Final = (FAIL_FAST, WAIT_WITH_TIMEOUT)
DEFAULT_WAIT_POLICY: Final = FAIL_FAST

AUTH: Final = "auth"
VALIDATION: Final = "validation"
ROUTING: Final = "routing"
EXECUTION: Final = "execution"
TIMEOUT: Final = "timeout"
LOCK_CONFLICT: Final = "lock_conflict"
INTERNAL: Final = "internal"
ERROR_CATEGORIES: Final = (
    AUTH,
    VALIDATION,
    ROUTING,
    EXECUTION,
    TIMEOUT,
    LOCK_CONFLICT,
    INTERNAL,
)

COMMAND_OUTCOMES: Final = ("completed", "failed", "timed_out", "cancelled")
CANCEL_STATUSES: Final = ("cancelled", "forwarded")
STREAM_END_REASONS: Final = ("cancelled", "failed", "timed_out", "node_disconnected")
LISTENER_END_REASONS: Final = ("node_disconnected",)
AUTH_MODES: Final = ("auto", "strict_fail", "skip")

SHARED_OBJECT_KINDS: Final = (
    "chat.message",
    "chat.typing",
    "chat.participant",
    "chat.message_deleted",
    "content.article",
    "content.post",
    "content.post_comment",
)
"""What the data of a listener update may be, besides raw transport data."""

HTTP_INTERCEPT: Final = "network.http_intercept"
INTERCEPT_MODES: Final = ("network", "fetch", "hybrid")
DEFAULT_INTERCEPT_MODE: Final = "network"
DEFAULT_MAX_BODY_BYTES: Final = 256_000
SENSITIVE_HEADERS: Final = ("authorization", "cookie", "set-cookie", "proxy-authorization")
"""Header names, in lower case, whose values never leave the node."""

DEFAULT_TIMEOUT_MS: Final = 30_000
LEAST_TIMEOUT_MS: Final = 1_000
MOST_TIMEOUT_MS: Final = 600_000
REPLAY_WINDOW_MS: Final = 60_000
NONCE_MEMORY_MS: Final = 2 * REPLAY_WINDOW_MS
"""A frame stamped a whole window ahead stays valid for two."""
TAB_QUEUE_LIMIT: Final = 20
CONTROLLER_QUEUE_LIMIT: Final = 100
DEFAULT_LOCK_LEASE_MS: Final = 30_000
MOST_LOCK_LEASE_MS: Final = 300_000
HEARTBEAT_INTERVAL_MS: Final = 8_000
HEARTBEAT_MISSES: Final = 3
AUTH_DEADLINE_MS: Final = 10_000
"""A socket that is not authenticated so long after opening is closed."""
CLOSE_OWNED_TIMEOUT_MS: Final = 10_000
STREAM_UNSUBSCRIBE_TIMEOUT_MS: Final = 5_000
LEDGER_MEMORY_MS: Final = 300_000
LEDGER_ENTRIES: Final = 200

MAX_UPDATE_TYPE_CHARS: Final = 120
UNKNOWN_REQUEST_ID: Final = "unknown"
"""The requestId of an answer to a frame whose own cannot be read."""

OWNER_FIELD: Final = "__controllerClientId"
"""Where the relay writes who owns the tab, within the payload of primitive.tab.open."""

DEFAULT_FORMAT: Final = "markdown"
EXTRACT_ACTIONS: Final = (
    ("markdown", "primitive.dom.extract_markdown"),
    ("distilled_html", "primitive.dom.extract_distilled_html"),
    ("clean_html", "primitive.dom.extract_clean_html"),
    ("raw_html", "primitive.dom.extract_html"),
    ("text", "primitive.dom.extract_text"),
)
"""Formats of content extraction and the actions behind them."""

ALIAS_SITE: Final = "reddit.com"
ALIAS_COMMAND: Final = "getPosts"
"""What command.reddit_posts stands for."""
