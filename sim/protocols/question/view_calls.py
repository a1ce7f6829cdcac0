"""Calls over HTTP and updates of Telegram, as the view of a question run keeps them.

Times are in microseconds since the start of the run; -1: not yet.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import attrs

from sim.core.http import HttpRequest, HttpResponse, Unreached
from sim.core.op import NO_ANSWER
from sim.protocols.question.constants import CUSTOM_PREFIX, OPTION_PREFIX
from sim.protocols.question.texts import FAILED

if TYPE_CHECKING:
    from sim.protocols.question.view_records import Attempt, ExpiryView

LIST: Final = "list"
REPLY: Final = "reply"
REJECT: Final = "reject"
OTHER: Final = "other"

OPTION: Final = "option"
CUSTOM: Final = "custom"
TEXT: Final = "text"
BAD: Final = "bad"


@attrs.define(eq=False)
class CallView:
    """One request over HTTP. ``what`` is a method of the Bot API, or one of ``list``,
    ``reply``, ``reject``, ``other`` of OpenCode's; ``id`` the requestID in its path.

    ``reply`` is what the callee said, ``answer`` what the caller got: a response,
    ``Unreached`` or NO_ANSWER. ``attempt`` or ``expiry`` is what it belongs to, as far as
    that is known.
    """

    n: int
    at: int
    caller: str
    callee: str
    what: str
    request: HttpRequest
    id: str = ""
    applied_at: int = -1
    reply: Any = None
    ended_at: int = -1
    answer: Any = None
    attempt: Attempt | None = None
    expiry: ExpiryView | None = None

    @property
    def is_open(self) -> bool:
        """Whether its caller still waits."""
        return self.ended_at < 0

    @property
    def body(self) -> Mapping[str, Any]:
        """The decoded body, empty where it is no object."""
        return self.request.body if isinstance(self.request.body, Mapping) else {}

    @property
    def says_failed(self) -> bool:
        """Whether it tells somebody, in the document's words, that an answer did not get
        through."""
        return str(self.body.get("text", "")).startswith(FAILED)

    @property
    def succeeded(self) -> bool:
        """Whether the caller got a 2xx, and of Telegram ``ok``."""
        answer = self.answer
        if not isinstance(answer, HttpResponse) or not answer.is_ok:
            return False
        body = answer.body
        return not (isinstance(body, Mapping) and body.get("ok") is False)

    @property
    def was_refused(self) -> bool:
        """Whether it failed, and certainly had no effect."""
        if isinstance(self.answer, Unreached):
            return self.answer.is_unapplied
        return isinstance(self.answer, HttpResponse) and not self.succeeded

    @property
    def is_unknown(self) -> bool:
        """Whether nobody can tell if it was applied."""
        lost = isinstance(self.answer, Unreached) and not self.answer.is_unapplied
        return self.ended_at >= 0 and (self.answer is NO_ANSWER or lost)

    @property
    def items(self) -> list[Mapping[str, Any]]:
        """The questions that an answered list has; empty where it has none."""
        return items_of(self.answer) if self.what == LIST and self.succeeded else []

    @property
    def result(self) -> Any:
        """What Telegram gave back, None for nothing."""
        return result_of(self.answer)


def items_of(answer: Any) -> list[Mapping[str, Any]]:
    """The items of a response to GET /question."""
    body = answer.body if isinstance(answer, HttpResponse) else None
    return [one for one in body if isinstance(one, Mapping)] if isinstance(body, list) else []


def result_of(answer: Any) -> Any:
    """The ``result`` of a response of the Bot API, None without one."""
    body = answer.body if isinstance(answer, HttpResponse) else None
    is_good = isinstance(body, Mapping) and body.get("ok") is True
    return body.get("result") if is_good and isinstance(body, Mapping) else None


def call_id_of(item: Mapping[str, Any]) -> str:
    """The callID of a listed question; "" where it has none."""
    tool = item.get("tool")
    found = tool.get("callID") if isinstance(tool, Mapping) else None
    return found if isinstance(found, str) else ""


@attrs.define(eq=False)
class UpdateView:
    """A press or a text as a listener got it.

    ``kind``: ``option``, ``custom``, ``text`` or ``bad`` (data that nobody can read).
    ``query`` answers a press, ``message`` is the pressed or the written one, 0 for none;
    ``reply_to`` what a text answers: None without a relation, 0 for what is out of reach.
    """

    id: int
    kind: str
    chat: str
    user: int
    is_bot: bool
    query: str = ""
    data: str = ""
    text: str = ""
    message: int = 0
    reply_to: int | None = None

    @property
    def unique_id(self) -> str:
        """The entry that a press names."""
        return self.data.split(":")[1] if self.kind in (OPTION, CUSTOM) else ""

    @property
    def index(self) -> int:
        """Which option, -1 for none."""
        return int(self.data.split(":")[2]) if self.kind == OPTION else -1

    @property
    def is_press(self) -> bool:
        """Whether somebody has pressed a button."""
        return bool(self.query)


def update_of(raw: Any) -> UpdateView | None:
    """An update as the Bot API writes it; None for one that is neither press nor text."""
    if not isinstance(raw, Mapping) or type(raw.get("update_id")) is not int:
        return None
    id, press, said = raw["update_id"], raw.get("callback_query"), raw.get("message")
    if isinstance(press, Mapping):
        message = press.get("message")
        about: Mapping[str, Any] = message if isinstance(message, Mapping) else {}
        data = str(press.get("data", ""))
        return UpdateView(
            id, _kind_of(data), _chat_of(about), *_sender_of(press),
            query=str(press.get("id", "")), data=data, message=_number(about),
        )  # fmt: skip
    if not isinstance(said, Mapping) or not isinstance(said.get("text"), str):
        return None
    quoted = said.get("reply_to_message")
    return UpdateView(
        id, TEXT, _chat_of(said), *_sender_of(said), text=said["text"], message=_number(said),
        reply_to=_number(quoted) if isinstance(quoted, Mapping) else None,
    )  # fmt: skip


def _kind_of(data: str) -> str:
    parts = data.split(":")
    if data.startswith(OPTION_PREFIX) and len(parts) == 3 and parts[1] and parts[2].isdecimal():
        return OPTION
    if data.startswith(CUSTOM_PREFIX) and len(parts) == 2 and parts[1]:
        return CUSTOM
    return BAD


def _chat_of(message: Mapping[str, Any]) -> str:
    chat = message.get("chat")
    return str(chat.get("id", "")) if isinstance(chat, Mapping) else ""


def _sender_of(raw: Mapping[str, Any]) -> tuple[int, bool]:
    sender = raw.get("from")
    found: Mapping[str, Any] = sender if isinstance(sender, Mapping) else {}
    id = found.get("id")
    return (id if type(id) is int else 0), found.get("is_bot") is True


def _number(message: Mapping[str, Any]) -> int:
    found = message.get("message_id")
    return found if type(found) is int else 0


def value_in(call: CallView) -> str | None:
    """The one value of a reply; None where its body has another form."""
    rows = call.body.get("answers")
    row = rows[0] if isinstance(rows, list) and len(rows) == 1 else None
    value = row[0] if isinstance(row, list) and len(row) == 1 else None
    return value if isinstance(value, str) else None
