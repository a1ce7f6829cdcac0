"""turn.delivery and stage 18, turn.reopen (spec §5): what follows the end of a turn."""

from __future__ import annotations

from sim.protocols.hook.constants import (
    HOOK_FEATURE_TURN_DELIVERY,
    HOOK_FEATURE_TURN_REOPEN,
    TURN_DELIVERY_STATES,
)
from sim.protocols.hook.frames.envelope import (
    BOTH,
    DESKTOP_TO_SERVER,
    SERVER_TO_DESKTOP,
    WELCOME,
    HookBody,
)
from sim.wire.declare import Gate, Record, message, record, wire
from sim.wire.linkage import Fault, Wire, among, linkage, set_exactly_when
from sim.wire.spec import (
    ANY_TEXT,
    COUNT,
    SOME_TEXT,
    TIMESTAMP_MS,
    Choice,
    Flag,
    Nested,
)


@record(unknown="refused last")
class DeliveryError(Record):
    """Why publishing failed, without anything the channel answered verbatim."""

    code: str = wire(SOME_TEXT)
    message: str = wire(SOME_TEXT)
    retryable: bool = wire(Flag())


@linkage(
    {
        "if": among("state", ["accepted"]),
        "then": {"properties": {"attempt": {"maximum": 0}}},
        "else": {"properties": {"attempt": {"minimum": 1}}},
    }
)
def attempt_counts_from_acceptance(payload: Wire) -> Fault | None:
    """attempt is 0 when state is accepted and at least 1 in every other state."""
    if (payload["state"] == "accepted") == (payload["attempt"] == 0):
        return None
    return ".attempt", "must be 0 when state is accepted and at least 1 otherwise"


@linkage(
    {
        "if": among("state", ["retrying", "failed"]),
        "else": {"properties": {"error": {"type": "null"}}},
    }
)
def error_belongs_to_trouble(payload: Wire) -> Fault | None:
    """error is null unless state is retrying or failed."""
    if payload["state"] in ("accepted", "delivered") and payload.get("error") is not None:
        return ".error", "must be null unless state is retrying or failed"
    return None


@linkage(
    {
        "allOf": [
            {
                "if": among("state", [state]),
                "then": {"properties": {"error": {"properties": {"retryable": {"const": value}}}}},
            }
            for state, value in (("retrying", True), ("failed", False))
        ]
    }
)
def retryable_means_retrying(payload: Wire) -> Fault | None:
    """error.retryable is true when state is retrying and false when it is failed."""
    error = payload["error"]
    if error is None or error["retryable"] is (payload["state"] == "retrying"):
        return None
    return ".error.retryable", "must be true when state is retrying and false when it is failed"


@message(
    "turn.delivery",
    direction=SERVER_TO_DESKTOP,
    section="§5.4",
    gate=Gate(HOOK_FEATURE_TURN_DELIVERY, BOTH),
    example={
        "requestId": "r-1",
        "state": "retrying",
        "attempt": 1,
        "retryAt": 1760000005000,
        "error": {"code": "rate_limited", "message": "try later", "retryable": True},
    },
)
class TurnDelivery(HookBody):
    """How far a turn.end has come on its way into the channel.

    ``accepted`` moves the responsibility for it to the server.
    """

    request_id: str = wire(SOME_TEXT)
    state: str = wire(Choice(TURN_DELIVERY_STATES))
    attempt: int = wire(COUNT, after=(attempt_counts_from_acceptance,))
    retry_at: int | None = wire(
        TIMESTAMP_MS, nullable=True, after=(set_exactly_when("retryAt", "state", ("retrying",)),)
    )
    error: DeliveryError | None = wire(
        Nested(DeliveryError),
        nullable=True,
        before=(error_belongs_to_trouble,),
        after=(
            set_exactly_when("error", "state", ("retrying", "failed")),
            retryable_means_retrying,
        ),
    )


@linkage()
def continuation_has_its_own_id(payload: Wire) -> Fault | None:
    """requestId and reopenOf differ."""
    if payload["requestId"] == payload["reopenOf"]:
        return ".requestId", "must differ from reopenOf"
    return None


@message(
    "turn.reopen",
    direction=DESKTOP_TO_SERVER,
    section="§5.18",
    gate=Gate(HOOK_FEATURE_TURN_REOPEN, WELCOME),
    example={
        "requestId": "r-2",
        "reopenOf": "r-1",
        "externalKey": "slack:T1:C1:1700000000.0001",
        "sessionId": "s-1",
        "reason": "user-continued",
    },
)
class TurnReopen(HookBody):
    """A finished turn goes on at the desktop: its message in the channel works again.

    ``request_id`` is new; ``reopen_of`` alone tells which message is meant.
    """

    request_id: str = wire(SOME_TEXT)
    reopen_of: str = wire(SOME_TEXT, after=(continuation_has_its_own_id,))
    external_key: str = wire(SOME_TEXT)
    session_id: str | None = wire(ANY_TEXT, nullable=True)
    reason: str = wire(SOME_TEXT)
