"""The entrance for frames: text or decoded object in, verdict out; never raises."""

from __future__ import annotations

from typing import Any

from sim.protocols.bell.constants import TYPE_KEY
from sim.protocols.bell.frames import shape_of

from sim.wire.decode import NotJson, decode_json
from sim.wire.generate import validator
from sim.wire.message import Message
from sim.wire.result import Accepted, ParseResult, Refused


def parse_bell_message(raw: object) -> ParseResult:
    """Judge a frame."""
    if isinstance(raw, str):
        try:
            raw = decode_json(raw)
        except NotJson as fault:
            return Refused(f"frame is not valid JSON: {fault}", None)
    frame: Any = raw
    if not isinstance(frame, dict):
        return Refused.at("envelope", "must be an object")
    cls = shape_of(frame)
    if cls is None:
        return Refused("type is not known", None)
    payload = frame.get("payload")
    if not isinstance(payload, dict):
        return Refused.at("envelope.payload", "must be an object")
    found = validator(cls, False)(payload)
    if found is not None:
        return Refused.at(cls.TYPE + found[0], found[1])
    id, ts = str(frame.get("id")), frame.get("ts", 0)
    return Accepted(Message(frame[TYPE_KEY], id, ts, cls.from_wire(payload), frame))
