"""Blame: how likely the run still fails when it is left to chance from each step on.

Where the curve jumps up, something was decided. At a step where only one thing
could happen there is nothing to fork; else the forks are dealt out evenly to
what could have happened instead, and the share that would have gone on as the
failing run did counts with the next step's probability: the same expectation as
64 independent forks per step, from fewer runs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs

from sim.core.entropy import Stream
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
) -> list[Blamed]:
    """The curve, from the first step to the one that breaks the invariant.

    ``tell`` gets the number of steps done and of all steps. KeyboardInterrupt
    is the caller's; what is not measured yet has the chance of the step behind it.
    """
    watched = _run(case, schedule, invariant, 0, -1, 0)[1]
    chance = 1.0
    curve: list[Blamed] = []
    last = len(watched.names) - 1
    for step in range(last, -1, -1):
        others = watched.ways[step] - 1
        if others > 0:
            count = round(forks * others / (others + 1))
            failed = sum(
                _run(case, schedule, invariant, step, n, step * forks + n)[0] for n in range(count)
            )
            chance = chance / (others + 1) + failed / count * others / (others + 1)
        curve.append(Blamed(watched.names[step], chance))
        tell(last - step + 1, last + 1)
    curve.reverse()
    return curve


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
