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


def queued_text(position: int) -> str:
    """Position 0 is the first waiter (RC-41)."""
    return NEXT_TEXT if position == 0 else f"Queued: {position} ahead"


def rejected_text(reason: str) -> str:
    return f"Rejected: {REASONS.get(reason, reason)} ({reason})"


def cut(text: str, chars: int) -> str:
    """The head of a text that is too long for the channel."""
    return text if len(text) <= chars else text[: chars - 1] + CUT_MARK
