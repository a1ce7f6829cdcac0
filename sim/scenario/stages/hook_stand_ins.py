"""A twin in place of a puppet: what of the puppet's acts a twin has to be told.

In a diagram that was drawn from a log the acts of a desktop are its frames. A twin
greets, acks and answers by itself; what its agent showed, asked and answered, and what
its person asked for, it does when the log has it done.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.protocols.hook import acts
from sim.scenario.playing.puppet import PuppetAct, PuppetSends
from sim.scenario.stages.hook_ledger import Ledger

OF_PEOPLE = (
    "bind.start",
    "bind.revoke",
    "prefs.get",
    "prefs.set",
    "provider.bind.start",
    "provider.bind.cancel",
    "provider.bind.revoke",
    "provider.prefs.get",
    "provider.prefs.set",
    "provider.behavior.set",
    "tool.request",
)
MADE_BY_THE_TWIN = ("requestId",)
"""Fields of such frames that name the frame, and are not what was asked for."""


def stand_in_act(ledger: Ledger, desktop: str, act: PuppetAct) -> acts.Act | None:
    """What a twin desktop is told in place of a puppet's act; None: it knows by itself."""
    wire = getattr(act.frame, "wire", None) if isinstance(act, PuppetSends) else None
    payload = wire.get("payload") if isinstance(wire, Mapping) else None
    if not isinstance(wire, Mapping) or not isinstance(payload, Mapping):
        return None
    kind, request = wire.get("type"), payload.get("requestId")
    if kind in OF_PEOPLE:
        fields = {name: payload[name] for name in payload if name not in MADE_BY_THE_TWIN}
        return acts.Operate(str(kind), fields)
    if kind == "turn.reopen":
        return acts.Retry(request=str(payload.get("reopenOf") or ""))
    task = ledger.open_task(desktop, request) if isinstance(request, str) else None
    if task is None and isinstance(request, str) and request in ledger.tasks:
        return None  # it has ended: the twin repeats what it owes by itself
    return _of_agents(str(kind), payload, task.request if task is not None else "")


def _of_agents(kind: str, payload: Mapping[str, Any], request: str) -> acts.Act | None:
    """``request`` is "" where the twin calls its round by another name than the log."""
    match kind, payload.get("status"):
        case "turn.progress", _:
            return acts.AgentProgresses(str(payload.get("text", "")), request)
        case "interaction.request", _:
            words = {field: str(payload.get(field) or "") for field in ("title", "body")}
            kind = str(payload.get("kind") or "permission")
            return acts.AgentAsks(kind, **words, buttons=_buttons(payload), request=request)
        case "turn.end", "error":
            error = str(payload.get("errorMessage") or "Something went wrong.")
            return acts.AgentEnds("error", error=error, files=_files(payload), request=request)
        case "turn.end", "ok":
            text = str(payload.get("finalText") or "")
            return acts.AgentEnds("ok", text, files=_files(payload), request=request)
        case _:
            return None


def _buttons(payload: Mapping[str, Any]) -> tuple[tuple[str, str, str], ...]:
    return _triples(payload.get("buttons"), ("id", "label", "style"), "default")


def _files(payload: Mapping[str, Any]) -> tuple[tuple[str, str, str], ...]:
    return _triples(payload.get("attachments"), ("name", "mimeType", "dataBase64"), "")


def _triples(
    listed: Any, fields: tuple[str, str, str], otherwise: str
) -> tuple[tuple[str, str, str], ...]:
    one, two, three = fields
    return tuple(
        (str(row.get(one, "")), str(row.get(two, "")), str(row.get(three, otherwise)))
        for row in (listed if isinstance(listed, list) else ())
        if isinstance(row, Mapping)
    )
