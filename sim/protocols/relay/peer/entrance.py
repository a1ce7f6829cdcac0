"""Frames on their way in and out of a peer."""

from __future__ import annotations

from sim.core.op import Frame, OpaqueFrame
from sim.protocols.relay.intake import object_of, opened
from sim.protocols.relay.parse import RelayRefused, parse_relay_message
from sim.wire.encode import encode_json
from sim.wire.linkage import JsonObject
from sim.wire.message import Message
from sim.wire.result import ParseResult, Refused


def checked(frame: Frame) -> Message | RelayRefused:
    """A frame that may be acted on, or why it may not. Never raises.

    A twin's frame was made of a typed body and is valid by construction; what was made
    of JSON (a real peer's) or is a bare text is parsed.
    """
    if type(frame) is Message:
        if frame.is_typed:
            return frame
        if frame.verdict is None:
            frame.verdict = parse_relay_message(object_of(frame))
        return _told(frame.verdict)
    if isinstance(frame, OpaqueFrame):
        return _told(parse_relay_message(frame.text))
    return _told(parse_relay_message(object_of(frame)))


def _told(verdict: ParseResult) -> Message | RelayRefused:
    if verdict.ok:
        return verdict.message
    assert isinstance(verdict, RelayRefused)
    return verdict


def family_of(frame: Frame) -> str:
    """The message family of a frame that is good or bad, "" where it cannot be told."""
    found = opened(frame)
    return found.type if found.ok else ""


def as_written(raw: str | JsonObject) -> Frame:
    """The frame that this text or object makes on the wire, be it right or wrong."""
    verdict = parse_relay_message(raw)
    if verdict.ok:
        return verdict.message
    text = raw if isinstance(raw, str) else encode_json(raw)
    return _opaque(text, verdict)


def _opaque(text: str, refused: Refused) -> OpaqueFrame:
    return OpaqueFrame(text, refused.error or "refused", refused.path, "messageType")
