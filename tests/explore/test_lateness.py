"""What a search puts off, oracles of time excuse; what nobody put off, they do not."""

from __future__ import annotations

import pytest

from sim.explore.schedule import Case, Schedule, open_schedule
from sim.explore.trial import judged, plain, play_out
from sim.scenario.playing.stage import Stage
from sim.scenario.playing.strikes import Striker
from sim.scenario.syntax import Scenario
from sim.world.helm import END, Helm, Step
from sim.world.world import World
from tests.explore.cases import case, walked

SECOND_US = 1_000_000
PING = "fire A ping 1"


def followed(of: Case, *steps: Step) -> Helm:
    """The helm of a run with these steps, at its end."""
    made: list[Helm] = []

    def steer(scenario: Scenario, world: World, stage: Stage) -> Helm:
        made.append(Helm(world, Striker(world, stage), steps))
        return made[0]

    run = open_schedule(of, plain(of), steer)
    play_out(run, made[0])
    return made[0]


@pytest.mark.parametrize(
    "name", ["cancel-crosses-end", "pings-keep-alive", "first-hello-then-auth"]
)
def test_in_the_timed_run_nothing_is_late(name: str) -> None:
    assert followed(case(name)).most_late_us() == 0


def test_what_is_put_off_is_so_much_late() -> None:
    of = case("pings-keep-alive")
    assert followed(of, Step(PING, f"late {3 * SECOND_US}us")).most_late_us() == 3 * SECOND_US


def test_what_is_put_off_for_ever_is_late_until_nobody_wants_it_any_more() -> None:
    helm = followed(case("pings-keep-alive"), Step(PING, f"until {END}"))
    # A's ping was due at 8.3 s; the relay ends A's session 24 s after A's auth.
    assert 15 * SECOND_US < helm.late_us < 17 * SECOND_US
    assert helm.most_late_us() == helm.late_us


def test_a_handler_that_stands_still_is_late() -> None:
    at = "deliver A.controller#1 R>A auth_ack @A.on_frame/1"
    assert followed(case("pings-keep-alive"), Step(at, "late 0us")).most_late_us() == 0
    late = followed(case("pings-keep-alive"), Step(at, "late 250000us"))
    assert late.most_late_us() == 250_000


def test_a_peer_that_is_silent_by_itself_is_found_in_the_timed_run() -> None:
    of = case("pings-keep-alive", "pings-in-time")
    broken = judged(of, plain(of)).violations
    assert [one.invariant for one in broken[:1]] == ["controllers-keep-alive"]


def test_a_peer_that_the_search_makes_silent_is_no_finding() -> None:
    of = case("pings-keep-alive")
    schedule = Schedule(of.seed, (Step(PING, f"late {20 * SECOND_US}us"),))
    outcome = judged(of, schedule)
    assert outcome.violations == ()


@pytest.mark.parametrize("walk", ["uniform", "pct", "timings"])
def test_walks_through_relay_scenarios_find_nothing_where_all_rules_are_on(walk: str) -> None:
    of = case("waited-too-long", faults="cut:2,duplicate:2,crash:1,lose:1,delay:2")
    for draws in range(3):
        outcome = walked(of, walk, draws)
        assert outcome.violations == (), draws
        assert not any("@R.on_frame/" in step.at for step in outcome.schedule.steps)
