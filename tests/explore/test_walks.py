"""Walks write down what they decide: following their steps gives the same run."""

from __future__ import annotations

import pytest

from sim.explore.menu import kind_of
from sim.explore.situations import told
from sim.explore.trial import Try, attempt
from tests.explore.cases import EVERY_FAULT, case, facts, walked

WALKS = ("uniform", "pct", "timings")
NAMES = ("typical", "reopen-teardown", "two-presses", "x-retry")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("walk", WALKS)
def test_the_steps_of_a_walk_lead_through_the_same_run(walk: str, name: str) -> None:
    of = case(name, faults=EVERY_FAULT)
    for draws in range(12):
        outcome = walked(of, walk, draws)
        again = attempt(of, Try(0, outcome.schedule))
        assert facts(again) == facts(outcome), (walk, name, draws)


@pytest.mark.parametrize("walk", WALKS)
def test_a_walk_that_goes_on_from_given_steps_writes_down_all_of_them(walk: str) -> None:
    of = case("cancel-crosses-end", faults=EVERY_FAULT)
    for draws in range(12):
        first = walked(of, "uniform", draws).schedule
        longer = attempt(of, Try(0, first, walk, draws + 100), length=60)
        assert facts(attempt(of, Try(0, longer.schedule))) == facts(longer), (walk, draws)


def test_the_same_draws_walk_the_same_way() -> None:
    of = case("typical", faults=EVERY_FAULT)
    assert walked(of, "pct", 7) == walked(of, "pct", 7)


def test_other_draws_walk_other_ways() -> None:
    of = case("typical", faults=EVERY_FAULT)
    assert len({walked(of, "uniform", draws).schedule for draws in range(10)}) > 5


@pytest.mark.parametrize("walk", WALKS)
def test_no_walk_spends_more_faults_than_its_budget_has(walk: str) -> None:
    of = case("typical", faults="cut:1,channel:2")
    spent: dict[str, int] = {}
    for draws in range(40):
        steps = walked(of, walk, draws).schedule.steps
        kinds = [kind_of(step.do) for step in steps if step.is_fault]
        assert kinds.count("cut") <= 1
        assert kinds.count("channel") <= 2
        assert set(kinds) <= {"cut", "channel"}
        for kind in kinds:
            spent[kind] = spent.get(kind, 0) + 1
    assert set(spent) == {"cut", "channel"}  # and it does spend them


def test_without_a_budget_there_are_no_faults() -> None:
    of = case("typical")
    steps = [s for d in range(30) for s in walked(of, "uniform", d).schedule.steps]
    assert steps
    assert not any(step.is_fault for step in steps)


def test_each_walk_meets_situations_that_the_timed_run_does_not() -> None:
    of = case("typical", faults=EVERY_FAULT)
    timed = attempt(of, Try(0, walked(of, "uniform", 0).tried.schedule)).situations
    for walk in WALKS:
        met = frozenset().union(*(walked(of, walk, d).situations for d in range(25)))
        assert len(met - timed) > 5, walk


def test_what_came_of_requests_over_http_is_a_situation_and_names_no_ids() -> None:
    of = case("press-at-once", faults="http:1")
    timed = walked(of, "uniform", 0).situations
    words = {told(one) for one in timed}
    assert "listener running, claimed GET:/question 200" in words
    assert not any(id in word for word in words for id in ("que_", "ses_", "call_"))
    met = frozenset().union(*(walked(of, "uniform", d).situations for d in range(8)))
    assert {told(one) for one in met - timed}


def test_a_handler_can_die_between_two_ops() -> None:
    of = case("typical", faults="crash:1")
    places = [
        step.at
        for draws in range(120)
        for steps in [walked(of, "pct", draws).schedule.steps]
        if any(s.is_fault for s in steps)
        for step in steps
        if step.do == "late 0us"
    ]
    assert places
