"""One scenario's search, from the first try to findings that are explained and kept."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from pathlib import Path

import attrs

from sim.cli.exploring.watching import Watcher
from sim.cli.exploring.wish import SearchWish
from sim.core.entropy import steady_s
from sim.core.errors import UsageError
from sim.drivers.interrupt import between_steps
from sim.explore.blame import Blamed, blame
from sim.explore.engine import Engine, make_engine
from sim.explore.finding import Finding, examine
from sim.explore.schedule import Case, Schedule
from sim.explore.search import Search
from sim.explore.shrink import Shrinker
from sim.explore.store import save
from sim.explore.strategies import STRATEGIES, make_strategy
from sim.explore.trial import RAISES, Outcome
from sim.scenario.syntax import Scenario

# A curve is thousands of runs: all cores share them, with the same result.
CORES = os.cpu_count() or 1


@attrs.define(eq=False)
class Explored:
    """What came of one scenario. ``name`` is what the command line called it.

    ``files`` and ``curves`` belong to the findings, by their invariants. ``failure``:
    why the search could not go on, or what it found could not be kept.
    """

    name: str
    wish: SearchWish
    case: Case
    search: Search
    seconds: float = 0.0
    findings: list[Finding] = attrs.field(factory=list)
    files: dict[str, tuple[Path, Path]] = attrs.field(factory=dict)
    curves: dict[str, list[Blamed]] = attrs.field(factory=dict)
    interrupted: bool = False
    failure: UsageError | None = None

    @property
    def complete(self) -> bool:
        """Whether a bounded search has checked all that it may."""
        return self.search.complete and not self.interrupted and not self.failure


def case_for(scenario: Scenario, wish: SearchWish) -> Case:
    """The case of a scenario. Raises UsageError where a search cannot start."""
    return Case.of(scenario, without=wish.without, faults=wish.faults, seed=wish.seed)


def check_strategy(name: str) -> None:
    """Raises UsageError, with those that are known, for any other strategy."""
    from sim.cli.outcome import unknown

    if name not in STRATEGIES:
        raise unknown("strategy", name, STRATEGIES)


def explore_one(
    name: str,
    case: Case,
    wish: SearchWish,
    seconds: float,
    *,
    engine: Engine | None = None,
    watcher: Watcher | None = None,
    shown: Collection[str] = (),
) -> Explored:
    """Search for ``seconds``, then shrink, explain, save and blame what was found.

    The first Ctrl-C ends the search, another one the shrinking; whatever was found
    until then is there all the same. ``engine`` and ``watcher``: these instead of those that
    the wish asks for. ``shown``: invariants that break on purpose, which are no findings.
    """
    engine = engine or _engine(case, wish)
    try:
        strategy = make_strategy(wish.strategy, case, wish.deviations)
        search = Search(case, strategy, engine, most=wish.most, everything=wish.everything)
        explored = Explored(name, wish, case, search)
        with watcher or Watcher(name, seconds, wish.most) as watcher:
            _search(explored, seconds, watcher)
            try:
                for outcome in _unexpected(search, shown):
                    finding = _examined(explored, outcome, watcher)
                    explored.findings.append(finding)
                    _keep(explored, finding, watcher)
            except KeyboardInterrupt:
                explored.interrupted = True  # between two things that ask for it themselves
    finally:
        engine.close()
    return explored


def _unexpected(search: Search, shown: Collection[str]) -> list[Outcome]:
    return [outcome for name, outcome in search.found.items() if name not in shown]


def _search(explored: Explored, seconds: float, watcher: Watcher) -> None:
    search, begun = explored.search, steady_s()
    with between_steps() as ask:

        def out_of_time() -> bool:
            ask()
            return steady_s() - begun >= seconds

        search.out_of_time = out_of_time
        try:
            search.run(watcher.searching)
        except UsageError as error:
            # The workers are gone. What they have found is there all the same.
            explored.failure = error
    explored.interrupted = search.interrupted
    explored.seconds = steady_s() - begun
    watcher.searched(search)


def _examined(explored: Explored, outcome: Outcome, watcher: Watcher) -> Finding:
    """Shrunk and explained; after Ctrl-C as far as that had come."""
    with between_steps() as ask:

        def told(shrinker: Shrinker) -> None:
            watcher.shrinking(shrinker)
            try:
                ask()
            except KeyboardInterrupt:
                explored.interrupted = True
                raise

        return examine(explored.case, outcome, told)


def _keep(explored: Explored, finding: Finding, watcher: Watcher) -> None:
    """The files and the curve that were asked for."""
    wish, case = explored.wish, explored.case
    if wish.save is not None:
        try:
            explored.files[finding.invariant] = save(wish.save, case, finding)
        except UsageError as error:
            # A full disk must not cost what a long search has found: it is told all the same.
            explored.failure = explored.failure or error
    if wish.blame and not explored.interrupted and finding.invariant != RAISES:
        curve = measured(case, finding.schedule, finding.invariant, watcher.blaming)
        if curve:
            explored.curves[finding.invariant] = curve
        else:
            explored.interrupted = True


def measured(
    case: Case, schedule: Schedule, invariant: str, tell: Callable[[int, int], None]
) -> list[Blamed]:
    """The curve of blame; empty when somebody pressed Ctrl-C."""
    with between_steps() as ask:

        def told(done: int, every: int) -> None:
            ask()
            tell(done, every)

        try:
            return blame(case, schedule, invariant, tell=told, jobs=CORES)
        except KeyboardInterrupt:
            return []


def _engine(case: Case, wish: SearchWish) -> Engine:
    if not wish.engine:
        return make_engine(case, wish.jobs)
    if wish.jobs != 1:
        raise UsageError("--jobs is about this machine, --engine about others: give one of them")
    from sim.explore.dask_engine import DaskEngine

    return DaskEngine(case, wish.engine)
