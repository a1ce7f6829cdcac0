"""Faults by name: what a search may choose, and what a schedule can strike again."""

import pytest

from sim.core.event import FaultInjected
from sim.core.trace import digest_of
from sim.world import fault
from sim.world.fault import Budget
from sim.world.fault_choice import fault_choices, strike
from tests.world.play import pair

ALL = Budget(lose=1, duplicate=1, delay=1, cut=1, crash=1, channel=1)


def test_a_search_may_choose_every_fault_that_the_budget_allows():
    play, end = pair()
    play.say(end, "a")
    assert [choice.name for choice in fault_choices(play.world, ALL)] == [
        "cut D.a#1 fin",
        "cut D.a#1 rst",
        "cut D.a#1 silent",
        "lose D.a#1 D>S 1",
        "duplicate D.a#1 D>S 1",
        "crash S",
        "crash D",
    ]
    assert [c.kind for c in fault_choices(play.world, Budget(crash=1))] == ["crash", "crash"]
    assert fault_choices(play.world, Budget()) == []


def test_what_is_down_closed_or_a_copy_is_no_target():
    play, end = pair()
    play.say(end, "a")
    fault.duplicate(play.world, play.frame(end, "a"))
    fault.lose(play.world, play.frame(end, "a"))
    play.crash("D")
    assert [choice.name for choice in fault_choices(play.world, ALL)] == ["crash S"]


def test_striking_a_choice_leaves_its_name_in_the_trace():
    for nth in range(7):
        play, end = pair()
        play.say(end, "a")
        choice = fault_choices(play.world, ALL)[nth]
        choice.strike()
        assert play.events(FaultInjected)[-1].fault == choice.name


NAMES = [
    "hold D.a#1 D>S",
    "release D.a#1 D>S",
    "delay D.a#1 D>S 2 70000us",
    "duplicate D.a#1 D>S 3",
    "duplicate D.a#1 D>S 3 90000us",
    "lose D.a#1 D>S 1",
    "cut D.a#1 silent",
    "heal D.a#1",
    "skew D -500us",
    "sleep D 1000us",
    "cut D.a#1 rst",
    "crash D",
    "restart D",
]


def test_a_named_fault_strikes_as_it_did_and_leaves_the_same_name():
    play, end = pair()
    play.say(end, "a", "b", "c")
    assert [strike(play.world, name) for name in NAMES] == [True] * len(NAMES)
    assert [event.fault for event in play.events(FaultInjected)] == NAMES


def test_the_names_in_a_trace_are_a_script_that_gives_the_same_trace():
    def run(names):
        play, end = pair()
        play.say(end, "a", "b", "c")
        for name in names:
            strike(play.world, name)
        play.run()
        return play

    first = run(NAMES)
    again = run([event.fault for event in first.events(FaultInjected)])
    assert digest_of(first.world.events) == digest_of(again.world.events)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "explode D",
        "cut D.a#1",
        "cut D.a#1 softly",
        "cut D.a#9 fin",
        "heal",
        "hold D.a#1 D>X",
        "hold D.a#1 X>S",
        "hold D.a#1 D",
        "lose D.a#1 D>S 9",
        "lose D.a#1 D>S one",
        "duplicate D.a#1 D>S 9",
        "delay D.a#1 D>S 9 5us",
        "crash X",
        "restart D",
        "skew D much",
        "sleep X 5us",
    ],
)
def test_a_fault_that_fits_nothing_strikes_nothing(name):
    play, end = pair()
    play.say(end, "a")
    before = len(play.world.events)
    assert strike(play.world, name) is False
    assert len(play.world.events) == before
