"""What the pending store keeps of a question (§5), typed; the file has it by uniqueId."""

from __future__ import annotations

from typing import Any, Final

from sim.protocols.question.constants import QUESTION
from sim.protocols.question.envelope import BOTH_TO_STORE, QuestionBody
from sim.wire.absent import ABSENT, Absent
from sim.wire.declare import Record, message, record, wire
from sim.wire.generate import validator
from sim.wire.linkage import Fault, JsonObject, Wire, linkage
from sim.wire.spec import (
    ANY_TEXT,
    COUNT,
    SOME_TEXT,
    Anything,
    Choice,
    Flag,
    ListOf,
    Nested,
    Number,
)

IDENTITY: Final = Number(integer=True, safe=True)
"""Chats and users: groups have negative numbers."""


@record()
class EntryOption(Record):
    """One button: what it shows, and what it answers (§5.4)."""

    label: str = wire(ANY_TEXT)
    value: str | Absent = wire(ANY_TEXT, default=ABSENT)

    @property
    def answer(self) -> str:
        """The value, the label where there is none (QT-09)."""
        return self.label if isinstance(self.value, Absent) else self.value


@linkage({"properties": {"chatId": {"type": ["integer", "string"]}}})
def chat_is_named(entry: Wire) -> Fault | None:
    """chatId, where it is there, is a number or a text."""
    chat = entry.get("chatId", "")
    known = type(chat) is int or type(chat) is str
    known = known or (type(chat) is float and chat.is_integer())
    return None if known else (".chatId", "must be a number or a text")


@message(
    "pending",
    direction=BOTH_TO_STORE,
    section="5",
    example={
        "type": QUESTION,
        "sid": "ses_1",
        "callID": "call_A",
        "directory": "/proj",
        "options": [{"label": "A", "value": "A"}, {"label": "B", "value": "B"}],
        "timestamp": 1795977318638,
        "chatId": "-4200000001",
        "messageId": 101,
    },
    rules=(chat_is_named,),
)
class PendingQuestion(QuestionBody):
    """An entry of the store: where the answer to one question has to go.

    The hook writes the first six fields, then ``chat_id`` and ``message_id``. Times are
    Unix milliseconds. ``awaiting_since``: the last press on the custom button (DQ-01),
    ``awaiting_update`` its update: texts that were written before it are no answer, also
    where they come again after a crash.
    ``claimed_by``, ``claimed_at``: the handler that is at it (DQ-13). ``request_id`` is
    there from the match on (DQ-03).
    """

    type: str = wire(Choice((QUESTION,)))
    sid: str = wire(ANY_TEXT)
    call_id: str = wire(ANY_TEXT, name="callID")
    directory: str = wire(ANY_TEXT)
    options: tuple[EntryOption, ...] = wire(ListOf(Nested(EntryOption)))
    timestamp: int = wire(Number(integer=True, safe=True))
    chat_id: Any = wire(Anything(), default=ABSENT)
    message_id: int | Absent = wire(COUNT, default=ABSENT)
    awaiting_text: bool | Absent = wire(Flag(), default=ABSENT)
    custom_prompt_message_id: int | Absent | None = wire(COUNT, nullable=True, default=ABSENT)
    expected_user_id: int | Absent = wire(IDENTITY, default=ABSENT)
    awaiting_since: int | Absent = wire(IDENTITY, default=ABSENT)
    awaiting_update: int | Absent = wire(IDENTITY, default=ABSENT)
    request_id: str | Absent = wire(SOME_TEXT, name="requestID", default=ABSENT)
    claimed_by: str | Absent = wire(ANY_TEXT, default=ABSENT)
    claimed_at: int | Absent = wire(IDENTITY, default=ABSENT)

    def age_ms(self, now_ms: int) -> int:
        """How old it is on a clock; a negative age counts as 0 (DQ-25)."""
        return max(0, now_ms - self.timestamp)

    @property
    def chat(self) -> str:
        """The chat's number as a text, "" where it is not known yet."""
        return "" if self.chat_id is ABSENT else str(self.chat_id)


class Foreign:
    """An entry that is no question, or none that can be read: its ``type`` as text."""

    __slots__ = ("type",)

    def __init__(self, type: str) -> None:
        self.type = type

    def __repr__(self) -> str:
        return f"Foreign({self.type!r})"


Kept = PendingQuestion | Foreign

_WIRE_NAMES: Final = {field.attribute: field.name for field in PendingQuestion.FIELDS}


def kept(entry: Any) -> Kept:
    """The typed form of what stands under one uniqueId, whatever it is.

    A call or a directory that is not there is an empty one (§5: "" if absent).
    """
    if type(entry) is not dict:
        return Foreign("")
    entry = {"callID": "", "directory": "", **entry}
    if validator(PendingQuestion)(entry) is not None:
        return Foreign(str(entry.get("type", "")))
    return PendingQuestion.from_wire(entry)


def put_fields(entry: JsonObject, fields: dict[str, Any]) -> None:
    """Set fields of a decoded entry by their Python names; ``ABSENT`` removes one.

    What the entry has besides stays. Raises KeyError for a name that is no field.
    """
    for attribute, value in fields.items():
        name = _WIRE_NAMES[attribute]
        if value is ABSENT:
            entry.pop(name, None)
        else:
            entry[name] = value
