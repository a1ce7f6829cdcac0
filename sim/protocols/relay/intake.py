"""The one entrance and the one exit for frames of the relay protocol's twins."""

from __future__ import annotations

from typing import Any

from sim.core.actor import Port
from sim.core.op import Frame, OpaqueFrame
from sim.protocols.relay.constants import ROLES
from sim.protocols.relay.frames import MESSAGES, RelayBody
from sim.protocols.relay.parse import Opened, OpenResult, open_relay_frame
from sim.protocols.relay.predicates import LAST_TIMESTAMP_MS
from sim.wire.message import Message


def opened(frame: Frame) -> OpenResult:
    """The envelope of a frame as it arrived, or why it cannot be read. Never raises.

    A twin's frame was made of a typed body: its envelope is good by construction, and
    only what a relay looks at is written out. Its payload is judged like any other.
    """
    if isinstance(frame, OpaqueFrame):
        return open_relay_frame(frame.text)
    if type(frame) is Message and frame.is_typed:
        sender = frame.sender or frame.body.SENDERS[0]
        if frame.id and sender in ROLES and frame.type in MESSAGES:
            return _typed(frame, sender)
    return open_relay_frame(object_of(frame))


def _typed(frame: Message, sender: str) -> Opened:
    ts = min(max(int(frame.ts), 0), LAST_TIMESTAMP_MS)
    read = {
        "messageType": frame.type,
        "requestId": frame.id,
        "senderRole": sender,
        "payload": frame.body.to_wire(),
    }
    return Opened(frame.type, frame.id, sender, ts, read, frame, False)


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
