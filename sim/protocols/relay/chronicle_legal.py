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
_TRIGGERS: Final[Mapping[str, str]] = {"result": "answer", "error": "answer"}
_TOLD: Final[Mapping[str, str]] = {"queued": "wait", "routed": "send"}


def legal_here(
    chronicle: RelayChronicle, relay: str, link: str, frame: Mapping[str, Any], n: int
) -> list[Verdict]:
    """What the tables say of a frame that reached, or left, ``relay`` with step ``n``."""
    return [*_session(chronicle, link, frame, n - 1), *_command(chronicle, frame, n - 1)]


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


def _command(chronicle: RelayChronicle, frame: Mapping[str, Any], n: int) -> Iterator[Verdict]:
    request, payload = str(frame.get("requestId")), frame.get("payload")
    timeline = chronicle.states.get(request)
    if timeline is None or not isinstance(payload, Mapping):
        return
    family = str(frame.get("messageType"))
    trigger = _TOLD.get(str(payload.get("type"))) if family == "event" else _TRIGGERS.get(family)
    if trigger is None:
        return
    state = _STATES.get(str(timeline.at(n)), machine.ENDED)
    yield _asked(machine.COMMAND, request, state, trigger)


def _asked(table: Table, subject: str, state: str, trigger: str) -> Verdict:
    return Verdict(table.role, subject, state, trigger, table.after(state, trigger))
