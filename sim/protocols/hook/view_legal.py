"""Was this frame legal then? The tables' answer for the moment before a step.

The states are those of the server's side: of connections as the frames imply
them, of requests, rounds, cards and receipts as the server had stored them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sim.core.table import Table
from sim.protocols.hook import machine
from sim.protocols.hook.frames import MESSAGES
from sim.protocols.hook.view_times import Chronicle
from sim.view.verdict import Verdict

ALWAYS_FIRST = ("hello",)


def legal_here(
    chronicle: Chronicle, server: str, link: str, frame: Mapping[str, Any], n: int
) -> list[Verdict]:
    """What the tables say of a frame that reached, or left, ``server`` with step ``n``."""
    type_name = str(frame.get("type"))
    payload = frame.get("payload")
    fields: Mapping[str, Any] = payload if isinstance(payload, Mapping) else {}
    return [
        *_connection(chronicle, link, type_name, n - 1),
        *_subjects(chronicle, server, type_name, fields, n - 1),
    ]


def _connection(chronicle: Chronicle, link: str, type_name: str, n: int) -> Iterator[Verdict]:
    timeline = chronicle.connections.get(link)
    state = machine.CONNECTION.initial if timeline is None else timeline.at(n)
    if state is None:
        return
    if type_name in ("hello", "welcome"):
        yield _asked(machine.CONNECTION, link, state, type_name)
    elif type_name in MESSAGES:
        after = state if state == machine.READY else None
        yield Verdict(machine.CONNECTION.role, link, state, "", after)


def _subjects(
    chronicle: Chronicle, server: str, type_name: str, fields: Mapping[str, Any], n: int
) -> Iterator[Verdict]:
    found = _TRIGGERS.get(type_name)
    if found is None:
        return
    field, trigger = found
    name, word = fields.get(field), fields.get(trigger, trigger)
    if not isinstance(name, str) or not isinstance(word, str):
        return
    for prefix, table in _TABLES[type_name]:
        row = chronicle.row(server, f"{prefix}/{name}", n)
        if row is not None:
            yield _asked(table, name, str(row.state), word)


def _asked(table: Table, subject: str, state: str, trigger: str) -> Verdict:
    return Verdict(table.role, subject, state, trigger, table.after(state, trigger))


# Which field names the thing; the trigger, or the field that holds it.
_TRIGGERS: Mapping[str, tuple[str, str]] = {
    "task.ack": ("requestId", "result"),
    "turn.progress": ("requestId", "progress"),
    "turn.end": ("requestId", "end"),
    "turn.reopen": ("reopenOf", "reopen"),
    "interaction.decision": ("interactionId", "press"),
    "interaction.cancel": ("interactionId", "cancel"),
}
_TURN = (("request", machine.REQUEST), ("round", machine.ROUND))
_CARD = (("card", machine.CARD),)
_TABLES: Mapping[str, tuple[tuple[str, Table], ...]] = {
    "task.ack": _TURN[:1],
    "turn.progress": _TURN,
    "turn.end": _TURN,
    "turn.reopen": _TURN,
    "interaction.decision": _CARD,
    "interaction.cancel": _CARD,
}
