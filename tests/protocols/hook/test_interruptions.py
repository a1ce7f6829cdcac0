"""Every handler is interrupted everywhere, one deviation at a time: the twins stay right.

The guards that ask again after a wait matter only in runs in which something
came between. So each schedule is tried that differs from a scenario's timed run
in one thing: a race that goes the other way, or a handler that stops between two
ops until something else has reached its host. The invariants judge each of them,
and then the books.
"""

from __future__ import annotations

import pytest

from sim.drivers.step import StepDriver
from sim.explore.schedule import Case, Schedule, open_schedule
from sim.explore.trial import Try, attempt, plain, play_out
from sim.scenario.playing.stage import Stage
from sim.scenario.playing.strikes import Striker
from sim.scenario.syntax import Scenario
from sim.world.helm import Helm
from sim.world.world import World
from tests.explore.cases import case
from tests.protocols.hook.test_books import MINUTE_US, audit

SMALL = (
    ("cancel-crosses-end", ""),
    ("card-in-round", "channel:1"),
    ("cut-redelivers", ""),
    ("end-before-retry", ""),
    ("half-open-round", "crash:1"),
    ("interrupted-then-back", ""),
    ("never-back", ""),
    ("no-list", ""),
    ("typical", "cut:1"),
    ("webhook-twice", ""),
    ("x-delivery", "channel:1"),
)
"""Scenarios with few things in them, and the faults that may be the deviation."""
LARGER = (
    ("ask-and-press", "channel:1"),
    ("behavior", ""),
    ("bind-slack", "cut:1"),
    ("bind-telegram", "crash:1"),
    ("card-repeated", "channel:1"),
    ("choose-model", "crash:1"),
    ("default-folder", ""),
    ("late-ack", "crash:1"),
    ("offline-burst", ""),
    ("parallel-threads", ""),
    ("prefs", "cut:1"),
    ("queued", "channel:1"),
    ("quit-after-answer", "crash:1"),
    ("retry", "cut:1"),
    ("retry-repeated", "crash:1"),
    ("telegram-answer", "channel:1"),
    ("x-retry", "channel:1"),
)


def broken(of: Case, schedule: Schedule) -> list[str]:
    """What is wrong with a schedule of this case."""

    def steer(_: Scenario, world: World, stage: Stage) -> Helm:
        return Helm(world, Striker(world, stage), schedule.steps)

    run = open_schedule(of, schedule, steer)
    helm = run.helm
    assert helm is not None
    found = [str(one) for one in play_out(run, helm)]
    if not found:
        StepDriver(run.world).run(limit_us=run.world.now + MINUTE_US)
        found = audit(run.world)
    run.world.close()
    return found


def wrong(of: Case) -> dict[str, list[str]]:
    """The first schedule, by its steps, that differs in one thing and is wrong."""
    timed = attempt(of, Try(0, plain(of), expand=True))
    assert timed.variations
    for steps in timed.variations:
        if found := broken(of, Schedule(of.seed, steps)):
            return {str(steps): found}
    return {}


@pytest.mark.parametrize(("name", "faults"), SMALL)
def test_one_deviation_from_a_small_scenario_breaks_nothing(name: str, faults: str) -> None:
    assert wrong(case(name, faults=faults)) == {}


@pytest.mark.deep
@pytest.mark.parametrize(("name", "faults"), LARGER)
def test_one_deviation_from_a_larger_scenario_breaks_nothing(name: str, faults: str) -> None:
    assert wrong(case(name, faults=faults)) == {}
