"""The blame curve: where a failing run was decided."""

from __future__ import annotations

import pytest

from sim.explore.blame import Blamed, blame, steep
from sim.explore.schedule import Case, Schedule
from sim.explore.trial import judged
from tests.explore.cases import case, searched

FORKS = 12


@pytest.fixture(scope="module")
def race() -> tuple[Case, Schedule, list[Blamed]]:
    """The classic in its shortest form."""
    from sim.explore.shrink import shrink

    of = case("reopen-teardown", "ownership-at-write")
    (outcome,) = searched(of, "portfolio", 10).found.values()
    schedule = shrink(of, outcome).best.schedule
    return of, schedule, blame(of, schedule, "close-out-respects-owner", FORKS)


def test_each_step_of_the_failing_run_has_a_chance(
    race: tuple[Case, Schedule, list[Blamed]],
) -> None:
    of, schedule, curve = race
    assert len(curve) == judged(of, schedule).happened
    assert all(0.0 <= one.chance <= 1.0 for one in curve)


def test_the_last_step_is_certain_to_fail(race: tuple[Case, Schedule, list[Blamed]]) -> None:
    assert race[2][-1].chance == 1.0


def test_before_the_decisive_step_it_may_still_pass(
    race: tuple[Case, Schedule, list[Blamed]],
) -> None:
    assert min(one.chance for one in race[2]) < 0.8


def test_the_curve_is_the_same_every_time(race: tuple[Case, Schedule, list[Blamed]]) -> None:
    of, schedule, curve = race
    assert blame(of, schedule, "close-out-respects-owner", FORKS) == curve


def test_steep_places_are_where_the_chance_rises() -> None:
    curve = [Blamed(str(n), chance) for n, chance in enumerate((0.1, 0.1, 0.6, 0.62, 1.0, 1.0))]
    assert steep(curve) == [2, 4]


def test_a_run_that_nothing_can_avoid_has_no_steep_place() -> None:
    assert steep([Blamed("a", 1.0), Blamed("b", 1.0)]) == []
