"""Blame: how likely the run still fails when it is left to chance from each step on.

Where the curve jumps up, something was decided. At a step where only one thing
could happen there is nothing to fork; else the forks are dealt out evenly to
what could have happened instead, and the share that would have gone on as the
failing run did counts with the next step's probability: the same expectation as
64 independent forks per step, from fewer runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import attrs

from sim.core.entropy import Stream
from sim.drivers.step import many_runs
from sim.explore.engine import deaf, make_pool
from sim.explore.schedule import Case, Schedule, open_schedule
from sim.explore.trial import play_out
from sim.explore.walks import UniformWalk
from sim.scenario.playing.stage import Stage
from sim.scenario.playing.strikes import Striker
from sim.scenario.syntax import Scenario
from sim.world.fault import Budget
from sim.world.helm import Helm
from sim.world.item import Item
from sim.world.world import World

FORKS = 64
REACH_US = 400_000


@attrs.frozen
class Blamed:
    """``chance`` that the run still fails if it is random from ``name`` on."""

    name: str
    chance: float


class _Fork(UniformWalk):
    """Follows a schedule for ``until`` steps, takes another way there, then drifts."""

    def fork(self, until: int, way: int, deviates: float) -> None:
        """``way``: which of the other things goes first at the fork; -1: never fork."""
        self.until = until
        self.way = way
        self.reach_us = REACH_US
        self.deviates = deviates
        self.ways: list[int] = []
        self.names: list[str] = []

    def choose(self, front: Item) -> Item:
        if self.way < 0:
            self.ways.append(len(self.in_reach(front, REACH_US)))
            self.names.append(self.key(front))
            return front
        if self.taken < self.until:
            return front
        if self.taken == self.until:
            self.table.clear()
            self.faults.clear()
            found = self.in_reach(front, REACH_US)
            return found[1 + self.way % (len(found) - 1)] if len(found) > 1 else front
        return super().choose(front)


def blame(
    case: Case,
    schedule: Schedule,
    invariant: str,
    forks: int = FORKS,
    tell: Callable[[int, int], None] = lambda _done, _all: None,
    jobs: int = 1,
) -> list[Blamed]:
    """The curve, from the first step to the one that breaks the invariant.

    ``tell`` gets the number of steps done and of all steps; ``jobs`` processes share
    the work, with the same result.
    """
    watched = _run(case, schedule, invariant, 0, -1, 0)[1]
    others = [ways - 1 for ways in watched.ways]
    tasks = [
        _Task(case, schedule, invariant, step, round(forks * other / (other + 1)), forks)
        for step, other in enumerate(others)
    ]
    shares: list[float] = []
    for share in _measured(tasks, jobs):
        shares.append(share)
        tell(len(shares), len(tasks))
    return _curve(watched.names, others, shares)


def _curve(names: list[str], others: list[int], shares: list[float]) -> list[Blamed]:
    """From the end: going on as the failing run did counts with the next step's chance."""
    chance = 1.0
    curve: list[Blamed] = []
    for name, other, share in zip(reversed(names), reversed(others), reversed(shares), strict=True):
        chance = (chance + share * other) / (other + 1)
        curve.append(Blamed(name, chance))
    curve.reverse()
    return curve


@attrs.frozen
class _Task:
    case: Case
    schedule: Schedule
    invariant: str
    step: int
    count: int
    forks: int

    def share(self) -> float:
        """Which share of the runs fails that go another way at this step."""
        failed = 0
        with many_runs() as after_run:
            for n in range(self.count):
                draws = self.step * self.forks + n
                failed += _run(self.case, self.schedule, self.invariant, self.step, n, draws)[0]
                after_run()
        return failed / self.count if self.count else 0.0


def _measured(tasks: list[_Task], jobs: int) -> Iterator[float]:
    if jobs == 1 or not tasks:
        yield from map(_Task.share, tasks)
        return
    pool = make_pool(tasks[0].case, jobs)
    try:
        with deaf():
            futures = [pool.submit(_Task.share, task) for task in tasks]
        for future in futures:
            yield future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _run(
    case: Case, schedule: Schedule, invariant: str, until: int, way: int, draws: int
) -> tuple[bool, _Fork]:
    made: list[_Fork] = []

    def steer(_: Scenario, world: World, stage: Stage) -> Helm:
        stream = Stream(draws, "blame")
        fork = _Fork(
            world, Striker(world, stage), stage.channels(), Budget(), stream,
            steps=schedule.steps, length=1, ops=False,
        )  # fmt: skip
        fork.fork(until, way, 0.3)
        made.append(fork)
        return fork

    run = open_schedule(case, schedule, steer)
    violations = play_out(run, made[0])
    run.world.close()
    return any(one.invariant == invariant for one in violations[:1]), made[0]


def steep(curve: Sequence[Blamed], most: int = 3) -> list[int]:
    """The steps at which the chance rises most, in their order."""
    rises = [
        (curve[n].chance - curve[n - 1].chance, n)
        for n in range(1, len(curve))
        if curve[n].chance - curve[n - 1].chance > 0.05
    ]
    return sorted(n for _, n in sorted(rises, reverse=True)[:most])
