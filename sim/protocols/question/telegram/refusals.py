"""What the Bot API says instead of a result, in its own words.

A method raises :class:`Refusal`; the actor answers it as an HTTP status with
``{"ok": false, "error_code": …, "description": …}`` (and ``retry_after`` with 429).
"""

from __future__ import annotations

from typing import Any, Final

from sim.channel.api import ChannelFault
from sim.channel.faults import REFUSALS, RETRY_AFTER_US
from sim.core.http import HttpResponse

QUERY_TOO_OLD: Final = (
    "Bad Request: query is too old and response timeout expired or query ID is invalid"
)
NOT_MODIFIED: Final = (
    "Bad Request: message is not modified: specified new message content and reply markup "
    "are exactly the same as a current content and reply markup of the message"
)
EDIT_NOT_FOUND: Final = "Bad Request: message to edit not found"
EDIT_FORBIDDEN: Final = "Bad Request: message can't be edited"
DELETE_NOT_FOUND: Final = "Bad Request: message to delete not found"
DELETE_FORBIDDEN: Final = "Bad Request: message can't be deleted"
REPLY_NOT_FOUND: Final = "Bad Request: message to be replied not found"
CHAT_NOT_FOUND: Final = "Bad Request: chat not found"
TEXT_EMPTY: Final = "Bad Request: message text is empty"
TEXT_TOO_LONG: Final = "Bad Request: message is too long"
TOAST_TOO_LONG: Final = "Bad Request: MESSAGE_TOO_LONG"
DATA_INVALID: Final = "Bad Request: BUTTON_DATA_INVALID"
CONFLICT: Final = (
    "Conflict: terminated by other getUpdates request; make sure that only one bot instance "
    "is running"
)
UNAUTHORIZED: Final = "Unauthorized"
NOT_FOUND: Final = "Not Found"

_OF_CODE: Final = {
    "server_error": (500, "Internal Server Error"),
    "unavailable": (502, "Bad Gateway"),
    "message_not_found": (400, EDIT_NOT_FOUND),
    "edit_refused": (400, EDIT_FORBIDDEN),
    "duplicate": (400, NOT_MODIFIED),
    "quota_exceeded": (403, "Forbidden: bot was kicked from the group chat"),
}


class Refusal(Exception):
    """A method refuses: HTTP status (also ``error_code``), description, and with 429 the
    seconds to wait."""

    def __init__(self, status: int, description: str, retry_after_s: int = 0) -> None:
        super().__init__(f"{status} {description}")
        self.status = status
        self.description = description
        self.retry_after_s = retry_after_s

    def response(self) -> HttpResponse:
        """As it goes out."""
        body: dict[str, Any] = {
            "ok": False,
            "error_code": self.status,
            "description": self.description,
        }
        if self.retry_after_s:
            body["parameters"] = {"retry_after": self.retry_after_s}
        return HttpResponse(self.status, body)


def bad(description: str) -> Refusal:
    """400 with these words."""
    return Refusal(400, description)


def too_fast(wait_us: int) -> Refusal:
    """429; ``wait_us`` in whole seconds, one at least."""
    seconds = max(1, -(-wait_us // 1_000_000))
    return Refusal(429, f"Too Many Requests: retry after {seconds}", seconds)


def directed(fault: ChannelFault, op: str) -> Refusal:
    """What a scenario has told the channel to answer; a press that cannot be answered is
    too old, whatever the scenario calls it."""
    code = REFUSALS[fault.outcome]
    if code == "rate_limited":
        return too_fast(fault.for_us or RETRY_AFTER_US)
    status, description = _OF_CODE[code]
    if op == "answer" and status == 400:
        description = QUERY_TOO_OLD
    return Refusal(status, description)
