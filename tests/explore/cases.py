"""Cases and runs that the tests of the search share."""

from __future__ import annotations

from sim.explore.engine import SerialEngine
from sim.explore.schedule import Case, Schedule
from sim.explore.search import Search
from sim.explore.strategies import make_strategy
from sim.explore.trial import Outcome, Try, attempt
from sim.play import load, vocabularies
from sim.scenario.parse import parse_scenario
from sim.world.fault import Budget

EVERY_FAULT = "cut:1,lose:1,duplicate:1,delay:1,crash:1,channel:2"


def case(name: str, *without: str, faults: str = "") -> Case:
    """A shipped scenario."""
    return Case.of(load(name), without=without, faults=Budget.parse(faults))


def written_case(text: str, *without: str, faults: str = "") -> Case:
    """A scenario that stands in the test."""
    scenario = parse_scenario(text, "test.mmd", vocabularies())
    return Case.of(scenario, without=without, faults=Budget.parse(faults))


def walked(of: Case, walk: str, draws: int, length: int = 60) -> Outcome:
    """One walk."""
    seed = of.seed + draws if walk == "timings" else of.seed
    return attempt(of, Try(0, Schedule(seed), walk, draws), length=length)


def searched(of: Case, strategy: str, most: int, *, everything: bool = False) -> Search:
    """A whole search in this process."""
    search = Search(
        of, make_strategy(strategy, of, 1), SerialEngine(of), most=most, everything=everything
    )
    search.run()
    return search


def facts(outcome: Outcome) -> tuple[object, ...]:
    """What must be the same when a schedule is followed again."""
    return (outcome.violations, outcome.events, outcome.happened, outcome.situations)
