"""The eight races: clean while the rules are on, found when one is off, shrunk to what matters."""

from __future__ import annotations

from collections.abc import Iterator

import attrs
import pytest

from sim.explore.droppable import parts_of
from sim.explore.schedule import Case, Schedule
from sim.explore.shrink import shrink
from sim.explore.trial import judged, plain
from sim.play import play
from tests.benchmarks.races import RACES, Race, hits
from tests.explore.cases import searched

# Of the seeds from 1 on, with which the default strategy finds a race soon.
SOON = {"race-slow-edit": 6, "race-accepted-lost": 2}
BUDGET = 4_000
WALKS = ("timings", "uniform", "pct")

each_race = pytest.mark.parametrize("race", RACES, ids=lambda race: race.name)


@each_race
def test_the_timed_run_of_a_race_holds_with_its_rule_and_without(race: Race) -> None:
    assert play(race.case().scenario, driver="step").ok
    for rules_on in (True, False):
        case = race.case(rules_on=rules_on)
        assert judged(case, plain(case)).violations == ()


@each_race
def test_a_race_is_clean_while_all_rules_are_on(race: Race) -> None:
    case = race.case(rules_on=True)
    assert not searched(case, "portfolio", 60, everything=True).found


@each_race
def test_a_race_is_found_without_its_rule_and_shrunk_to_a_local_minimum(race: Race) -> None:
    case = race.case(seed=SOON.get(race.name, 1))
    search = searched(case, "portfolio", BUDGET)
    (found,) = search.found.values()
    assert found.violations[0].invariant in race.broken
    small = shrink(case, found).best
    broken = small.violations[0].invariant
    assert broken == found.violations[0].invariant
    for smaller in smaller_than(case, small.schedule):
        assert [one.invariant for one in judged(case, smaller).violations[:1]] != [broken], smaller


def smaller_than(case: Case, schedule: Schedule) -> Iterator[Schedule]:
    """The schedule with any one thing less: a step, or a line of the diagram."""
    for n in range(len(schedule.steps)):
        rest = (*schedule.steps[:n], *schedule.steps[n + 1 :])
        yield attrs.evolve(schedule, steps=rest)
    for line in parts_of(case.scenario).lines:
        if line not in schedule.dropped:
            yield attrs.evolve(schedule, dropped=schedule.dropped | {line})


@pytest.mark.deep
@each_race
@pytest.mark.parametrize("walk", WALKS)
def test_thousands_of_walks_through_a_race_are_clean_while_all_rules_are_on(
    race: Race, walk: str
) -> None:
    assert hits(race.case(rules_on=True), walk, 2_000) == {}


@pytest.mark.deep
@each_race
def test_chance_seldom_hits_a_race(race: Race) -> None:
    """At most one of a hundred random schedules; the search must earn what it finds."""
    assert sum(hits(race.case(), "timings", 2_000).values()) <= 25
