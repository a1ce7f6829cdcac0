"""The causal chain of a broken step, one line per event, in the words of the drawing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs
from rich.text import Text

from sim.cli.drawing import calls
from sim.cli.drawing.layout import STEP
from sim.cli.drawing.rows import Row, rows_of
from sim.cli.drawing.screen import STYLES, fit
from sim.cli.terminal import clean

if TYPE_CHECKING:
    from sim.cli.exploring.playing import Played
    from sim.core.event import Event

ENDS = 12
"""Of a longer chain the first and the last events are told, so many of each."""

FILES = (*calls.FILE_OPS, "is-alive")
"""What processes do with the files that they share."""

IDLE = ("ping", "pong", "sends ping", "sends pong", "timer idle", "timer ping")
"""What goes on when nothing goes on."""


def tell_chain(played: Played, chain: Sequence[int], width: int) -> Iterator[Text]:
    """One line per event: step, virtual seconds, between whom, what.

    What is missing at the end has no cause: then this is what happened before
    all was quiet.
    """
    result = played.result
    rows = {row.n: row for row in rows_of(result.trace, names=result.names, every=True)}
    events = result.trace.events
    shown = [n for n in chain if n < len(events)]
    if played.found_at_end:
        yield Text("  noticed at the end of the run: something is missing; what happened last")
        while shown and shown[-1] in rows and rows[shown[-1]].label in IDLE:
            shown.pop()
    else:
        yield Text("  what led to it (step, virtual seconds)")
    told = _without_housekeeping(shown, rows)
    for n in _shortened(list(told)):
        if n is None:
            skipped = f"{len(told) - 2 * ENDS} events more (--json lists their numbers)"
            yield Text(f"{'':{STEP}}       …  {skipped}", "dim")
        else:
            yield _line(told[n], events[n], width)


def _shortened(chain: Sequence[int]) -> list[int | None]:
    if len(chain) <= 2 * ENDS + 1:
        return list(chain)
    return [*chain[:ENDS], None, *chain[-ENDS:]]


def _without_housekeeping(chain: Sequence[int], rows: Mapping[int, Row]) -> dict[int, Row | None]:
    """The rows by event; what a process does with files at one go is one of them."""
    told: dict[int, Row | None] = {}
    last: Row | None = None
    for n in chain:
        row = rows.get(n)
        asked = None if row is None else rows.get(row.call)
        if row is None or asked is None or asked.label not in FILES:
            told[n], last = row, None
            continue
        if last is None or (last.source, last.target) != (asked.source, asked.target):
            last = attrs.evolve(asked, n=n, label="file", detail="")
        if row is asked:
            did = ", ".join(filter(None, (last.detail, calls.FILE_OPS.get(row.label, ""))))
            last = attrs.evolve(last, detail=did)
        told[last.n] = last
    return told


def _line(row: Row | None, event: Event, width: int) -> Text:
    line = Text(f"{event.n:{STEP}d} {event.at / 1e6:9.3f}  ", "dim", no_wrap=True)
    if row is None:
        return line.append(type(event).__name__, "default")
    between = clean(row.source)
    if row.target != row.source:
        between += f" {'╳' if row.shape == 'lost' else '→'} {clean(row.target)}"
    line.append(f"{between}  {clean(row.label)}", STYLES[row.shape])
    room = width - line.cell_len - 2
    if row.detail and room > 1:
        line.append("  " + fit(clean(row.detail), room), "dim")
    return line
