"""A command from the controller to its one terminal frame."""

from __future__ import annotations

from typing import Any, Final

from sim.protocols.relay.codes import TAB_DIFFERS, TAB_MISSING, TAB_UNEXPECTED
from sim.protocols.relay.constants import (
    COMMAND_OUTCOMES,
    CONTROLLER,
    ERROR_CATEGORIES,
    NODE,
    RELAY,
    WAIT_POLICIES,
)
from sim.protocols.relay.frames.envelope import (
    BOTH,
    COMMAND_SECTION,
    CONTROLLER_TO_NODE,
    FAMILIES_SECTION,
    NODE_TO_CONTROLLER,
    RelayBody,
)
from sim.wire.absent import ABSENT, Absent
from sim.wire.declare import message, wire
from sim.wire.exact import plain_object
from sim.wire.linkage import Fault, Wire, linkage
from sim.wire.spec import (
    ANY_TEXT,
    SOME_TEXT,
    AnyObject,
    Anything,
    Choice,
    Flag,
    ListOf,
    Number,
)

TAB_OPEN: Final = "primitive.tab.open"
_TAB_ACTIONS: Final = ("primitive.tab.close", "primitive.tab.navigate")
_TAB_PREFIX: Final = "primitive.dom."


def needs_tab(action: str) -> bool:
    """Whether an action works within one tab, which the command must name."""
    return action in _TAB_ACTIONS or action.startswith(_TAB_PREFIX)


def tabs_named(payload: Wire) -> list[str]:
    """The tabs that a command names: outside, in its inner payload, in the options there."""
    places: list[Any] = [payload]
    inner = plain_object(payload.get("payload"))
    places += [inner, plain_object(inner.get("options"))]
    named = [place.get("tabSessionId") for place in places]
    return [one for one in named if type(one) is str and one]


def tab_of(payload: Wire) -> str | None:
    """The tab whose queue a command belongs to, None for work that is in no tab."""
    named = tabs_named(payload)
    return named[0] if named else None


@linkage()
def tab_fits_the_action(payload: Wire) -> Fault | None:
    """The tab is named where the action works in one, never for an open, and alike everywhere."""
    named = tabs_named(payload)
    if payload["action"] == TAB_OPEN and named:
        return ".tabSessionId", TAB_UNEXPECTED
    if not named and needs_tab(payload["action"]):
        return ".tabSessionId", TAB_MISSING
    if any(one != named[0] for one in named):
        return ".tabSessionId", TAB_DIFFERS
    return None


@linkage(
    {
        "if": {"properties": {"senderRole": {"const": RELAY}}, "required": ["senderRole"]},
        "else": {"properties": {"payload": {"required": ["replayNonce"]}}},
    }
)
def nonce_unless_the_relay_sends(frame: Wire) -> Fault | None:
    """replayNonce is there unless the relay itself sends the command."""
    if frame["senderRole"] != RELAY and "replayNonce" not in frame["payload"]:
        return "command.replayNonce", "must be a non-empty string"
    return None


@message(
    "command",
    direction=CONTROLLER_TO_NODE,
    section=COMMAND_SECTION,
    example={
        "targetNodeId": "node_alpha",
        "tabSessionId": "tab_1",
        "action": "primitive.dom.extract_text",
        "payload": {"selector": "main"},
        "timeoutMs": 5000,
        "waitPolicy": "wait_with_timeout",
        "idempotencyKey": "extract-1",
        "replayNonce": "n-1",
    },
    senders=(CONTROLLER, RELAY),
    around=(nonce_unless_the_relay_sends,),
)
class Command(RelayBody):
    """Work for one node: an action, its data, and how long it may wait and run."""

    replay_nonce: str | Absent = wire(SOME_TEXT, default=ABSENT)
    target_node_id: str = wire(SOME_TEXT)
    action: str = wire(SOME_TEXT)
    payload: dict[str, Any] = wire(AnyObject())
    tab_session_id: str | Absent = wire(SOME_TEXT, default=ABSENT, after=(tab_fits_the_action,))
    timeout_ms: float | Absent | None = wire(Number(finite=True), nullable=True, default=ABSENT)
    wait_policy: str | Absent = wire(Choice(WAIT_POLICIES), default=ABSENT)
    idempotency_key: str | Absent = wire(ANY_TEXT, default=ABSENT)


@message(
    "result",
    direction=NODE_TO_CONTROLLER,
    section=FAMILIES_SECTION,
    example={
        "ok": True,
        "durationMs": 5,
        "action": "primitive.tab.close",
        "data": {"closed": True, "tabSessionId": "tab_1"},
        "commandOutcome": "completed",
    },
    senders=(NODE,),
)
class Result(RelayBody):
    """Terminal frame of a command that was carried out."""

    ok: bool = wire(Flag())
    duration_ms: float = wire(Number(min=0, finite=True))
    action: str = wire(SOME_TEXT)
    data: Any = wire(Anything(), default=ABSENT)
    warnings: tuple[str, ...] | Absent = wire(ListOf(ANY_TEXT), default=ABSENT)
    command_outcome: str | Absent = wire(Choice(COMMAND_OUTCOMES), default=ABSENT)


@message(
    "error",
    direction=BOTH,
    section=FAMILIES_SECTION,
    example={
        "category": "routing",
        "code": "node_offline",
        "message": "node_alpha is not connected; try again when it is",
        "retryable": True,
        "nodeId": "node_alpha",
    },
    senders=(RELAY, NODE),
)
class Error(RelayBody):
    """Terminal frame of what could not be done; for a command of the relay, or of a node."""

    category: str = wire(Choice(ERROR_CATEGORIES))
    code: str = wire(SOME_TEXT)
    message: str = wire(ANY_TEXT)
    retryable: bool | Absent = wire(Flag(), default=ABSENT)
    action: str | Absent = wire(ANY_TEXT, default=ABSENT)
    stage: str | Absent = wire(ANY_TEXT, default=ABSENT)
    node_id: str | Absent = wire(ANY_TEXT, default=ABSENT)
    client_id: str | Absent = wire(ANY_TEXT, default=ABSENT)
    tab_session_id: str | Absent = wire(ANY_TEXT, default=ABSENT)
    actionable_hint: str | Absent = wire(ANY_TEXT, default=ABSENT)


@message(
    "command_cancel",
    direction=CONTROLLER_TO_NODE,
    section=FAMILIES_SECTION,
    example={"targetRequestId": "run-1"},
    senders=(CONTROLLER, RELAY),
)
class CommandCancel(RelayBody):
    """Ends a command or a stream; towards a node the relay names node and action too."""

    target_request_id: str = wire(SOME_TEXT)
    node_id: str | Absent = wire(ANY_TEXT, default=ABSENT)
    action: str | Absent = wire(ANY_TEXT, default=ABSENT)
