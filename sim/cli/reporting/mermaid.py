"""A run as a Mermaid sequence diagram that any viewer draws: what happened, not what is asked.

(``hooktwin diagram`` writes a scenario that can be played again; this one is for reading.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sim.cli.drawing.layout import lifelines
from sim.cli.drawing.rows import Row, rows_of
from sim.cli.drawing.screen import fit
from sim.cli.drawing.shorten import shorten
from sim.cli.reporting.retold import Retold, events_of
from sim.cli.terminal import clean

ARROWS = {"frame": "->>", "call": "-->>", "person": "->>", "link": "-)", "lost": "-x"}
ROOM = 110
"""Columns of a text; Mermaid does not break them."""

_SPECIAL = re.compile(r"[#;<>&{}]|%(?=%)|(?<=%)%")


def diagram_of(run: Retold) -> str:
    """The diagram; of a long run the middle is left out, but never what broke."""
    result = run.result
    rows = rows_of(events_of(run), names=result.names, violations=result.violations)
    return "\n".join(_lines(run, shorten(rows))) + "\n"


def harmless(text: str) -> str:
    """A text that Mermaid takes as a text: what has a meaning there is written as a number."""
    return _SPECIAL.sub(lambda found: f"#{ord(found[0])};", fit(clean(text), ROOM))


def _lines(run: Retold, rows: list[Row]) -> Iterator[str]:
    yield "sequenceDiagram"
    lanes = lifelines(run.lanes, rows)
    titles = run.titles()
    ids = {name: f"p{place}" for place, (name, _) in enumerate(lanes)}
    for name, kind in lanes:
        word = "actor" if kind == "person" else "participant"
        title = titles.get(name, "")
        yield f"    {word} {ids[name]} as {harmless(f'{name} ({title})' if title else name)}"
    whole = ",".join(dict.fromkeys((ids[lanes[0][0]], ids[lanes[-1][0]]))) if lanes else ""
    for row in rows:
        yield from _row(row, ids, whole)


def _row(row: Row, ids: dict[str, str], whole: str) -> Iterator[str]:
    told = harmless(f"{row.label} {row.detail}".strip()) or "…"
    source, target = ids.get(row.source), ids.get(row.target)
    if row.shape in ("banner", "gap"):
        if whole:
            yield f"    Note over {whole}: {told}"
    elif source is not None and source == target:
        yield f"    Note over {source}: {told}"
    elif source is not None and target is not None:
        yield f"    {source}{ARROWS.get(row.shape, '->>')}{target}: {told}"
