"""What mutants of the relay protocol ask of an op: which frame it writes, and whose it is."""

from __future__ import annotations

from typing import Any

from sim.core.op import Send
from sim.protocols.mutant import sends
from sim.protocols.relay.constants import RELAY
from sim.protocols.relay.frames import shape_of
from sim.wire.message import Message


def kind_of(op: Any) -> str:
    """The family of the frame that an op writes; "" for other ops."""
    return str(op.frame.type) if type(op) is Send else ""


def payload_of(op: Any) -> dict[str, Any]:
    """The payload of the frame that an op writes; empty for other ops and for bad texts."""
    if type(op) is not Send or not isinstance(op.frame, Message):
        return {}
    payload = op.frame.wire.get("payload")
    return payload if isinstance(payload, dict) else {}


def says(op: Any, event: str) -> bool:
    """Whether an op writes an event of this type."""
    return sends(op, "event") and payload_of(op).get("type") == event


def code_of(op: Any) -> str:
    """The code of the error that an op writes, if it does."""
    return str(payload_of(op).get("code", "")) if sends(op, "error") else ""


def action_of(op: Any) -> str:
    """The action of the command that an op writes, if it does."""
    return str(payload_of(op).get("action", "")) if sends(op, "command") else ""


def own(op: Any) -> bool:
    """Whether an op writes a command of the relay's own."""
    return sends(op, "command") and op.frame.wire.get("senderRole") == RELAY


def changed(op: Send, **payload: Any) -> Send:
    """The same frame with other fields in its payload; None takes a field away.

    A text that is no frame stays as it is.
    """
    frame = op.frame
    if not isinstance(frame, Message):
        return op
    fields = {**frame.wire["payload"], **payload}
    fields = {name: value for name, value in fields.items() if value is not None}
    wire = {**frame.wire, "payload": fields}
    made = Message(frame.type, frame.id, frame.ts, None, wire, shape_of(wire), frame.sender)
    return Send(op.conn, made)
