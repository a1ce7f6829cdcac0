"""Events: progress and listener updates of nodes, and what the relay tells by the way.

An event never ends a command. Its ``type`` says what else it holds; types that are
not declared here are a node's progress reports, and free in their fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from sim.protocols.relay.constants import (
    CANCEL_STATUSES,
    LISTENER_END_REASONS,
    MAX_UPDATE_TYPE_CHARS,
    NODE,
    RELAY,
    STREAM_END_REASONS,
)
from sim.protocols.relay.frames.envelope import (
    BOTH,
    FAMILIES_SECTION,
    LISTENER_SECTION,
    NODE_TO_CONTROLLER,
    OWNERSHIP_SECTION,
    RELAY_TO_CONTROLLER,
    ROUTING_SECTION,
    UPDATE_SECTION,
    RelayBody,
)
from sim.protocols.relay.predicates import TIMESTAMP
from sim.wire.absent import ABSENT, Absent
from sim.wire.declare import message, record, wire
from sim.wire.generate import validator
from sim.wire.linkage import Fault, JsonObject, Linkage, Wire, among
from sim.wire.schema import object_schema
from sim.wire.spec import ANY_TEXT, SOME_TEXT, Anything, Choice, Number, Text

_EPOCH_MS = Number(min=0, safe=True, integer=True)
_LEASE_MS = Number(min=1, safe=True, integer=True)
_LEASE_EXAMPLE: Final[JsonObject] = {
    "targetNodeId": "node_alpha",
    "tabSessionId": "tab_1",
    "lockOwnerControllerId": "ctl_1",
    "lockLeaseMs": 30000,
    "lockExpiresAt": 1760000030000,
}


class EventBody(RelayBody):
    """The payload of an event of one declared type."""

    __slots__ = ()

    @classmethod
    def family(cls) -> str:
        """All of them are events."""
        return "event"


@message(
    "routed",
    direction=RELAY_TO_CONTROLLER,
    section=ROUTING_SECTION,
    example={"type": "routed", "targetNodeId": "node_alpha", "tabSessionId": "tab_1"},
    senders=(RELAY,),
)
class Routed(EventBody):
    """The command was sent to the node."""

    type: str = wire(Choice(("routed",)), default="routed")
    target_node_id: str = wire(SOME_TEXT)
    tab_session_id: str | Absent = wire(SOME_TEXT, default=ABSENT)


@message(
    "queued",
    direction=RELAY_TO_CONTROLLER,
    section=ROUTING_SECTION,
    example={
        "type": "queued",
        "targetNodeId": "node_alpha",
        "tabSessionId": "tab_1",
        "queueDepth": 1,
    },
    senders=(RELAY,),
)
class Queued(EventBody):
    """The command waits for its tab; ``queue_depth`` is its place, from 1."""

    type: str = wire(Choice(("queued",)), default="queued")
    target_node_id: str = wire(SOME_TEXT)
    tab_session_id: str = wire(SOME_TEXT)
    queue_depth: int = wire(Number(min=1, safe=True, integer=True))


@record()
class LockEvent(EventBody):
    """The lease of whoever holds, or held, the tab.

    ``lock_owner_controller_id`` is the identity that auth_ack announced,
    ``lock_lease_ms`` the lease as it was granted.
    """

    target_node_id: str = wire(SOME_TEXT)
    tab_session_id: str = wire(SOME_TEXT)
    lock_owner_controller_id: str = wire(SOME_TEXT)
    lock_lease_ms: int = wire(_LEASE_MS)
    lock_expires_at: int = wire(_EPOCH_MS)


@message(
    "lock_acquired",
    direction=RELAY_TO_CONTROLLER,
    section=OWNERSHIP_SECTION,
    example={"type": "lock_acquired", **_LEASE_EXAMPLE},
    senders=(RELAY,),
)
class LockAcquired(LockEvent):
    """The tab is the controller's until the lease ends."""

    type: str = wire(Choice(("lock_acquired",)), default="lock_acquired")


@message(
    "lock_renewed",
    direction=RELAY_TO_CONTROLLER,
    section=OWNERSHIP_SECTION,
    example={"type": "lock_renewed", **_LEASE_EXAMPLE},
    senders=(RELAY,),
)
class LockRenewed(LockEvent):
    """The holder has a new lease, counted from now."""

    type: str = wire(Choice(("lock_renewed",)), default="lock_renewed")


@message(
    "lock_conflict",
    direction=RELAY_TO_CONTROLLER,
    section=OWNERSHIP_SECTION,
    example={"type": "lock_conflict", **_LEASE_EXAMPLE},
    senders=(RELAY,),
)
class LockConflict(LockEvent):
    """Somebody else holds the tab; follows the error that says so."""

    type: str = wire(Choice(("lock_conflict",)), default="lock_conflict")


@message(
    "lock_released",
    direction=RELAY_TO_CONTROLLER,
    section=OWNERSHIP_SECTION,
    example={"type": "lock_released", **_LEASE_EXAMPLE},
    senders=(RELAY,),
)
class LockReleased(LockEvent):
    """The holder has given the tab back."""

    type: str = wire(Choice(("lock_released",)), default="lock_released")


