"""The one entrance for messages: text or decoded object in, verdict out.

Order of checks, the first failure being the only one reported: JSON, the envelope, the
content. Nothing that a peer or a caller passes in makes this module raise.
"""

from __future__ import annotations

from typing import Any, Final

from sim.protocols.question import says
from sim.protocols.question.envelope import TYPE_KEY, Envelope
from sim.protocols.question.messages import MESSAGES
from sim.wire.encode import encode_json
from sim.wire.entrance import MISSING, Entrance, shown
from sim.wire.exact import plain_object
from sim.wire.generate import validator
from sim.wire.linkage import JsonObject
from sim.wire.message import Message
from sim.wire.result import Accepted, ParseResult, Refused


def parse_question_message(raw: object) -> ParseResult:
    """Judge a message: a text as written down, or a decoded object.

    A request as a trace has it (``{"is": "http", …}``) is judged by what it says. The
    result has ``ok``, ``message``, ``error`` and ``path``. The message keeps the object
    as it came, unknown keys and all. Never raises.
    """
    return _ENTRANCE.admit(raw)


def content_fault(name: str, content: JsonObject) -> tuple[str, str] | None:
    """Path and text of the first fault of what is said under a name; None where it is good.

    The path begins with the name. Raises KeyError for a name that is not declared.
    """
    fault = validator(MESSAGES[name], lenient=True)(content)
    return None if fault is None else (name + fault[0], fault[1])


def serialize_question_message(message: Message | JsonObject) -> str:
    """The text of a message or of a decoded object, as JavaScript would write it.

    Nothing is checked. Raises TypeError or ValueError for what JSON cannot hold.
    """
    return encode_json(message.wire if isinstance(message, Message) else message)


def _judge(frame: Any, original: Any, lenient: bool) -> ParseResult:
    if type(frame) is not dict:
        return Refused.at("message", "must be an object")
    name = frame.get(TYPE_KEY, MISSING)
    if type(name) is str and name in MESSAGES:
        return _judge_message(name, frame, original, lenient)
    said, content = says.told(frame)
    if said not in MESSAGES:
        return Refused.at(TYPE_KEY, f"must be a known name, not {shown(name)}")
    fault = content_fault(said, dict(content))
    if fault is not None:
        return Refused.at(*fault)
    return Accepted(Message.of_wire(MESSAGES[said], original, "", 0))


def _judge_message(name: str, frame: JsonObject, original: Any, lenient: bool) -> ParseResult:
    cls = MESSAGES[name]
    fault = validator(Envelope, lenient)(frame)
    if fault is not None:
        return Refused.at(f"message{fault[0]}", fault[1])
    content = plain_object(frame["content"]) if lenient else frame["content"]
    fault = validator(cls, lenient)(content)
    if fault is not None:
        return Refused.at(f"{name}{fault[0]}", fault[1])
    return Accepted(Message.of_wire(cls, original, frame["id"], frame["at"]))


def _not_json(reason: str) -> Refused:
    return Refused(f"message is not valid JSON: {reason}", None)


def _unreadable(reason: str) -> Refused:
    return Refused(f"message cannot be read: {reason}", None)


_ENTRANCE: Final = Entrance[ParseResult](_judge, _not_json, _unreadable)
