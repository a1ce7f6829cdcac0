"""What the server itself says in a channel."""

from __future__ import annotations

WORKING_TEXT = "Working on it…"
CONTINUING_TEXT = "Continued on the desktop…"
OFFLINE_TEXT = "Waiting for the desktop to come online…"
NEXT_TEXT = "Queued: next in line"
INTERRUPTED_TEXT = "Interrupted: the desktop did not come back"
ROUND_INTERRUPTED_TEXT = "Continuation interrupted"
CANCELLED_TEXT = "Cancelled"
CARD_OVER_TEXT = "Closed: the task has ended"
UNBOUND_TEXT = "No desktop is connected to you yet"
CUT_MARK = "…"

REASONS = {
    "unknown_workspace": "the desktop does not know this folder",
    "workspace_not_allowed": "the folder is not allowed",
    "session_not_found": "the session does not exist",
    "disabled": "the desktop is unavailable",
    "invalid": "the desktop could not take the task",
}

DELIVERY_TEXTS = {
    "rate_limited": "the channel asked for patience",
    "server_error": "the channel had a fault",
    "unavailable": "the channel cannot be reached",
    "outcome_unknown": "it is unknown whether the channel took the message",
    "message_not_found": "the message is gone",
    "chat_not_found": "the chat is gone",
    "too_long": "the text is too long for the channel",
    "edit_refused": "the channel does not let the message be changed",
    "quota_exceeded": "the bot may not post any more for now",
    "duplicate": "the channel has the same text already",
    "already_posted": "the one public answer is out already",
    "superseded": "the task was continued on the desktop",
    "channel_error": "the channel refused",
}
"""What a desktop is told about trouble, by code; nothing of it comes from a channel."""


def queued_text(position: int) -> str:
    """Position 0 is the first waiter (RC-41)."""
    return NEXT_TEXT if position == 0 else f"Queued: {position} ahead"


def rejected_text(reason: str) -> str:
    return f"Rejected: {REASONS.get(reason, reason)} ({reason})"


def cut(text: str, chars: int) -> str:
    """The head of a text that is too long for the channel."""
    return text if len(text) <= chars else text[: chars - 1] + CUT_MARK
