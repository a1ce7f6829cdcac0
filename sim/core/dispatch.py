"""Which invariant hears which event: planned once per set of invariants, bound per run.

A search makes thousands of runs with the same hundred and more invariants, and
a short run meets few sorts of events; so what belongs to the classes is kept
for the process, and the methods of a run's instances are looked up for the
sorts that come.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from sim.core.errors import SimInternalError
from sim.core.event import (
    Acted,
    CallApplied,
    CallIssued,
    Event,
    FrameDelivered,
    FrameSent,
    Noted,
    Saved,
    TimerFired,
)

if TYPE_CHECKING:
    from sim.core.invariant import Handler, Invariant

Bind: TypeAlias = Callable[["Invariant"], "Handler"]
Key: TypeAlias = Callable[[Any], Any]
KEPT = 1_024

# What a kind of event may be told apart by, so that a handler gets its own ones only.
SORTS: Mapping[type[Event], Key] = {
    FrameSent: attrgetter("frame.type"),
    FrameDelivered: attrgetter("type"),
    CallIssued: lambda event: type(event.request),
    CallApplied: lambda event: type(event.request),
    Saved: lambda event: type(event.value),
    Acted: lambda event: type(event.act),
    Noted: attrgetter("what"),
    TimerFired: attrgetter("timer"),
}


@attrs.define(eq=False)
class Row:
    """Who hears one kind of event, all of it, a sort, or by what is new with it; by position
    among the invariants."""

    sort: Key | None = None
    plain: list[tuple[int, Bind]] = attrs.field(factory=list)
    by_sort: dict[Any, list[tuple[int, Bind]]] = attrs.field(factory=dict)
    by_word: dict[str, list[tuple[int, Bind]]] = attrs.field(factory=dict)
    found: dict[Any, tuple[tuple[int, Bind], ...]] = attrs.field(factory=dict)

    def wanted(self, key: Any) -> tuple[tuple[int, Bind], ...]:
        """Who hears the events of a key (``Judges.key``), in order of asking."""
        found = self.found.get(key)
        if found is None:
            if len(self.found) == KEPT:
                self.found.clear()
            found = self.found[key] = tuple(self._wanted(key))
        return found

    def _wanted(self, key: Any) -> list[tuple[int, Bind]]:
        if not self.by_word:
            return self.plain + self.by_sort.get(key, [])
        sort, *words = key
        heard = dict(self.plain)
        for word in words:
            heard.update(self.by_word.get(word, ()))
        return sorted(heard.items(), key=itemgetter(0)) + self.by_sort.get(sort, [])


Plan: TypeAlias = Mapping[type[Event], Row]

_plans: dict[tuple[type, ...], Plan] = {}


class Judges(dict[Any, tuple["Handler", ...]]):
    """The handlers of a run for each sort of one kind of event, in order of asking.

    ``key`` gives what an event is looked up by; None: they are all alike. Those that want
    every event of the kind are asked first, and among them those that want what is new.
    """

    def __init__(self, row: Row, invariants: Sequence[Invariant]) -> None:
        super().__init__()
        self.row = row
        self.invariants = invariants
        self.key = self._key()

    def _key(self) -> Key | None:
        row = self.row
        sort = row.sort if row.by_sort else None
        if not row.by_word:
            return sort
        asked = [self.invariants[n] for heard in row.by_word.values() for n, _ in heard]
        news = asked[0].news
        if not all(one.news is news for one in asked):
            raise SimInternalError("one monitor judges by the news of one view; make two monitors")
        if sort is None:
            return lambda event: (None, *[word for word, _ in news])
        return lambda event: (sort(event), *[word for word, _ in news])

    def __missing__(self, sort: Any) -> tuple[Handler, ...]:
        invariants = self.invariants
        self[sort] = made = tuple([bind(invariants[n]) for n, bind in self.row.wanted(sort)])
        return made

    def owned(self, sort: Any) -> tuple[tuple[Handler, Invariant], ...]:
        """The handlers of a sort, each with the one whose it is."""
        owners = [self.invariants[n] for n, _ in self.row.wanted(sort)]
        return tuple(zip(self[sort], owners, strict=True))

    def owner(self, sort: Any, handler: Handler) -> Invariant:
        """Whose handler this is."""
        return next(
            self.invariants[n]
            for (n, _), one in zip(self.row.wanted(sort), self[sort], strict=True)
            if one is handler
        )


def plan_for(invariants: Sequence[Invariant]) -> Plan:
    """Who hears what; kept for the process where it depends on the classes only."""
    if not all(one.ALIKE for one in invariants):
        return _plan(invariants)
    classes = tuple(map(type, invariants))
    plan = _plans.get(classes)
    if plan is None:
        _plans[classes] = plan = _plan(invariants)
    return plan


def _plan(invariants: Sequence[Invariant]) -> Plan:
    rows: dict[type[Event], Row] = {}
    for n, invariant in enumerate(invariants):
        news = invariant.hears_news()
        for kind, handler in invariant.handlers().items():
            row, bind = _row(rows, kind), _binding(invariant, handler)
            for word in news.get(kind, ()):
                row.by_word.setdefault(word, []).append((n, bind))
            if kind not in news:
                row.plain.append((n, bind))
        for (kind, sort), handler in invariant.sorted_handlers().items():
            by_sort = _row(rows, kind).by_sort
            by_sort.setdefault(sort, []).append((n, _binding(invariant, handler)))
    return rows


def _row(rows: dict[type[Event], Row], kind: type[Event]) -> Row:
    return rows.setdefault(kind, Row(SORTS.get(kind)))


def _binding(invariant: Invariant, handler: Handler) -> Bind:
    """How to find the handler on another instance.

    Raises SimInternalError when only this instance has it, though it is ALIKE.
    """
    if not invariant.ALIKE:
        return lambda _: handler
    name = getattr(handler, "__name__", "")
    if getattr(invariant, name, None) != handler:
        raise SimInternalError(
            f"{type(invariant).__name__} is ALIKE, but {handler!r} is no method of its own; "
            "give a method, or take ALIKE back"
        )
    return attrgetter(name)
