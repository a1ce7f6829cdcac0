"""The search: batches of tries until something is found or the budget is used up."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from sim.explore.engine import Engine
from sim.explore.schedule import Case
from sim.explore.strategies import Strategy
from sim.explore.trial import Outcome, Try, attempt, plain

BATCH = 64
MANY = 1 << 62


@attrs.define(eq=False)
class Search:
    """What is known so far; ``run`` adds to it.

    ``most`` schedules at most; ``out_of_time`` is asked after each outcome.
    ``everything``: go on after the first broken invariant, one outcome is kept
    for each. ``length`` is how much happens in the timed run.
    """

    case: Case
    strategy: Strategy
    engine: Engine
    most: int | None = None
    everything: bool = False
    out_of_time: Callable[[], bool] = lambda: False
    schedules: int = 0
    length: int = 0
    covered: set[int] = attrs.field(factory=set)
    found: dict[str, Outcome] = attrs.field(factory=dict)
    interrupted: bool = False

    @property
    def complete(self) -> bool:
        """Whether a bounded search has tried all that it may try."""
        return self.strategy.complete

    def run(self, tell: Callable[[Search], None] = lambda _: None) -> None:
        """Search. KeyboardInterrupt ends it early (``interrupted``); nothing is lost."""
        try:
            self._timed_run()
            while not self._over():
                if not self._batch(tell):
                    break
        except KeyboardInterrupt:
            self.interrupted = True

    def _timed_run(self) -> None:
        """The first try is the run that ``hooktwin run`` makes."""
        outcome = attempt(self.case, Try(0, plain(self.case)))
        self.length = outcome.happened
        if self.strategy.name != "exhaustive":  # which begins with this one
            self._count(outcome)

    def _batch(self, tell: Callable[[Search], None]) -> bool:
        room = MANY if self.most is None else self.most - self.schedules
        tries = self.strategy.propose(min(BATCH, room))
        numbered = [attrs.evolve(t, number=self.schedules + n) for n, t in enumerate(tries)]
        for outcome in self.engine.run(numbered, self.length):
            self.strategy.learn(outcome)
            self._count(outcome)
            tell(self)
            if self._over():
                break
        return bool(tries)

    def _count(self, outcome: Outcome) -> None:
        self.schedules += 1
        self.covered |= outcome.situations
        if outcome.failed:
            self.found.setdefault(outcome.violations[0].invariant, outcome)

    def _over(self) -> bool:
        if self.found and not self.everything:
            return True
        if self.most is not None and self.schedules >= self.most:
            return True
        return self.out_of_time() or (self.complete and self.strategy.name != "portfolio")
