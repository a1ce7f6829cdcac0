"""Strategies: who proposes what to try next, and learns from what came of it.

One interface. A strategy is asked for a batch, then told every outcome of it
in order, and must depend on nothing else: so the same budget of schedules finds
the same things in one process and in many.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Protocol

import attrs

from sim.core.entropy import Stream
from sim.explore.schedule import Case, Schedule
from sim.explore.trial import Outcome, Try, plain
from sim.world.helm import Step


class Strategy(Protocol):
    """``name`` as the command line writes it."""

    name: str

    @property
    def complete(self) -> bool:
        """Whether all that is bounded has been tried."""

    def propose(self, count: int) -> list[Try]:
        """At most ``count`` tries; none only when it has nothing (more) to try."""

    def learn(self, outcome: Outcome) -> None:
        """What came of one of its tries."""

    def told(self) -> str:
        """What it can say at the end, empty if nothing."""


class RandomWalk:
    """One kind of walk with ever new draws. ``timings`` also draws new latencies."""

    complete = False

    def __init__(self, case: Case, walk: str) -> None:
        self.case = case
        self.name = walk
        self._made = 0

    def propose(self, count: int) -> list[Try]:
        first, self._made = self._made, self._made + count
        return [self._try(number) for number in range(first, self._made)]

    def _try(self, number: int) -> Try:
        seed = self.case.seed
        draws = (seed << 32) + number
        base = plain(self.case)
        schedule = attrs.evolve(base, seed=seed + number if self.name == "timings" else seed)
        return Try(0, schedule, self.name, draws, self.name)

    def learn(self, outcome: Outcome) -> None:
        """A walk does not learn."""

    def told(self) -> str:
        return ""


class Exhaustive:
    """Every schedule with at most ``most`` deviations from the timed run, nearest first.

    Schedules that lead every host through the same (see ``track``) are expanded
    once: orders of independent things are not told apart. One that fails is not
    expanded at all: what it would lead to fails already.
    """

    name = "exhaustive"

    def __init__(self, case: Case, most: int) -> None:
        self.case = case
        self.most = most
        self.complete = False
        self.tried = 0
        self.same = 0
        base = plain(case).steps
        self._queue: deque[tuple[int, tuple[Step, ...]]] = deque([(0, base)])
        self._known: dict[frozenset[Step], None] = {frozenset(base): None}
        self._seen: dict[int, None] = {}
        self._running = 0

    def propose(self, count: int) -> list[Try]:
        found: list[Try] = []
        while self._queue and len(found) < count:
            depth, steps = self._queue.popleft()
            schedule = Schedule(self.case.seed, steps)
            found.append(
                Try(0, schedule, draws=depth, strategy=self.name, expand=depth < self.most)
            )
        self._running += len(found)
        return found

    def learn(self, outcome: Outcome) -> None:
        self.tried += 1
        self._running -= 1
        tried = outcome.tried
        if tried.expand:
            if outcome.fingerprint in self._seen:
                self.same += 1
            else:
                self._seen[outcome.fingerprint] = None
                self._expand(tried, outcome)
        self.complete = not self._queue and not self._running

    def _expand(self, tried: Try, outcome: Outcome) -> None:
        steps = tried.schedule.steps
        for variation in outcome.variations:
            longer = (*steps, *variation)
            key = frozenset(longer)
            if len(key) == len(longer) and key not in self._known:
                self._known[key] = None
                self._queue.append((tried.draws + 1, longer))

    def told(self) -> str:
        if not self.complete:
            return ""
        few = "1 deviation" if self.most == 1 else f"{self.most} deviations"
        return f"all {self.tried:,} schedules checked (those with at most {few})"


class CoverageGuided:
    """Goes on from what has met new situations: keeps a part of it, walks on from there."""

    name = "coverage"
    complete = False

    def __init__(self, case: Case) -> None:
        self.case = case
        self.stream = Stream(case.seed, "coverage")
        self.covered: set[int] = set()
        self.corpus: list[Schedule] = [plain(case)]
        self._made = 0

    def propose(self, count: int) -> list[Try]:
        return [self._try() for _ in range(count)]

    def _try(self) -> Try:
        self._made += 1
        stream = self.stream
        # Half of the time from the newer half: that is where something is new.
        low = len(self.corpus) // 2 if stream.between(0, 1) else 0
        parent = self.corpus[stream.between(low, len(self.corpus) - 1)]
        kept = tuple(step for step in parent.steps if stream.fraction() < 0.85)
        walk = ("uniform", "timings", "pct")[stream.between(0, 2)]
        draws = (self.case.seed << 32) + (1 << 31) + self._made
        return Try(0, attrs.evolve(parent, steps=kept), walk, draws, self.name)

    def learn(self, outcome: Outcome) -> None:
        new = outcome.situations - self.covered
        if new:
            self.covered |= new
            if not outcome.failed and len(outcome.schedule.steps) <= 60:
                self.corpus.append(outcome.schedule)

    def told(self) -> str:
        return ""


class Portfolio:
    """Divides the tries among all strategies; who meets new situations gets more of them."""

    name = "portfolio"

    def __init__(self, case: Case, most: int) -> None:
        self.exhaustive = Exhaustive(case, most)
        self.arms: list[Strategy] = [
            self.exhaustive,
            RandomWalk(case, "timings"),
            RandomWalk(case, "uniform"),
            RandomWalk(case, "pct"),
            CoverageGuided(case),
        ]
        self.covered: set[int] = set()
        self.gains = [1.0] * len(self.arms)
        self._next = self._turns()

    @property
    def complete(self) -> bool:
        """A random walk always has more to try; what is bounded has been tried."""
        return self.exhaustive.complete

    def _turns(self) -> Iterator[int]:
        """Whose turn it is: in proportion to the gains, nobody left out."""
        owed = [0.0] * len(self.arms)
        while True:
            total = sum(self.gains)
            for number, gain in enumerate(self.gains):
                owed[number] += 0.4 / len(self.arms) + 0.6 * gain / total
            best = max(range(len(owed)), key=owed.__getitem__)
            owed[best] -= 1.0
            yield best

    def propose(self, count: int) -> list[Try]:
        wanted = [0] * len(self.arms)
        for _ in range(count):
            wanted[next(self._next)] += 1
        found: list[Try] = []
        for arm, number in zip(self.arms, wanted, strict=True):
            found += arm.propose(number)
        return found

    def learn(self, outcome: Outcome) -> None:
        names = [arm.name for arm in self.arms]
        number = names.index(outcome.tried.strategy)
        new = outcome.situations - self.covered
        self.covered |= new
        self.gains[number] = 0.98 * self.gains[number] + 0.02 * (5.0 * len(new) + 0.5)
        self.arms[number].learn(outcome)

    def told(self) -> str:
        return self.exhaustive.told()


STRATEGIES = ("portfolio", "exhaustive", "timings", "uniform", "pct", "coverage")


def make_strategy(name: str, case: Case, deviations: int) -> Strategy:
    """A strategy by its name. Raises KeyError for any other word."""
    if name == "portfolio":
        return Portfolio(case, deviations)
    if name == "exhaustive":
        return Exhaustive(case, deviations)
    if name == "coverage":
        return CoverageGuided(case)
    return {walk: RandomWalk(case, walk) for walk in ("timings", "uniform", "pct")}[name]
