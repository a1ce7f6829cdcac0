"""Long runs: the middle is left out, but never what broke."""

from __future__ import annotations

import attrs

from sim.cli.drawing.rows import Row

HEAD = 40
TAIL = 60
AROUND = 6


def shorten(rows: list[Row]) -> list[Row]:
    """At most about a hundred rows; a row says how many are missing at its place."""
    if len(rows) <= HEAD + TAIL + 1:
        return rows
    wanted = dict.fromkeys([*range(HEAD), *range(len(rows) - TAIL, len(rows))])
    for place, row in enumerate(rows):
        if row.shape == "banner":
            wanted |= dict.fromkeys(range(max(0, place - AROUND), min(len(rows), place + AROUND)))
    kept: list[Row] = []
    previous = -1
    for place in sorted(wanted):
        missing = place - previous - 1
        if missing:
            kept.append(_gap(rows[place], missing))
        kept.append(rows[place])
        previous = place
    return kept


def _gap(row: Row, missing: int) -> Row:
    text = f"… {missing} rows left out; --show all prints them"
    return attrs.evolve(row, shape="gap", label="", detail=text, effect="", source="", target="")