@message(
    "lock_expired",
    direction=RELAY_TO_CONTROLLER,
    section=OWNERSHIP_SECTION,
    example={"type": "lock_expired", **_LEASE_EXAMPLE},
    senders=(RELAY,),
)
class LockExpired(LockEvent):
    """The lease has ended by itself; under the requestId of the last tab_lock."""

    type: str = wire(Choice(("lock_expired",)), default="lock_expired")


@message(
    "cancel_ack",
    direction=RELAY_TO_CONTROLLER,
    section=FAMILIES_SECTION,
    example={"type": "cancel_ack", "targetRequestId": "run-1", "status": "cancelled"},
    senders=(RELAY,),
)
class CancelAck(EventBody):
    """What became of a command_cancel: done here, or passed on to the node."""

    type: str = wire(Choice(("cancel_ack",)), default="cancel_ack")
    target_request_id: str = wire(SOME_TEXT)
    status: str = wire(Choice(CANCEL_STATUSES))


@message(
    "duplicate_ignored",
    direction=RELAY_TO_CONTROLLER,
    section=ROUTING_SECTION,
    example={"type": "duplicate_ignored"},
    senders=(RELAY,),
)
class DuplicateIgnored(EventBody):
    """The same command runs already; its one terminal frame answers both."""

    type: str = wire(Choice(("duplicate_ignored",)), default="duplicate_ignored")


@message(
    "listener_update",
    direction=NODE_TO_CONTROLLER,
    section=UPDATE_SECTION,
    example={
        "type": "listener_update",
        "updateType": "network.response",
        "emittedAt": "2026-11-30T02:52:20.000Z",
        "data": {"url": "https://example.com/api", "status": 200},
    },
    senders=(NODE, RELAY),
)
class ListenerUpdate(EventBody):
    """What a listener saw; under the requestId of its listener.subscribe.

    ``data`` is raw transport data, or an object of one of the shared kinds.
    """

    type: str = wire(Choice(("listener_update",)), default="listener_update")
    data: Any = wire(Anything(), default=ABSENT)
    update_type: str | Absent = wire(Text(min=1, max=MAX_UPDATE_TYPE_CHARS), default=ABSENT)
    emitted_at: str | Absent = wire(Text(where=TIMESTAMP), default=ABSENT)


@message(
    "listener_ended",
    direction=RELAY_TO_CONTROLLER,
    section=LISTENER_SECTION,
    example={"type": "listener_ended", "reason": "node_disconnected"},
    senders=(RELAY,),
)
class ListenerEnded(EventBody):
    """The subscription of this requestId is over, though nobody asked for its end."""

    type: str = wire(Choice(("listener_ended",)), default="listener_ended")
    reason: str = wire(Choice(LISTENER_END_REASONS))


@message(
    "stream_ended",
    direction=RELAY_TO_CONTROLLER,
    section=ROUTING_SECTION,
    example={"type": "stream_ended", "reason": "cancelled"},
    senders=(RELAY,),
)
class StreamEnded(EventBody):
    """The stream of the command.test with this requestId is over; told once."""

    type: str = wire(Choice(("stream_ended",)), default="stream_ended")
    reason: str = wire(Choice(STREAM_END_REASONS))


@message(
    "cancellation_rejected",
    direction=NODE_TO_CONTROLLER,
    section=FAMILIES_SECTION,
    example={
        "type": "cancellation_rejected",
        "targetRequestId": "run-1",
        "reason": "the page is being written",
    },
    senders=(NODE,),
)
class CancellationRejected(EventBody):
    """The node goes on with a command that was to be cancelled."""

    type: str = wire(Choice(("cancellation_rejected",)), default="cancellation_rejected")
    target_request_id: str = wire(SOME_TEXT)
    reason: str | Absent = wire(ANY_TEXT, default=ABSENT)


_KINDS: Final[tuple[type[EventBody], ...]] = (
    Routed,
    Queued,
    LockAcquired,
    LockRenewed,
    LockConflict,
    LockReleased,
    LockExpired,
    CancelAck,
    DuplicateIgnored,
    ListenerUpdate,
    ListenerEnded,
    StreamEnded,
    CancellationRejected,
)

EVENTS: Final[Mapping[str, type[EventBody]]] = MappingProxyType({c.TYPE: c for c in _KINDS})
"""Declared event types to their bodies."""


def _kind_fault(payload: Wire) -> Fault | None:
    declared = EVENTS.get(payload["type"])
    return None if declared is None else validator(declared, lenient=True)(payload)


_KIND_IS_KEPT: Final = Linkage(
    "fields_of_the_type",
    "An event of a declared type (hooktwin explain routed …) holds the fields of that type.",
    _kind_fault,
    {
        "allOf": [
            {"if": among("type", [name]), "then": object_schema(cls)}
            for name, cls in EVENTS.items()
        ]
    },
)


@message(
    "event",
    direction=BOTH,
    section=FAMILIES_SECTION,
    example={"type": "progress", "percent": 40},
    rules=(_KIND_IS_KEPT,),
    senders=(NODE, RELAY),
)
class Event(RelayBody):
    """Progress of a command, an update of a listener, or a note of the relay."""

    type: str = wire(SOME_TEXT)
