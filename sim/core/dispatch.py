"""Which invariant hears which event: planned once per set of invariants, bound per run.

A search makes thousands of runs with the same hundred and more invariants, and
a short run meets few sorts of events; so what belongs to the classes is kept
for the process, and the methods of a run's instances are looked up for the
sorts that come.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from sim.core.errors import SimInternalError
from sim.core.event import Event

if TYPE_CHECKING:
    from sim.core.invariant import Handler, Invariant

Bind: TypeAlias = Callable[["Invariant"], "Handler"]


@attrs.define(eq=False)
class Row:
    """Who hears one kind of event, all of it or a sort; by position among the invariants."""

    plain: list[tuple[int, Bind]] = attrs.field(factory=list)
    by_sort: dict[Any, list[tuple[int, Bind]]] = attrs.field(factory=dict)


Plan: TypeAlias = Mapping[type[Event], Row]

_plans: dict[tuple[type, ...], Plan] = {}


class Judges(dict[Any, tuple["Handler", ...]]):
    """The handlers of a run for each sort of one kind of event, in order of asking.

    Those that want every event of the kind are asked first.
    """

    def __init__(self, row: Row, invariants: Sequence[Invariant]) -> None:
        super().__init__()
        self.row = row
        self.invariants = invariants

    def __missing__(self, sort: Any) -> tuple[Handler, ...]:
        invariants = self.invariants
        self[sort] = made = tuple([bind(invariants[n]) for n, bind in self._wanted(sort)])
        return made

    def _wanted(self, sort: Any) -> list[tuple[int, Bind]]:
        return self.row.plain + self.row.by_sort.get(sort, [])

    def owned(self, sort: Any) -> tuple[tuple[Handler, Invariant], ...]:
        """The handlers of a sort, each with the one whose it is."""
        owners = [self.invariants[n] for n, _ in self._wanted(sort)]
        return tuple(zip(self[sort], owners, strict=True))

    def owner(self, sort: Any, handler: Handler) -> Invariant:
        """Whose handler this is."""
        return next(
            self.invariants[n]
            for (n, _), one in zip(self._wanted(sort), self[sort], strict=True)
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
        for kind, handler in invariant.handlers().items():
            rows.setdefault(kind, Row()).plain.append((n, _binding(invariant, handler)))
        for (kind, sort), handler in invariant.sorted_handlers().items():
            by_sort = rows.setdefault(kind, Row()).by_sort
            by_sort.setdefault(sort, []).append((n, _binding(invariant, handler)))
    return rows


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
