"""B2 … B4, B8: how fast a race is found and shrunk, how small it gets, how well cores are used."""

from __future__ import annotations

import gc
import importlib.util
import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import attrs

from sim.explore.droppable import parts_of
from sim.explore.engine import Engine, ProcessEngine, SerialEngine
from sim.explore.schedule import Case, Schedule
from sim.explore.search import Search
from sim.explore.shrink import Shrinker, shrink
from sim.explore.strategies import RandomWalk, make_strategy
from sim.explore.trial import Outcome, Try, attempt, judged, plain
from sim.play import load
from sim.world.fault import Budget
from sim.world.helm import Step
from tests.benchmarks.measure import Ratio
from tests.benchmarks.races import RACES, Race
from tests.benchmarks.rivals import by_detangle, by_hypothesis

SEEDS = 20
CAP_S = 60.0
DEVIATIONS = 1
# Exhaustive search over subsets takes 2^n runs.
MOST_PARTS = 12
TRIES = 192

Rival = Callable[[Case, int, int, float], float | None]


def search(case: Case, cap_s: float) -> Outcome | None:
    """What the default strategy finds first; None beyond ``cap_s``."""
    end = time.perf_counter() + cap_s
    found = Search(case, make_strategy("portfolio", case, DEVIATIONS), SerialEngine(case))
    found.out_of_time = lambda: time.perf_counter() > end
    found.run()
    return next(iter(found.found.values()), None)


def ours(race: Race, seed: int, cap_s: float) -> float:
    """Seconds to find and shrink; the cap if nothing was found."""
    case = race.case(seed=seed)
    gc.collect()
    start = time.perf_counter()
    outcome = search(case, cap_s)
    if outcome is None:
        return cap_s
    shrink(case, outcome)
    return time.perf_counter() - start


def theirs(rival: Rival, race: Race, seed: int, cap_s: float) -> tuple[float, bool]:
    """Seconds to find and shrink, at most the cap, and whether it got there."""
    case = race.case()
    length = attempt(case, Try(0, plain(case))).happened
    gc.collect()
    spent = rival(case, length, seed, cap_s)
    return (cap_s, False) if spent is None else (spent, True)


def b3(_rounds: int, seeds: int = SEEDS, cap_s: float = CAP_S) -> Iterator[Ratio]:
    """Eight races: a rival's time to find and shrink ÷ ours, geometric mean over seeds."""
    rivals: dict[str, tuple[Rival, str]] = {"Hypothesis": (by_hypothesis, "≥ 30")}
    if importlib.util.find_spec("detangle"):
        rivals["detangle"] = (by_detangle, "≥ 1.5")
    means: dict[str, list[float]] = {name: [] for name in rivals}
    for race in RACES:
        mine: list[float] = []
        figures: dict[str, list[tuple[float, bool]]] = {name: [] for name in rivals}
        for seed in range(1, seeds + 1):
            mine.append(ours(race, seed, cap_s))
            for name, (rival, _goal) in rivals.items():
                figures[name].append(theirs(rival, race, seed, cap_s))
        for name in rivals:
            ratios = [their / our for (their, _), our in zip(figures[name], mine, strict=True)]
            means[name].append(_geometric(ratios))
            missed = sum(not got for _, got in figures[name])
            note = f"ours {_geometric(mine):.2f} s; {missed} of {seeds} over the cap"
            yield Ratio("B3", f"{race.name}: {name} ÷ ours", "", tuple(ratios), note)
    for name, (_rival, goal) in rivals.items():
        what = f"geometric mean of 8 races, {seeds} seeds: {name} ÷ ours"
        yield Ratio("B3", what, goal, (_geometric(means[name]),), f"cap {cap_s:g} s")


def _geometric(figures: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, figures)) / len(figures))


# -- B2 --------------------------------------------------------------------------------


def schedules(name: str, most: int) -> int:
    """Search a shipped scenario, with up to one fault of each kind. → how many it has tried."""
    case = Case.of(load(name), faults=Budget(crash=1, channel=1, http=1))
    engine = SerialEngine(case)
    found = Search(case, make_strategy("portfolio", case, 2), engine, most=most, everything=True)
    found.run()
    return found.schedules


