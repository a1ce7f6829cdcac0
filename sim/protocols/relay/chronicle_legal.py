"""Was this frame legal then? The tables' answer for the moment before a step.

The states are the relay's: of sessions as the acks tell, of commands as its answers do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from sim.core.table import Table
from sim.protocols.relay import machine
from sim.protocols.relay.chronicle import RelayChronicle
from sim.protocols.relay.frames import MESSAGES
from sim.view.verdict import Verdict

_GREETINGS: Final = {"hello": "hello", "auth": "auth"}
_STATES: Final[Mapping[str, str]] = {
    "SENT": machine.ACCEPTED,
    "QUEUED": machine.WAITING,
    "WORKING": machine.RUNNING,
}
_BY_CODE: Final[Mapping[str, str]] = {
    "queue_wait_timed_out": "budget ends",
    "command_timed_out": "budget ends",
    "command_cancelled": "cancel",
    "node_disconnected": "node lost",
}
"""How a command ends by the relay's own errors; other codes are its node's answer."""
_TOLD: Final[Mapping[str, str]] = {"queued": "wait", "routed": "send"}


def legal_here(
    chronicle: RelayChronicle, relay: str, link: str, frame: Mapping[str, Any], n: int
) -> list[Verdict]:
    """What the tables say of a frame that reached, or left, ``relay`` with step ``n``."""
    return [*_session(chronicle, link, frame, n - 1), *_command(chronicle, link, frame, n - 1)]


def _session(
    chronicle: RelayChronicle, link: str, frame: Mapping[str, Any], n: int
) -> Iterator[Verdict]:
    family = str(frame.get("messageType"))
    timeline = chronicle.connections.get(link)
    state = str(machine.OPENED if timeline is None else timeline.at(n, machine.OPENED))
    trigger = _GREETINGS.get(family)
    if trigger is not None:
        yield _asked(machine.SESSION, link, state, trigger)
    elif family in MESSAGES and family not in ("hello_ack", "auth_ack", "error"):
        after = state if state == machine.READY else None
        yield Verdict(machine.SESSION.role, link, state, "", after)


def _command(
    chronicle: RelayChronicle, link: str, frame: Mapping[str, Any], n: int
) -> Iterator[Verdict]:
    """What a controller is told of a command; of a node's answer, late or not, the relay decides.

    A refusal at the door is no step of a command: it never was one.
    """
    request, payload = str(frame.get("requestId")), frame.get("payload")
    timeline = chronicle.states.get(request)
    if timeline is None or not isinstance(payload, Mapping) or chronicle.is_node(link):
        return
    state = _STATES.get(str(timeline.at(n, "SENT")), machine.ENDED)
    trigger = _trigger(str(frame.get("messageType")), payload, state)
    if trigger is None:
        return
    yield _asked(machine.COMMAND, request, state, trigger)


def _trigger(family: str, payload: Mapping[str, Any], state: str) -> str | None:
    if family == "event":
        return _TOLD.get(str(payload.get("type")))
    if family == "error" and state in (machine.WAITING, machine.RUNNING):
        return _BY_CODE.get(str(payload.get("code")), "answer")
    return "answer" if family == "result" else None


def _asked(table: Table, subject: str, state: str, trigger: str) -> Verdict:
    return Verdict(table.role, subject, state, trigger, table.after(state, trigger))
