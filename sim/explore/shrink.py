"""Shrinking by protocol step: actors, faults, deviations, events, then latencies.

The result is a local minimum: removing any one thing that is left makes the
run pass (or break something else). Every candidate is a run; the same one is
never run twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import attrs

from sim.drivers.collecting import swept
from sim.explore.droppable import Parts, parts_of
from sim.explore.schedule import Case, Schedule
from sim.explore.trial import Outcome, Try, attempt, judged
from sim.world.helm import LATE, UNTIL, Step

MOST_REPLAYS = 2_000
WAITS_US = (100_000, 1_000_000, 5_000_000, 20_000_000, 60_000_000)


@attrs.define(eq=False)
class Shrinker:
    """Makes a failing schedule smaller. ``replays`` counts the runs that it took."""

    case: Case
    invariant: str
    best: Outcome
    replays: int = 0
    most: int = MOST_REPLAYS
    tell: Callable[[Shrinker], None] = lambda _: None
    _known: dict[Schedule, bool] = attrs.field(factory=dict)
    _after_run: Callable[[], None] = lambda: None

    def run(self) -> Outcome:
        """The smallest failing outcome that removing one thing at a time leads to."""
        parts = parts_of(self.case.scenario)
        with swept() as self._after_run:
            while True:
                before = self.best.schedule
                for phase in (self.actors, self.faults, self.deviations, self.events):
                    phase(parts)
                self.latencies()
                self.orders()
                self.waits()
                if self.best.schedule == before or self.replays >= self.most:
                    return self.best

    # -- trying -----------------------------------------------------------------------

    def accepts(self, schedule: Schedule) -> bool:
        """Whether this still breaks the invariant first; if so it is the best so far."""
        if schedule in self._known or self.replays >= self.most:
            return False
        self.replays += 1
        outcome = judged(self.case, schedule)
        broken = outcome.violations[:1]
        fails = bool(broken) and broken[0].invariant == self.invariant
        self._after_run()
        self._known[schedule] = fails
        if fails:
            self.best = outcome
        self.tell(self)
        return fails

    def _drop_steps(self, gone: Sequence[Step]) -> bool:
        now = self.best.schedule
        rest = list(now.steps)
        for step in gone:
            if step not in rest:
                return False
            rest.remove(step)
        return self.accepts(attrs.evolve(now, steps=tuple(rest)))

    # -- phases -----------------------------------------------------------------------

    def actors(self, parts: Parts) -> None:
        """All lines of one person or desktop at a time."""
        for lines in parts.actors:
            now = self.best.schedule
            if not lines <= now.dropped:
                self.accepts(attrs.evolve(now, dropped=now.dropped | lines))

    def faults(self, _: Parts) -> None:
        """One added fault at a time."""
        for step in [s for s in self.best.schedule.steps if s.is_fault]:
            self._drop_steps([step])

    def deviations(self, _: Parts) -> None:
        """Halves, quarters … of what is late, then one at a time (delta debugging)."""
        size = len(self.best.schedule.steps)
        while size >= 1:
            late = [s for s in self.best.schedule.steps if not s.is_fault]
            for chunk in _chunks(late, size):
                self._drop_steps(chunk)
            size //= 2

    def events(self, parts: Parts) -> None:
        """Lines of the diagram: from the end, blocks first, halves before single ones."""
        for lines in parts.groups():
            now = self.best.schedule
            if not lines <= now.dropped:
                self.accepts(attrs.evolve(now, dropped=now.dropped | lines))

    def latencies(self) -> None:
        """No draws of latencies at all; the first seed."""
        now = self.best.schedule
        if not now.flat:
            self.accepts(attrs.evolve(now, flat=True))
        now = self.best.schedule
        if now.seed != 1:
            self.accepts(attrs.evolve(now, seed=1))

    def waits(self) -> None:
        """``late 7s`` as the order that it stands for, or as a shorter wait."""
        for place, step in enumerate(self.best.schedule.steps):
            if step.do.startswith(LATE) and step.do != f"{LATE}0us":
                self._shorter(place, step)

    def orders(self) -> None:
        """``until`` something that never comes is a wait, and told as one: no token could
        name what does not happen."""
        steps = self.best.schedule.steps
        if not any(step.do.startswith(UNTIL) for step in steps):
            return
        tried = Try(0, self.best.schedule, expand=True)
        came = attempt(self.case, tried, keep_variations=True).places
        self.replays += 1
        for place, step in enumerate(steps):
            if step.do.startswith(UNTIL) and step.do[len(UNTIL) :] not in came:
                self._shortest(place, step, WAITS_US)

    def _shorter(self, place: int, step: Step) -> None:
        by_us = int(step.do[len(LATE) :].removesuffix("us"))
        self._shortest(place, step, [wait for wait in WAITS_US if wait < by_us])

    def _shortest(self, place: int, step: Step, waits_us: Sequence[int]) -> None:
        """The first of these waits that still fails takes the step's place."""
        for wait in waits_us:
            if self._replace(place, Step(step.at, f"{LATE}{wait}us")):
                return

    def _replace(self, place: int, step: Step) -> bool:
        now = self.best.schedule
        steps = (*now.steps[:place], step, *now.steps[place + 1 :])
        return self.accepts(attrs.evolve(now, steps=steps))


def _chunks(steps: Sequence[Step], size: int) -> Iterator[Sequence[Step]]:
    for start in range(0, len(steps), size):
        yield steps[start : start + size]


def shrink(
    case: Case, outcome: Outcome, tell: Callable[[Shrinker], None] = lambda _: None
) -> Shrinker:
    """Shrink a failing outcome; the shrinker holds the result and what it took."""
    shrinker = Shrinker(case, outcome.violations[0].invariant, outcome, tell=tell)
    shrinker.run()
    return shrinker


__all__ = ["UNTIL", "Shrinker", "shrink"]
