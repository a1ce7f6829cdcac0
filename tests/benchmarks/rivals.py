"""The rivals of the search: Hypothesis and detangle, over the same twins.

Both draw a latency seed and a few deviations from the timed run: at which
step, and then which of the things in reach goes first, which fault of the
budget strikes, how much later the next thing comes, or that a handler stops
between two ops. These are the choices that our own walks have. Both stop at
the first failure and shrink with their own shrinkers, towards no deviations.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import attrs

from sim.core.entropy import Stream
from sim.drivers.step import StepDriver
from sim.explore.menu import menu
from sim.explore.schedule import Case, Schedule, open_schedule
from sim.explore.walks import REACHES_US, Walk
from sim.scenario.playing.stage import Stage
from sim.scenario.playing.strikes import Striker
from sim.scenario.syntax import Scenario
from sim.world.activity import Activity
from sim.world.item import Item
from sim.world.world import World

FIRST, FAULT, LATE, STOP = range(4)
MOST = 4
LATEST_MS = 20_000
SEEDS = 1 << 16
PICKS = 63
CIRCLES = 20


@attrs.frozen
class Deviation:
    """At ``at`` (a count of happenings) something is not as in the timed run."""

    at: int
    kind: int
    pick: int
    by_ms: int


class Broken(AssertionError):
    """An invariant is broken."""


class TimeIsUp(KeyboardInterrupt):
    """Neither rival swallows a KeyboardInterrupt."""


class DrawnWalk(Walk):
    """Does at each step what was drawn for it."""

    def __init__(self, *args: Any, drawn: Sequence[Deviation], **settings: Any) -> None:
        super().__init__(*args, ops=True, **settings)
        self.faults_at = []
        self.drawn: dict[int, list[Deviation]] = {}
        for one in drawn:
            self.drawn.setdefault(one.at, []).append(one)

    def _next(self, *kinds: int) -> Deviation | None:
        for one in self.drawn.get(self.taken, ()):
            if one.kind in kinds:
                self.drawn[self.taken].remove(one)
                return one
        return None

    def allows(self, item: Item) -> bool:
        one = self._next(FAULT, LATE)
        if one is None:
            return super().allows(item)
        if one.kind == LATE:
            self.postpone(item, one.by_ms * 1_000)
            return not one.by_ms
        names = menu(self, self.channels, self.purse, item)
        return not (names and self._strike(names[one.pick % len(names)]))

    def choose(self, front: Item) -> Item:
        one = self._next(FIRST)
        if one is None:
            return front
        found = self.in_reach(front, REACHES_US[-1])
        return found[one.pick % len(found)]

    def stops(self, activity: Activity) -> bool:
        return self._next(STOP) is not None


def play(case: Case, seed: int, drawn: Sequence[Deviation], length: int) -> None:
    """One run from reset to verdict. Raises Broken."""
    made: list[DrawnWalk] = []

    def steer(scenario: Scenario, world: World, stage: Stage) -> DrawnWalk:
        made.append(
            DrawnWalk(
                world, Striker(world, stage), stage.channels(), case.faults,
                Stream(seed, "drawn"), drawn=drawn, length=length,
            )
        )  # fmt: skip
        return made[0]

    run = open_schedule(case, Schedule(seed), steer)
    violations = run.monitor.violations
    most = CIRCLES * length
    StepDriver(run.world).run(lambda: run.over() or bool(violations) or made[0].count > most)
    if run.director.over and not violations:
        run.monitor.finish(len(run.world.events) - 1)
    run.world.close()
    if violations:
        raise Broken(violations[0].invariant)


def by_hypothesis(case: Case, length: int, seed: int, cap_s: float) -> float | None:
    """Seconds until Hypothesis has found and shrunk a failure; None beyond ``cap_s``."""
    import hypothesis
    from hypothesis import strategies as st

    deviations = st.builds(
        Deviation,
        st.integers(0, length),
        st.integers(FIRST, STOP),
        st.integers(0, PICKS),
        st.integers(0, LATEST_MS),
    )
    end = time.perf_counter() + cap_s

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=1_000_000_000,
        deadline=None,
        database=None,
        derandomize=False,
        phases=(hypothesis.Phase.generate, hypothesis.Phase.shrink),
        suppress_health_check=list(hypothesis.HealthCheck),
        print_blob=False,
        report_multiple_bugs=False,
        verbosity=hypothesis.Verbosity.quiet,
    )
    @hypothesis.given(st.integers(0, SEEDS), st.lists(deviations, max_size=MOST))
    def test(latencies: int, drawn: list[Deviation]) -> None:
        if time.perf_counter() > end:
            raise TimeIsUp
        play(case, latencies, drawn, length)

    return _seconds(test)


def by_detangle(case: Case, length: int, seed: int, cap_s: float) -> float | None:
    """The same for detangle, whose choices are our deviations."""
    import detangle

    end = time.perf_counter() + cap_s

    async def main() -> None:
        if time.perf_counter() > end:
            raise TimeIsUp
        latencies = detangle.randint(0, SEEDS)
        drawn = [
            Deviation(
                detangle.randint(0, length),
                detangle.randint(FIRST, STOP),
                detangle.randint(0, PICKS),
                detangle.randint(0, LATEST_MS),
            )
            for _ in range(detangle.randint(0, MOST))
        ]
        play(case, latencies, drawn, length)

    return _seconds(lambda: detangle.explore(main, runs=1_000_000_000, seed=seed, database=False))


def _seconds(search: Any) -> float | None:
    """Real time until ``search`` comes back with a failure."""
    start = time.perf_counter()
    with suppress(TimeIsUp):
        try:
            search()
        except AssertionError:
            return time.perf_counter() - start
    return None
