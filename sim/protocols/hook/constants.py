"""Names and numbers that both ends of the protocol share (spec §8, §3, §5).

The names are the wire protocol's own. Those marked *unlisted* are part of the
protocol but missing from its document's list of exports.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

HOOK_PROTOCOL_VERSION: Final = 1
HOOK_MAX_FRAME_CHARS: Final = 48 * 1024 * 1024
"""Longest text frame, in UTF-16 code units of the text as received."""

HOOK_PROVIDERS: Final = ("slack", "telegram", "x")
HOOK_CHAT_WORKSPACE_ALIAS: Final = "chat"

PROVIDER_BIND_STATES: Final = (
    "none",
    "pending",
    "awaiting_confirmation",
    "confirmed",
    "denied",
    "expired",
    "failed",
    "revoked",
    "superseded",
)
PROVIDER_BIND_ACTIONS: Final = (
    "open_connect_url",
    "copy_connect_url",
    "cancel",
    "retry",
    "revoke",
    "open_provider",
    "add_to_group",
)
"""Known hints for the user interface; the wire admits others (unlisted)."""

TASK_ACK_RESULTS: Final = ("accepted", "queued", "rejected")
TASK_REJECT_REASONS: Final = (
    "unknown_workspace",
    "workspace_not_allowed",
    "session_not_found",
    "disabled",
    "invalid",
)
TURN_END_STATUSES: Final = ("ok", "error", "cancelled")
TURN_DELIVERY_STATES: Final = ("accepted", "retrying", "delivered", "failed")
"""Unlisted."""

BIND_UPDATE_STATES: Final = (
    "none",
    "pending",
    "confirmed",
    "denied",
    "expired",
    "failed",
    "revoked",
)
BIND_FAIL_REASON_NOT_INSTALLED: Final = "not-installed"
"""Unlisted."""
BIND_FAIL_REASON_SUPERSEDED: Final = "superseded"
"""Unlisted."""

QUERY_KINDS: Final = ("workspaces", "models", "sessions")
MAX_INTERACTION_BUTTONS: Final = 24

SUPPORTED_IMAGE_MIME_TYPES: Final = ("image/png", "image/jpeg", "image/gif", "image/webp")

PROVIDER_BEHAVIOR_PROVIDERS: Final = ("telegram",)
TELEGRAM_EMOJI_REACTIONS: Final = ("off", "minimal", "expressive")
TELEGRAM_REPLY_QUOTE_DM: Final = ("off", "first")
TELEGRAM_REPLY_QUOTE_GROUP: Final = ("off", "first", "all")
TELEGRAM_GROUP_ACTIVATION_ALWAYS: Final = "always"
DEFAULT_TELEGRAM_BEHAVIOR: Final[Mapping[str, str]] = MappingProxyType(
    {"emojiReactions": "minimal", "replyQuoteDm": "off", "replyQuoteGroup": "first"}
)
"""What holds where nothing was set. Read-only."""

HOOK_FEATURE_SLACK_TOOLS: Final = "slack-tools"
HOOK_FEATURE_MULTI_TEAM: Final = "multi-team"
HOOK_FEATURE_PROVIDER_BIND: Final = "provider-bind-v1"
HOOK_FEATURE_PROVIDER_PREFS: Final = "provider-prefs-v1"
HOOK_FEATURE_PROVIDER_BEHAVIOR: Final = "provider-behavior-v1"
HOOK_FEATURE_SESSION_PICKER: Final = "session-picker-v1"
HOOK_FEATURE_PROVIDER_TELEGRAM: Final = "provider:telegram"
HOOK_FEATURE_PROVIDER_X: Final = "provider:x"
HOOK_FEATURE_LIFECYCLE_ANNOUNCEMENT: Final = "lifecycle-announcement-v1"
HOOK_FEATURE_TURN_REOPEN: Final = "turn-reopen-v1"
HOOK_FEATURE_TURN_DELIVERY: Final = "turn-delivery-v1"
HOOK_FEATURE_GROUP_RELAY: Final = "group-relay-v1"
HOOK_FEATURE_GROUP_RELAY_RECIPIENT: Final = "group-relay-recipient-v1"

REOPEN_REASON_USER_CONTINUED: Final = "user-continued"
"""The only reason for a reopen so far; the wire admits others."""

# Limits that the validator enforces and no export names.
MAX_ATTACHMENTS: Final = 16
MAX_SESSIONS: Final = 20
MAX_PROVIDER_ACTIONS: Final = 16
MAX_GROUP_TEXT_CHARS: Final = 8192
MAX_FILE_NAMES: Final = 20
MAX_FILE_NAME_CHARS: Final = 256
MAX_GROUP_ID_CHARS: Final = 32
MAX_TELEGRAM_ID: Final = 2**52 - 1
BUTTON_STYLES: Final = ("primary", "danger", "default")
