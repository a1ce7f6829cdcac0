"""The words of rows: what the command line says, with the diagram's names for ids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.cli.drawing import calls
from sim.cli.drawing.plain import plain
from sim.cli.drawing.telling import Names, tell
from sim.view.diagram import Words


def words_for(names: tuple[tuple[str, str], ...]) -> Words:
    """The words of a run whose ids have these (name, real id) pairs."""
    known = Names(names)

    def frame(type_name: str, wire: Any) -> str:
        payload = wire.get("payload", wire) if isinstance(wire, Mapping) else {}
        return tell(type_name, payload, known)

    def done(request: Any, reply: Any) -> tuple[str, str]:
        told = calls.outcome(plain(request), plain(reply), known)
        return told or ("done", "")

    return Words(
        frame=frame,
        asked=lambda request: calls.asked(plain(request) or {}, known),
        done=done,
        act=lambda act: calls.act(plain(act), known),
        note=lambda data: calls.facts(plain(data), known),
    )
