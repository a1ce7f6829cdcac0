"""A search in a thread: what is known so far, and its findings as runs."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from sim.cli import words
from sim.cli.exploring.score import Score
from sim.core.entropy import steady_s
from sim.core.errors import UsageError
from sim.explore import rows
from sim.explore.engine import SerialEngine
from sim.explore.finding import Finding, examine
from sim.explore.schedule import Case, Schedule
from sim.explore.search import Search
from sim.explore.strategies import Exhaustive, make_strategy
from sim.explore.trial import Outcome
from sim.explore.written import written
from sim.play import vocabularies
from sim.scenario.parse import parse_scenario
from sim.scenario.syntax import Scenario
from sim.world.fault import Budget
from sim.world.helm import Step
from tui.feeds.runner import run_session
from tui.feeds.schedules import happened_before, transcribed
from tui.session import Session

FAULTS = Budget(lose=0, duplicate=0, delay=0, cut=1, crash=0)
MOST = 2_000
DEVIATIONS = 2
TELL_EVERY = 16
MUTANTS_S = 60.0


@attrs.frozen
class Progress:
    """How far a search is. ``curve``: (schedules, situations covered) now and then.

    ``tables`` says which rows of the transition tables were gone through, ``left`` is an
    estimate of the endings that are left to try, None where nobody can tell.
    """

    strategy: str
    schedules: int
    most: int
    covered: int
    found: tuple[Outcome, ...]
    curve: tuple[tuple[int, int], ...]
    over: bool = False
    complete: bool = False
    situations: frozenset[int] = frozenset()
    tables: tuple[rows.Used, ...] = ()
    left: int | None = None


def case_for(session: Session, *, faults: Budget | None = None, seed: int | None = None) -> Case:
    """What is searched: the session's scenario with its rules, and a cut if it allows none.

    Raises UsageError for a trace without a scenario.
    """
    scenario = session.scenario
    if scenario is None:
        raise UsageError("this trace has no scenario: it cannot be searched")
    allowed = scenario.settings.faults if faults is None else faults
    own = seed if seed is not None else session.trace.header.seed
    return Case.of(scenario, without=session.without, faults=allowed, seed=own)


class FromHere(Exhaustive):
    """All schedules near this one that are the same up to a step."""

    def __init__(self, case: Case, before: frozenset[str]) -> None:
        super().__init__(case, DEVIATIONS)
        self.before = before
        self._waiting = [1] + [0] * DEVIATIONS
        self._learnt = [0] * (DEVIATIONS + 1)
        self._grown = [0] * (DEVIATIONS + 1)

    def learn(self, outcome: Outcome) -> None:
        later = [one for one in outcome.variations if all(map(self._later, one))]
        before, depth = len(self._queue), outcome.tried.draws
        super().learn(attrs.evolve(outcome, variations=tuple(later)))
        grown = len(self._queue) - before
        self._waiting[depth] -= 1
        self._learnt[depth] += 1
        self._grown[depth] += grown
        if depth < DEVIATIONS:
            self._waiting[depth + 1] += grown

    def _later(self, step: Step) -> bool:
        return step.at.partition(" @")[0] not in self.before

    def left(self) -> int:
        """What waits, and what that would lead to if it were like what was tried so far."""
        ends, found = 1.0, 0.0
        for depth in range(DEVIATIONS, -1, -1):
            learnt = self._learnt[depth]
            growth = self._grown[depth] / learnt if learnt else 0.0
            ends = 1.0 + growth * ends if depth < DEVIATIONS else 1.0
            found += self._waiting[depth] * ends
        return round(found)


def endings(session: Session, step: int) -> tuple[Case, frozenset[str]]:
    """What is searched from a step on, and what has happened before it stays as it was.

    What a person did to the run becomes a part of the scenario.
    Raises UsageError for a run that cannot be written as one.
    """
    case = case_for(session)
    if session.deeds:
        text = transcribed(session)
        scenario = parse_scenario(text, f"{session.name}.mmd", vocabularies())
        case = attrs.evolve(case, scenario=scenario)
    before = happened_before(case.scenario, step, seed=case.seed, without=case.without)
    return case, before


def search(
    case: Case,
    *,
    strategy: str = "portfolio",
    after: frozenset[str] | None = None,
    most: int | None = None,
    tell: Callable[[Progress], None] = lambda progress: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Progress:
    """Search until ``most`` schedules, everything bounded, or somebody stops it.

    ``most`` is MOST where nobody says another number. ``after``: what has happened and
    stays as it was; then only what may follow is tried.
    """
    most = MOST if most is None else most
    made = make_strategy(strategy, case, DEVIATIONS) if after is None else FromHere(case, after)
    strategy = made.name
    engine = SerialEngine(case)
    going = Search(case, made, engine, most, everything=True, out_of_time=cancelled)
    curve: list[tuple[int, int]] = []

    def now(*, over: bool = False) -> Progress:
        found = tuple(going.found.values())
        return Progress(
            strategy, going.schedules, most, len(going.covered), found, tuple(curve),
            over, going.complete, frozenset(going.covered), rows.used(),
            made.left() if isinstance(made, FromHere) else None,
        )  # fmt: skip

    def told(_: Search) -> None:
        if going.schedules % TELL_EVERY == 0:
            curve.append((going.schedules, len(going.covered)))
            tell(now())

    with rows.noted():
        try:
            going.run(told)
        finally:
            engine.close()
        curve.append((going.schedules, len(going.covered)))
        return now(over=True)


def score_mutants(tell: Callable[[Score], None], cancelled: Callable[[], bool]) -> Score:
    """Break both sides on purpose, for a minute: who is noticed?"""
    score, end = Score.of(words.mutants().values()), steady_s() + MUTANTS_S
    score.run(lambda: cancelled() or steady_s() >= end, tell)
    return score


def examined(case: Case, outcome: Outcome) -> Finding:
    """Shrink and explain a finding. Takes seconds: call it in a thread."""
    return examine(case, outcome)


def session_of(case: Case, schedule: Schedule, title: str) -> Session:
    """A schedule as a run that can be looked at and branched."""
    return run_session(scenario_of(case, schedule, title), without=case.without)


def scenario_of(case: Case, schedule: Schedule, title: str) -> Scenario:
    """The scenario that plays a schedule."""
    text = written(case, schedule, title, whole=True)
    name = f"{case.scenario.name}.mmd"
    return parse_scenario(text, name, vocabularies())


def of_token(token: str) -> Session:
    """The run of a token. Raises UsageError for what leads nowhere."""
    from sim.explore.replaying import resolve

    case, schedule = resolve(token)
    return session_of(case, schedule, f"from the token {token}")
