"""The one entrance for frames: text or decoded object in, verdict out.

Order of checks, the first failure being the only one reported: JSON, the
envelope in the order of its declaration, the family's payload, and the rules
between both. A refusal has the code that answers it, and the requestId to answer
under. Nothing that a peer or a caller passes in makes this module raise.

A relay needs the steps apart, because it asks about roles, scopes and nonces in
between: :func:`open_relay_frame` takes the envelope, :func:`payload_fault` looks
into the payload.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final, Literal, TypeAlias, cast

import attrs

from sim.protocols.relay.codes import ERROR_CODES, INVALID_ENVELOPE, ErrorCode, code_of
from sim.protocols.relay.constants import UNKNOWN_REQUEST_ID
from sim.protocols.relay.frames import ACTIONS, EVENTS, MESSAGES, Envelope, RelayBody
from sim.protocols.relay.predicates import epoch_ms
from sim.wire.encode import encode_json
from sim.wire.entrance import Entrance
from sim.wire.exact import plain_object
from sim.wire.generate import validator
from sim.wire.linkage import JsonObject, Wire
from sim.wire.message import Message
from sim.wire.result import Accepted, ParseResult, Refused


class RelayRefused(Refused):
    """A refusal with the code that answers it and the requestId to answer under."""

    __slots__ = ("code", "request_id")

    def __init__(self, error: str, path: str | None, code: str, request_id: str) -> None:
        super().__init__(error, path)
        self.code = code
        self.request_id = request_id

    @property
    def told(self) -> ErrorCode:
        """Category of the code, and whether trying again may help."""
        return ERROR_CODES[self.code]

    def __repr__(self) -> str:
        return f"RelayRefused({self.error!r}, path={self.path!r}, code={self.code!r})"


@attrs.frozen
class Opened:
    """A frame whose envelope is good. ``ts`` is None where the timestamp is unreadable."""

    ok: ClassVar[Literal[True]] = True

    type: str
    request_id: str
    sender: str
    ts: int | None
    wire: JsonObject
    original: Any
    lenient: bool


OpenResult: TypeAlias = Opened | RelayRefused


def parse_relay_message(raw: object) -> ParseResult:
    """Judge a frame: a text frame as received, or a decoded object.

    The result has ``ok``, ``message``, ``error`` and ``path``, a refusal ``code`` and
    ``request_id`` too. The message keeps the object as it came, unknown keys and
    all. Never raises.
    """
    return _ENTRANCE.admit(raw)


def open_relay_frame(raw: object) -> OpenResult:
    """The envelope of a frame, judged but for the timestamp's readability. Never raises."""
    return _OPENING.admit(raw)


def payload_fault(opened: Opened) -> RelayRefused | None:
    """The first fault of an opened frame's payload, or of what payload and envelope say."""
    cls = MESSAGES[opened.type]
    fault = validator(cls, opened.lenient)(opened.wire["payload"])
    if fault is not None:
        return _refused(opened.type + fault[0], fault[1], opened.request_id)
    for rule in cls.AROUND:
        fault = rule.check(opened.wire)
        if fault is not None:
            return _refused(fault[0], fault[1], opened.request_id)
    return None


def action_fault(action: str, payload: Wire) -> tuple[str, str] | None:
    """Path and text of the first fault of a command's inner payload; None where it is good.

    The path begins with the action. Raises KeyError for an action that is not declared.
    """
    fault = validator(ACTIONS[action], lenient=True)(payload)
    return None if fault is None else (action + fault[0], fault[1])


def answer_fault(action: str, data: Wire) -> tuple[str, str] | None:
    """The same for the data of a good result."""
    answer = ACTIONS[action].ANSWER
    assert answer is not None
    fault = validator(answer, lenient=True)(data)
    return None if fault is None else (action + fault[0], fault[1])


def is_relay_message_type(value: object) -> bool:
    """Whether this is one of the 15 families, letter for letter."""
    return issubclass(type(value), str) and str.__str__(cast(str, value)) in MESSAGES


def to_wire(message: Message) -> JsonObject:
    """The decoded JSON object of a message, equal to what came in."""
    return message.wire


def serialize_relay_message(message: Message | JsonObject) -> str:
    """The text frame of a message or of a decoded object, as JavaScript would write it.

    Nothing is checked. Raises TypeError or ValueError for what JSON cannot hold:
    foreign types, and values that contain themselves.
    """
    return encode_json(message.wire if isinstance(message, Message) else message)


def _judge(frame: Any, original: Any, lenient: bool) -> ParseResult:
    """Check a decoded frame; the message is made around ``original``."""
    opened = _opened(frame, original, lenient)
    if isinstance(opened, RelayRefused):
        return opened
    if opened.ts is None:
        fault = validator(Envelope, lenient)(opened.wire)
        assert fault is not None
        return _refused(f"envelope{fault[0]}", fault[1], opened.request_id)
    refused = payload_fault(opened)
    if refused is not None:
        return refused
    kind, id, ts = opened.type, opened.request_id, opened.ts
    payload = opened.wire["payload"]
    cls: type[RelayBody] = MESSAGES[kind]
    if kind == "event":
        cls = EVENTS.get(payload["type"], cls)
    if not lenient:
        return Accepted(Message(kind, id, ts, None, frame, cls, opened.sender))
    return Accepted(Message(kind, id, ts, cls.from_wire(payload), original, None, opened.sender))


def _opened(frame: Any, original: Any, lenient: bool) -> OpenResult:
    if type(frame) is not dict:
        return _refused("envelope", "must be an object", UNKNOWN_REQUEST_ID)
    fault = validator(Envelope, lenient)(frame)
    ts = None
    if fault is None:
        ts = epoch_ms(frame["timestamp"])
    elif fault[0] != ".timestamp":
        id = frame.get("requestId")
        known = id if type(id) is str and id else UNKNOWN_REQUEST_ID
        return _refused(f"envelope{fault[0]}", fault[1], known)
    if lenient:
        frame = {**frame, "payload": plain_object(frame["payload"])}
    type_name, id, sender = frame["messageType"], frame["requestId"], frame["senderRole"]
    return Opened(type_name, id, sender, ts, frame, original, lenient)


def _refused(path: str, text: str, request_id: str) -> RelayRefused:
    return RelayRefused(f"{path} {text}", path, code_of(path, text), request_id)


def _not_json(reason: str) -> RelayRefused:
    error = f"frame is not valid JSON: {reason}"
    return RelayRefused(error, None, "invalid_json", UNKNOWN_REQUEST_ID)


def _unreadable(reason: str) -> RelayRefused:
    error = f"envelope cannot be read: {reason}"
    return RelayRefused(error, "envelope", INVALID_ENVELOPE, UNKNOWN_REQUEST_ID)


_ENTRANCE: Final = Entrance[ParseResult](_judge, _not_json, _unreadable)
_OPENING: Final = Entrance[OpenResult](_opened, _not_json, _unreadable)
