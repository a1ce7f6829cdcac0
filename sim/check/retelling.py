"""What a trace file does not hold itself: names for its ids, its scenario, its verdict.

Terminal UI and reports open files with it; neither knows a driver here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from sim.check.protocols import JUDGED, invariants_of, judged
from sim.check.said import Said
from sim.core.errors import UsageError
from sim.core.event import ConnectionOpened, Event, FrameSent
from sim.core.invariant import Monitor, Violation
from sim.play import vocabularies
from sim.protocols.played import Chronicle, Played
from sim.scenario.parse import parse_scenario
from sim.scenario.syntax import Scenario
from sim.view.tracefile import TraceFile

LOOKED_AT = 1_500
"""Steps at the start of a file in which ids are looked for."""

Watchers = dict[type[Event], list[Callable[[Any], None]]]


def names_in(trace: TraceFile, short: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Short names for the ids of a file, in order of appearance; a file keeps none itself.

    ``short``: which fields are named, and the first letter of each.
    """
    names: dict[str, str] = {}
    counts: dict[str, int] = {}
    for n in range(min(trace.count, LOOKED_AT)):
        frame: Any = getattr(trace.event(n), "frame", None)
        payload = frame.get("payload") if isinstance(frame, dict) else None
        if not isinstance(payload, dict):
            continue
        fields = {**frame, **payload}
        for field, letter in short.items():
            real = fields.get(field)
            if isinstance(real, str) and len(real) > 8 and real not in names:
                counts[letter] = counts.get(letter, 0) + 1
                names[real] = f"{letter}{counts[letter]}"
    return tuple((name, real) for real, name in names.items())


def scenario_of(trace: TraceFile) -> Scenario | None:
    """The scenario whose text the header holds, so that the run can be had again."""
    if not trace.header.source:
        return None
    try:
        return parse_scenario(trace.header.source, trace.header.scenario, vocabularies())
    except UsageError:
        return None


def stumbled(trace: TraceFile, record: Played, event: Event, error: Exception) -> str:
    """Which line of a file somebody could make no sense of, in which field where that shows,
    and why."""
    try:
        typed = record.typed(event)
    except Exception:
        typed = event
    there = [name for name in _OF_A_PROTOCOL if hasattr(event, name)]
    odd = [name for name in there if not _is_understood(name, getattr(typed, name))]
    field = f", field {odd[0]}" if odd else ""
    try:
        line = f"line {trace.line_number(event.n)}"
    except UsageError:
        line = f"step {event.n}"
    return f"{line}, {type(event).__name__}{field}: {_reason(error)}"


_OF_A_PROTOCOL = ("frame", "request", "reply", "value", "act", "data")


def _is_understood(name: str, value: Any) -> bool:
    """Values of a protocol are objects; notes are JSON."""
    plain = (str, int, float, list, type(None), *(() if name == "data" else (dict,)))
    return not isinstance(value, plain)


def _reason(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"it speaks of {error.args[0]!r}, of which nothing is known"
    told = "" if isinstance(error, UsageError) else f"{type(error).__name__}: "
    return f"{told}{error}"


@attrs.frozen
class Told:
    """A file that is to be judged. ``lanes`` are its (host, kind), ``kind_of`` knows those
    of real programs, too, that came later."""

    trace: TraceFile
    record: Played
    chronicle: Chronicle
    scenario: Scenario | None
    lanes: tuple[tuple[str, str], ...]
    kind_of: Callable[[str], str | None]


class Judge:
    """Judges a trace file as its run was judged: event by event, then its end.

    ``violations`` so far; ``unjudged`` says why a foreign file could not be judged on.
    """

    def __init__(self, told: Told) -> None:
        self.unjudged = ""
        self._told = told
        self._links: dict[str, None] = {}
        self._watchers: Watchers = {}
        self._monitors = [_twins_judged(told, self._watchers)]
        self._outside = frozenset(told.trace.header.outside)
        if self._outside and told.record.name in JUDGED:
            self._monitors.append(_strangers_judged(told, self._outside, self._watchers))

    @property
    def violations(self) -> list[Violation]:
        return [one for monitor in self._monitors for one in monitor.violations]

    def on(self, event: Event) -> None:
        """The next event; the chronicle has seen it."""
        match event:
            case ConnectionOpened():
                self._links[event.link] = None
            case FrameSent() if event.link not in self._links and not self.unjudged:
                why = UsageError(f"this file does not hold where connection {event.link} began")
                self.unjudged = stumbled(self._told.trace, self._told.record, event, why)
                self._watchers.clear()
        watchers = self._watchers.get(type(event), ())
        try:
            for watcher in watchers:
                watcher(self._told.record.typed(event))
        except Exception as error:
            # A foreign file may hold what no twin ever says; oracles are not made for that.
            self.unjudged = stumbled(self._told.trace, self._told.record, event, error)
            self._watchers.clear()

    def finish(self) -> None:
        """The end of the file. A live run has no end, it is ended."""
        trace = self._told.trace
        if trace.truncated or self._outside or self.unjudged:
            return
        for invariant in self._monitors[0].invariants:
            try:
                self._monitors[0].finish_one(invariant, trace.count)
            except Exception as error:
                self.unjudged = f"at the end: {invariant.name}: {_reason(error)}"


def _twins_judged(told: Told, watchers: Watchers) -> Monitor:
    """All that is simulated: neither puppets nor real programs."""
    puppets = {}
    if told.scenario is not None:
        puppets = {p.id: None for p in told.scenario.participants if p.puppet is not None}
    kinds = frozenset(kind for name, kind in told.lanes if name not in puppets)
    kinds -= frozenset(told.trace.header.outside)
    monitor = Monitor(told.record.judges(told.chronicle.view, kinds))
    monitor.attach(lambda kind, watcher: watchers.setdefault(kind, []).append(watcher))
    return monitor


def _strangers_judged(told: Told, outside: frozenset[str], watchers: Watchers) -> Monitor:
    """Real programs, by their frames: what they keep to themselves is not known."""
    protocol = judged(told.record.name)
    view = protocol.view()
    said = Said(protocol, told.kind_of, rereads=True)

    def watch(kind: type[Event], watcher: Callable[[Any], None]) -> None:
        watchers.setdefault(kind, []).append(said.only(watcher))

    for kind in view.kinds:
        watch(kind, view.on)
    monitor = Monitor(invariants_of(protocol, view, outside))
    monitor.attach(watch)
    return monitor
