"""The search: strategies, budgets, completeness, and the same findings in many processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import pytest

from sim.explore.engine import ProcessEngine, SerialEngine
from sim.explore.schedule import Case, Schedule
from sim.explore.search import Search
from sim.explore.strategies import STRATEGIES, Exhaustive, make_strategy
from sim.explore.trial import Outcome, Try, attempt
from tests.explore.cases import EVERY_FAULT, case, searched, written_case

SMALL = """sequenceDiagram
    actor U as Alice
    participant IM as Slack
    participant S as server
    participant D as desktop
    U->>IM: message "hello"
    S->>D: task.dispatch (requestId=R1)
    D->>S: turn.end (ok, requestId=R1)
"""


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_finds_the_classic_race(strategy: str) -> None:
    of = case("reopen-teardown", "ownership-at-write", faults="cut:1")
    assert "close-out-respects-owner" in searched(of, strategy, 300).found


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_strategy_finds_anything_when_all_rules_are_on(strategy: str) -> None:
    of = case("reopen-teardown", faults=EVERY_FAULT)
    assert not searched(of, strategy, 80).found


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_search_makes_no_more_schedules_than_it_may(strategy: str) -> None:
    assert searched(case("typical"), strategy, 70).schedules == 70


def test_a_search_stops_when_time_is_up() -> None:
    of = case("typical")
    search = Search(of, make_strategy("uniform", of, 1), SerialEngine(of))
    search.out_of_time = lambda: search.schedules >= 5
    search.run()
    assert search.schedules == 5


def test_the_first_schedule_is_the_timed_run() -> None:
    of = case("reopen-teardown", "ownership-at-write")
    search = searched(of, "uniform", 10)
    (found,) = search.found.values()
    assert (search.schedules, found.schedule) == (1, Schedule(of.seed))


def test_a_file_that_steers_itself_is_searched_from_there() -> None:
    steered = '    %% @late "line 6" by 100ms\n'
    of = written_case(SMALL.replace("sequenceDiagram\n", f"sequenceDiagram\n{steered}"))
    for strategy in STRATEGIES:
        tried = make_strategy(strategy, of, 1).propose(5)
        assert all(one.schedule.steps[:1] == of.scenario.settings.steps for one in tried[:1])


def test_a_bounded_search_says_when_it_has_tried_everything() -> None:
    search = searched(written_case(SMALL), "exhaustive", 10_000)
    assert search.complete
    assert search.strategy.told() == (
        f"all {search.schedules:,} schedules checked (those with at most 1 deviation)"
    )


def test_a_bounded_search_that_was_cut_short_does_not_say_so() -> None:
    search = searched(written_case(SMALL), "exhaustive", 5)
    assert not search.complete
    assert search.strategy.told() == ""


def test_more_deviations_are_more_schedules() -> None:
    of = written_case(SMALL)
    counts = []
    for deviations in (0, 1):
        search = Search(of, Exhaustive(of, deviations), SerialEngine(of), most=2_000)
        search.run()
        assert search.complete
        counts.append(search.schedules)
    assert counts[0] == 1
    assert 30 < counts[1] < 100


@pytest.mark.deep
def test_two_deviations_are_some_thousand_schedules_all_of_them_clean() -> None:
    of = written_case(SMALL)
    search = Search(of, Exhaustive(of, 2), SerialEngine(of), most=20_000, everything=True)
    search.run()
    assert search.complete
    assert search.schedules > 1_000
    assert not search.found


def test_orders_of_independent_things_have_one_fingerprint() -> None:
    """Two runs whose hosts saw the same in the same order are one; others are not."""
    of = written_case(SMALL)
    base = attempt(of, Try(0, Schedule(of.seed), expand=True))
    prints: dict[int, set[tuple[object, ...]]] = {}
    for variation in base.variations:
        outcome = attempt(of, Try(0, Schedule(of.seed, variation), expand=True))
        prints.setdefault(outcome.fingerprint, set()).add(
            (outcome.events, outcome.violations, outcome.situations)
        )
    assert len(prints) > 5
    for same in prints.values():
        assert len(same) == 1  # never two different runs under one fingerprint


@pytest.mark.deep
def test_what_is_expanded_once_loses_no_run() -> None:
    """Leaving out the children of equal runs leaves out no new fingerprint."""
    of = written_case(SMALL)

    def prints(prune: bool) -> set[int]:
        strategy = Exhaustive(of, 2)
        seen: set[int] = set()
        while tries := strategy.propose(64):
            for one in tries:
                outcome = attempt(of, Try(0, one.schedule, draws=one.draws, expand=True))
                seen.add(outcome.fingerprint)
                if not prune:
                    strategy._seen.clear()
                strategy.learn(_like(outcome, one))
        return seen

    assert prints(prune=True) == prints(prune=False)


def _like(outcome: Outcome, tried: Try) -> Outcome:
    return Outcome(
        tried, outcome.schedule, outcome.violations, outcome.events, outcome.happened,
        outcome.situations, outcome.fingerprint, outcome.variations,
    )  # fmt: skip


class Backwards:
    """An engine that runs a batch from its end: the order of work must not matter."""

    workers = 3

    def __init__(self, of: Case) -> None:
        self.of = of

    def run(self, tries: Sequence[Try], length: int) -> Iterator[Outcome]:
        done = {one.number: attempt(self.of, one, length=length) for one in reversed(tries)}
        for one in tries:
            yield done[one.number]

    def close(self) -> None:
        """Nothing is open."""


def _summary(search: Search) -> object:
    found = {name: (one.tried, one.schedule) for name, one in search.found.items()}
    return search.schedules, search.covered, found


@pytest.mark.parametrize("strategy", ["portfolio", "coverage", "exhaustive"])
def test_findings_do_not_depend_on_who_runs_the_tries(strategy: str) -> None:
    of = case("reopen-teardown", "ownership-at-write", "quarantine", faults=EVERY_FAULT)
    results = []
    for engine in (SerialEngine(of), Backwards(of)):
        search = Search(of, make_strategy(strategy, of, 1), engine, most=150, everything=True)
        search.run()
        results.append(_summary(search))
    assert results[0] == results[1]


def test_several_processes_find_what_one_finds() -> None:
    of = case("reopen-teardown", "ownership-at-write", faults="cut:1")
    engine = ProcessEngine(of, 2)
    try:
        search = Search(of, make_strategy("portfolio", of, 1), engine, most=130, everything=True)
        search.run()
    finally:
        engine.close()
    assert _summary(search) == _summary(searched(of, "portfolio", 130, everything=True))


def test_ctrl_c_keeps_what_was_found() -> None:
    of = case("reopen-teardown", "ownership-at-write")
    search = Search(of, make_strategy("uniform", of, 1), SerialEngine(of), everything=True)

    def tell(now: Search) -> None:
        if now.schedules == 20:
            raise KeyboardInterrupt

    search.run(tell)
    assert search.interrupted
    assert search.schedules == 20
    assert search.found


def test_every_pair_of_races_reverses() -> None:
    """Each variation that swaps two things does swap them."""
    of = written_case(SMALL)
    base = attempt(of, Try(0, Schedule(of.seed), expand=True), keep_variations=True)
    swaps = [v[0] for v in base.variations if len(v) == 1 and v[0].do.startswith("until ")]
    plain = [one for one in swaps if one.at in base.places]
    assert plain
    for step in plain:
        again = attempt(
            of, Try(0, Schedule(of.seed, (step,)), expand=True), keep_variations=True
        ).places
        early = step.do.removeprefix("until ")
        assert base.places[step.at] < base.places[early]
        assert again.get(early, -1) < again.get(step.at, 1 << 30), step
    assert len({tuple(pair) for pair in combinations(plain, 2)}) > 1
