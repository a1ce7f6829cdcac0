"""The one entrance for frames (spec §8, §2): text or decoded object in, verdict out.

Order of checks, the first failure being the only one reported: length, JSON,
object, version, type, id, ts, payload, and then the type's own declaration.
Nothing that a peer or a caller passes in makes this module raise.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias, cast

from sim.protocols.hook.constants import HOOK_MAX_FRAME_CHARS, HOOK_PROTOCOL_VERSION
from sim.protocols.hook.frames import MESSAGES, HookBody
from sim.wire.decode import NOT_SIMPLE, NotJson, decode_json, decode_simple
from sim.wire.encode import encode_json
from sim.wire.entrance import MISSING, shown
from sim.wire.exact import exact
from sim.wire.generate import Check, validator
from sim.wire.javascript import SAFE_INTEGER, longer_than
from sim.wire.linkage import JsonObject
from sim.wire.message import Message
from sim.wire.result import Accepted, ParseResult, Refused
from sim.wire.spec import Number

_TIME: Final = Number(finite=True)
_SURELY_SHORT: Final = HOOK_MAX_FRAME_CHARS // 2


_Entry: TypeAlias = tuple[type[HookBody], Check]


class _Checks(dict[str, _Entry]):
    """Body class and validator by message type; validators are made at first use."""

    def __init__(self, *, lenient: bool) -> None:
        super().__init__()
        self.lenient = lenient

    def find(self, kind: object) -> _Entry | None:
        """The entry for the value of a frame's ``type``, whatever that is."""
        if type(kind) is not str or kind not in MESSAGES:
            return None
        cls = MESSAGES[kind]
        entry = self[kind] = (cls, validator(cls, self.lenient))
        return entry


_STRICT: Final = _Checks(lenient=False)
_LENIENT: Final = _Checks(lenient=True)


def parse_hook_message(raw: object) -> ParseResult:
    """Judge a frame: a text frame as received, or a decoded object.

    The result has ``ok``, ``message``, ``error`` and ``path``. The message
    keeps the object as it came, unknown keys and all. Never raises.
    """
    if type(raw) is str:
        if len(raw) > _SURELY_SHORT:
            return _parse_text(raw)
        try:
            frame = decode_simple(raw)
        except NOT_SIMPLE:
            return _parse_text(raw)
        return _judge(frame, frame, _STRICT)
    if issubclass(type(raw), str):
        return _parse_text(str.__str__(cast(str, raw)))
    return _parse_object(raw)


def is_hook_message_type(value: object) -> bool:
    """Whether this is one of the 39 message types, letter for letter."""
    return issubclass(type(value), str) and str.__str__(cast(str, value)) in MESSAGES


def to_wire(message: Message) -> JsonObject:
    """The decoded JSON object of a message, equal to what came in."""
    return message.wire


def serialize_hook_message(message: Message | JsonObject) -> str:
    """The text frame of a message or of a decoded object, as JavaScript would write it.

    Nothing is checked, the length neither. Raises TypeError or ValueError for
    what JSON cannot hold: foreign types, and values that contain themselves.
    """
    return encode_json(message.wire if isinstance(message, Message) else message)


def _parse_text(text: str) -> ParseResult:
    if longer_than(text, HOOK_MAX_FRAME_CHARS):
        return Refused(f"frame is longer than {HOOK_MAX_FRAME_CHARS} UTF-16 units", None)
    try:
        frame = decode_json(text)
    except NotJson as fault:
        return Refused(f"frame is not valid JSON: {fault}", None)
    return _judge(frame, frame, _STRICT)


def _parse_object(raw: object) -> ParseResult:
    """Judge an object that this program holds, and that may be booby-trapped.

    A first look asks for plain types. Where it finds fault, a second one
    sees through subclasses, without running code of theirs.
    """
    if not issubclass(type(raw), dict):
        return _refuse_foreign(raw)
    try:
        verdict = _judge(raw, raw, _STRICT) if type(raw) is dict else None
        if verdict is not None and verdict.ok:
            return verdict
    except Exception:  # a key's __eq__ or __hash__, for instance
        pass
    try:
        return _judge(exact(raw), raw, _LENIENT)
    except Exception as fault:
        return Refused.at("envelope", f"cannot be read: {type(fault).__name__}")


def _refuse_foreign(raw: object) -> Refused:
    """Anything but a dict. Objects such as bytes are taken for objects without keys."""
    if raw is None or issubclass(type(raw), (int, float, list, tuple)) or callable(raw):
        return Refused.at("envelope", "must be an object")
    return _wrong_version(MISSING)


def _judge(frame: Any, original: Any, checks: _Checks) -> ParseResult:
    """Check a decoded frame; the message is made around ``original``."""
    if type(frame) is not dict:
        return Refused.at("envelope", "must be an object")
    version = frame.get("v", MISSING)
    is_number = type(version) is int or type(version) is float
    if not is_number or version != HOOK_PROTOCOL_VERSION:
        return _wrong_version(version)
    kind = frame.get("type", MISSING)
    entry = checks.get(kind) if type(kind) is str else None
    if entry is None:
        entry = checks.find(kind)
        if entry is None:
            return Refused(f"type {shown(kind)} is not known", None)
    id = frame.get("id")
    if type(id) is not str or not id:
        return Refused.at("envelope.id", "must be a non-empty string")
    ts: Any = frame.get("ts")
    if not (type(ts) is int and 0 <= ts <= SAFE_INTEGER) and _TIME.refuses(ts):
        return Refused.at("envelope.ts", "must be a finite number")
    payload = frame.get("payload")
    if checks.lenient:
        payload = exact(payload)
    if type(payload) is not dict:
        return Refused.at("envelope.payload", "must be an object")
    cls, check = entry
    fault = check(payload)
    if fault is not None:
        return Refused.at(kind + fault[0], fault[1])
    if frame is original:
        return Accepted(Message(kind, id, ts, None, frame, cls))
    return Accepted(Message(kind, id, ts, cls.from_wire(payload), original))


def _wrong_version(version: object) -> Refused:
    return Refused(f"version {shown(version)} is not {HOOK_PROTOCOL_VERSION}", None)