# -- B4 --------------------------------------------------------------------------------


def smallest(case: Case, start: Schedule, invariant: str) -> int:
    """The fewest events of failing schedules with a part of the lines and steps of ``start``."""
    lines = [line for line in parts_of(case.scenario).lines if line not in start.dropped]
    parts: list[int | Step] = [*lines, *start.steps]
    if len(parts) > MOST_PARTS:
        raise ValueError(f"{len(parts)} parts: more than 2^{MOST_PARTS} runs")
    best = MOST_EVENTS
    for count in range(len(parts) + 1):
        for gone in combinations(range(len(parts)), count):
            left = [part for n, part in enumerate(parts) if n not in gone]
            best = min(best, _events_without(case, start, left, lines, invariant))
    return best


MOST_EVENTS = 1 << 30


def _events_without(
    case: Case, start: Schedule, left: Sequence[int | Step], lines: Sequence[int], invariant: str
) -> int:
    """Events of the run with only these parts, many if it does not fail."""
    dropped = start.dropped | (frozenset(lines) - {one for one in left if isinstance(one, int)})
    steps = tuple(one for one in left if isinstance(one, Step))
    best = MOST_EVENTS
    for flat, seed in ((True, 1), (False, start.seed)):
        outcome = judged(case, Schedule(seed, steps, dropped, flat))
        if [v.invariant for v in outcome.violations[:1]] == [invariant]:
            best = min(best, outcome.events)
    return best


def b4(rounds: int) -> Iterator[Ratio]:
    """The shrunk failure's events ÷ the true minimum, and the replays that shrinking took."""
    sizes: list[float] = []
    replays: list[float] = []
    small = 0
    for race in RACES:
        for seed in range(1, rounds + 1):
            case = race.case(seed=seed)
            outcome = search(case, CAP_S)
            if outcome is None:
                continue
            shrinker = shrink(case, outcome)
            replays.append(float(shrinker.replays))
            minimum = _true_minimum(case, outcome, shrinker)
            if minimum:
                small += 1
                sizes.append(shrinker.best.events / minimum)
    note = f"{small} failures of 8 races; less is better"
    if sizes:
        yield Ratio("B4", "events of the shrunk failure ÷ true minimum", "≤ 1.1", (*sizes,), note)
    yield Ratio("B4", "replays used", "≤ 400", (*replays,), f"{len(replays)} failures")


def _true_minimum(case: Case, outcome: Outcome, shrinker: Shrinker) -> int:
    """By trying every subset of what was found; of a shrunk form where that is too much; or 0."""
    invariant = outcome.violations[0].invariant
    found, shrunk = outcome.schedule, shrinker.best.schedule
    lines = len(parts_of(case.scenario).lines)
    for start in (
        found,
        attrs.evolve(found, steps=shrunk.steps),
        attrs.evolve(shrunk, seed=found.seed, flat=False),
    ):
        if lines - len(start.dropped) + len(start.steps) <= MOST_PARTS:
            return min(smallest(case, start, invariant), shrinker.best.events)
    return 0


# -- B8 --------------------------------------------------------------------------------


def b8(rounds: int) -> Iterator[Ratio]:
    """The same tries in all cores ÷ in one process ÷ cores."""
    cores = max(2, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2)
    case = RACES[0].case()
    serial, pool = SerialEngine(case), ProcessEngine(case, cores)
    tries = RandomWalk(case, "timings").propose(TRIES)
    _drain(pool, tries[: 16 * cores])  # workers start, and import what they need
    figures: list[float] = []
    try:
        for _ in range(rounds):
            alone = _drain(serial, tries)
            together = _drain(pool, tries)
            figures.append(alone / together / cores)
    finally:
        pool.close()
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    note = f"{cores} processes; load of the machine {load:.1f}"
    yield Ratio("B8", "speed-up of exploration ÷ processes", "≥ 0.8", tuple(figures), note)


def _drain(engine: Engine, tries: Sequence[Try]) -> float:
    gc.collect()
    start = time.perf_counter()
    for _ in engine.run(tries, 100):
        pass
    return time.perf_counter() - start
