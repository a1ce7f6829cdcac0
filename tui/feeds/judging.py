"""What each invariant saw of a run: how often it was exercised, where it broke."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs

from sim.core.event import Event
from sim.core.invariant import Invariant, Monitor
from tui.session import Session


@attrs.frozen
class Watched:
    """An invariant and a run. ``step`` is where it broke, -1 if it holds; ``asked`` says when
    it is judged.
    """

    name: str
    sentence: str
    exercised: int
    step: int
    asked: str


def watched(session: Session) -> list[Watched]:
    """Judge a run anew. Takes a second per 10,000 steps: call it in a thread."""
    record, chronicle = session.record, session.new_chronicle()
    puppets = {}
    if session.scenario is not None:
        puppets = {p.id: None for p in session.scenario.participants if p.puppet is not None}
    kinds = frozenset(kind for name, kind in session.lanes() if name not in puppets)
    kinds -= frozenset(session.trace.header.outside)
    monitor = Monitor(record.judges(chronicle.view, kinds))
    watchers: dict[type[Event], list[Callable[[Any], None]]] = {}
    monitor.attach(lambda kind, watcher: watchers.setdefault(kind, []).append(watcher))
    for n in range(session.count):
        event = session.event(n)
        chronicle.on(event)
        for watcher in watchers.get(type(event), ()):
            watcher(record.typed(event))
    broken = {violation.invariant: violation.step for violation in session.violations}
    return [
        Watched(one.name, one.sentence, one.exercised, broken.get(one.name, -1), _asked(one))
        for one in monitor.invariants
    ]


def _asked(one: Invariant) -> str:
    at_once = bool(one.handlers() or one.sorted_handlers())
    at_end = type(one).at_end is not Invariant.at_end
    if at_once and at_end:
        return "asked at every step and at the end"
    return "asked at the end" if at_end else "asked at every step"
