"""Races that a search once found in the twins themselves, with all rules on.

Each file of ``tests/data/found`` is a shrunk finding of that time. A handler that is
stopped between two ops is stopped behind each of its first ops: which of them it was
may change with the code, and none of them may be the wrong one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from sim.explore.schedule import Schedule
from sim.explore.store import read_stored
from sim.explore.trial import judged
from sim.world.helm import Step
from tests.architecture.source import ROOT

STORED = sorted((ROOT / "tests" / "data" / "found").glob("*.json"))
PLACE = re.compile(r"(?<=/)\d+$")
OPS = 9


def nearby(schedule: Schedule) -> Iterator[Schedule]:
    """The schedule, and those that stop its handlers one or more ops earlier or later."""
    yield schedule
    for number, step in enumerate(schedule.steps):
        if step.is_fault or PLACE.search(step.at) is None:
            continue
        for nth in range(1, OPS + 1):
            moved = Step(PLACE.sub(str(nth), step.at), step.do)
            steps = (*schedule.steps[:number], moved, *schedule.steps[number + 1 :])
            yield attrs.evolve(schedule, steps=steps)


@pytest.mark.parametrize("path", STORED, ids=lambda path: path.stem)
def test_a_race_that_was_found_breaks_nothing_any_more(path: Path) -> None:
    case, schedule, _ = read_stored(path)
    assert not case.without
    for one in nearby(schedule):
        broken = [f"{v.invariant}: {v.text}" for v in judged(case, one).violations]
        assert not broken, f"{one.steps}"


def test_there_are_such_races() -> None:
    assert len(STORED) >= 5
