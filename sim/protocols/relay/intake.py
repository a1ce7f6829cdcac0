"""The one entrance and the one exit for frames of the relay protocol's twins."""

from __future__ import annotations

from typing import Any

from sim.core.actor import Port
from sim.core.op import Frame, OpaqueFrame
from sim.protocols.relay.frames.envelope import RelayBody
from sim.protocols.relay.parse import OpenResult, open_relay_frame
from sim.wire.message import Message


def opened(frame: Frame) -> OpenResult:
    """The envelope of a frame as it arrived, or why it cannot be read. Never raises."""
    if isinstance(frame, OpaqueFrame):
        return open_relay_frame(frame.text)
    return open_relay_frame(object_of(frame))


def object_of(frame: Frame) -> Any:
    """The decoded object of a frame, None where it has no JSON form."""
    try:
        return frame.wire
    except Exception:  # a puppet's frame may hold anything
        return None


def made(port: Port, body: RelayBody, sender: str, request_id: str = "") -> Message:
    """A frame of this host around a body; with a fresh requestId where it answers nothing."""
    id = request_id or port.new_frame_id()
    return Message(body.family(), id, port.now_ms(), body, sender=sender)
