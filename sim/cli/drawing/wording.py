"""The words of rows for screens and reports, with the diagram's names for ids."""

from __future__ import annotations

from typing import Any

from sim.cli.drawing import calls
from sim.cli.drawing.plain import plain
from sim.cli.drawing.telling import Names, tell
from sim.protocols.register import told
from sim.view.diagram import Words


def words_for(names: tuple[tuple[str, str], ...]) -> Words:
    """The words of a run whose ids have these (name, real id) pairs."""
    known = Names(names)

    def frame(type_name: str, wire: Any) -> str:
        name, fields = told(wire, type_name)
        return tell(name, fields, known)

    def done(request: Any, reply: Any) -> tuple[str, str]:
        outcome = calls.outcome(plain(request), plain(reply), known)
        return outcome or ("done", "")

    return Words(
        frame=frame,
        label=lambda type_name, wire: told(wire, type_name)[0],
        asked=lambda request: calls.asked(plain(request) or {}, known),
        done=done,
        act=lambda act: calls.act(plain(act), known),
        note=lambda what, data: calls.note(what, plain(data), known),
    )
