"""The rows of a run as columns: small enough for a page with a hundred thousand of them."""

from __future__ import annotations

from sim.check.retelling import stumbled
from sim.cli.reporting.retold import Retold
from sim.cli.terminal import clean
from sim.core import event as events
from sim.core.event import Event
from sim.view.columns import Words
from sim.view.diagram import Row

ARROWS = ("frame", "again", "call", "answer", "lost", "link", "fault", "mark", "through", "person")
"""How a row looks; ``person`` is a call of somebody's hand."""

SHOWN, FAULT, BAD, FRAME = 1, 2, 4, 8
"""Bits of ``flags``: it has a row of its own, is a fault, a refused frame, speaks of a frame."""


WHO = ("host", "sender", "caller", "client", "target")
"""Which field names who did it."""

NAMES = ("at", "arrow", "source", "target", "label", "detail", "refers", "cause", "flags")


class Columns:
    """One entry per event in each column; texts are places in ``words``.

    ``at`` is the time since the event before (µs), ``source`` and ``target`` are places among
    the lanes (-1: none), ``refers`` and ``cause`` how many events ago (0: none).
    """

    def __init__(self, run: Retold, words: Words) -> None:
        self.values: dict[str, list[int]] = {name: [] for name in NAMES}
        self._run = run
        self._words = words
        self._lanes = {name: place for place, (name, _) in enumerate(run.lanes)}
        self._broken = {min(one.step, run.last): None for one in run.result.violations}
        self._before = 0

    def take(self, n: int, event: Event) -> None:
        """The next event."""
        run, words, lanes = self._run, self._words, self._lanes
        row = _row_of(run, event)
        told = (
            row.at - self._before,
            ARROWS.index(_arrow_of(row, event)),
            lanes.get(row.source, -1),
            lanes.get(row.target, -1),
            words.place(clean(row.label)),
            words.place(clean(row.detail)),
            n - row.refers if 0 <= row.refers < n else 0,
            n - row.cause if 0 <= row.cause < n else 0,
            # What breaks an invariant is always worth a row.
            _flags_of(run, event) | (SHOWN if n in self._broken else 0),
        )
        for column, value in zip(self.values.values(), told, strict=True):
            column.append(value)
        self._before = row.at


def _row_of(run: Retold, event: Event) -> Row:
    """A foreign file may speak of what is not in it, or leave out what a row is made of."""
    try:
        return run.diagram.row(event.n)
    except Exception as error:
        run.unjudged = run.unjudged or stumbled(run.trace, run.record, event, error)
        host = next((getattr(event, one) for one in WHO if hasattr(event, one)), "")
        told = f"this step cannot be told: {error}"
        return Row(event.n, event.at, "mark", host, host, type(event).__name__, told)


def _arrow_of(row: Row, event: Event) -> str:
    from sim.cli.drawing.calls import is_of_person
    from sim.cli.drawing.plain import plain

    if isinstance(event, events.CallIssued) and is_of_person(plain(event.request)):
        return "person"
    return row.arrow


def _flags_of(run: Retold, event: Event) -> int:
    flags = SHOWN if run.diagram.is_shown(event) else 0
    if isinstance(event, events.FaultInjected):
        flags |= FAULT
    elif isinstance(event, events.BadFrame):
        flags |= BAD
    if isinstance(event, events.FrameSent | events.FrameDelivered | events.FrameLost):
        flags |= FRAME
    return flags
