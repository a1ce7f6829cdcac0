"""Events of a trace file with their values as in the run: frames, acts, stored rows.

What is unknown (a newer trace, a puppet's nonsense) stays plain.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final

import msgspec

from sim.core import event as events
from sim.core.event import Event
from sim.core.op import OpaqueFrame
from sim.core.plain import as_struct, as_tagged
from sim.protocols.relay.acts import Act
from sim.protocols.relay.frames import MESSAGES
from sim.protocols.relay.node.keeping import BROWSER, LEDGER
from sim.protocols.relay.node.records import BrowserRow, LedgerRow
from sim.protocols.relay.parse import parse_relay_message
from sim.wire.message import Message


def typed(event: Event) -> Event:
    """The event as it was in the run; the same object where nothing is to be done."""
    convert = _CONVERTERS.get(type(event))
    return event if convert is None else convert(event)


def frame_of(wire: Any) -> Any:
    """A frame by its JSON, good or bad: a message, an opaque frame where it was no JSON."""
    if not isinstance(wire, dict):
        return wire
    if wire.get("type") == "(bad)" and isinstance(wire.get("text"), str):
        verdict = parse_relay_message(wire["text"])
        return OpaqueFrame(wire["text"], verdict.error or "refused", verdict.path, "messageType")
    verdict = parse_relay_message(wire)
    if verdict.message is not None:
        return verdict.message
    kind, id = str(wire.get("messageType")), str(wire.get("requestId"))
    return Message(kind, id, 0, None, wire, MESSAGES.get(kind), str(wire.get("senderRole")))


def act_of(plain: Any) -> Any:
    """An act by its JSON."""
    return as_tagged(plain, _classes())


def row_of(key: str, plain: Any) -> Any:
    """A node's stored row by its JSON; its key says what it is."""
    cls = BrowserRow if key == BROWSER else LedgerRow if key.startswith(LEDGER) else None
    return as_struct(plain, cls)


@cache
def _classes() -> dict[Any, type]:
    return {one.__struct_config__.tag: one for one in Act.__subclasses__()}


_CONVERTERS: Final[dict[type[Event], Callable[[Any], Event]]] = {
    events.FrameSent: lambda e: msgspec.structs.replace(e, frame=frame_of(e.frame)),
    events.Acted: lambda e: msgspec.structs.replace(e, act=act_of(e.act)),
    events.Saved: lambda e: msgspec.structs.replace(e, value=row_of(e.key, e.value)),
}
