"""The rows of a run as columns: small enough for a page with a hundred thousand of them."""

from __future__ import annotations

from typing import Any

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


def rows_of(run: Retold, words: Words) -> dict[str, Any]:
    """One entry per event in each column; texts are places in ``words``.

    ``at`` is the time since the event before (µs), ``source`` and ``target`` are places among
    the lanes (-1: none), ``refers`` and ``cause`` how many events ago (0: none).
    """
    lanes = {name: place for place, (name, _) in enumerate(run.lanes)}
    columns: dict[str, list[int]] = {
        name: []
        for name in ("at", "arrow", "source", "target", "label", "detail", "refers", "cause",
                     "flags")
    }  # fmt: skip
    before = 0
    for n in range(run.count):
        event = run.trace.event(n)
        row = run.diagram.row(n)
        told = (
            row.at - before,
            ARROWS.index(_arrow_of(row, event)),
            lanes.get(row.source, -1),
            lanes.get(row.target, -1),
            words.place(clean(row.label)),
            words.place(clean(row.detail)),
            n - row.refers if row.refers >= 0 else 0,
            n - row.cause if row.cause >= 0 else 0,
            _flags_of(run, event),
        )
        for column, value in zip(columns.values(), told, strict=True):
            column.append(value)
        before = row.at
    return columns


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


def downs_of(run: Retold) -> list[tuple[int, int, int]]:
    """(lane, from, to) of the steps in which a host was down; ``to`` -1: to the end."""
    lanes = {name: place for place, (name, _) in enumerate(run.lanes)}
    found: list[tuple[int, int, int]] = []
    since: dict[str, int] = {}
    for n in range(run.count):
        event = run.trace.event(n)
        if isinstance(event, events.HostCrashed):
            since.setdefault(event.host, n)
        elif isinstance(event, events.HostStarted) and event.host in since:
            found.append((lanes.get(event.host, -1), since.pop(event.host), n))
    return [*found, *((lanes.get(host, -1), n, -1) for host, n in since.items())]
