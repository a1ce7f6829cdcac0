"""Going through the scenarios: each is played, then searched within its budget."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import attrs

from sim.cli.drawing.svg import draw
from sim.cli.exploring.junit import replay_line
from sim.cli.exploring.playing import RAISED
from sim.cli.exploring.searching import case_for, explore_one
from sim.cli.exploring.wish import SearchWish, faults_text
from sim.cli.reading import read_scenario
from sim.cli.reviewing.progress import Progress, Quiet
from sim.cli.reviewing.reviewed import Found, Review, Reviewed
from sim.cli.run import was_interrupted
from sim.core.errors import UsageError
from sim.core.trace import Trace
from sim.explore import rows
from sim.explore.engine import SerialEngine, deaf, follow_parent
from sim.play import play, vocabularies
from sim.scenario.playing.covered import ways_of
from sim.scenario.syntax import Scenario
from sim.world.fault import Budget

DEFAULT_SECONDS = 2.0


@attrs.frozen
class ReviewWish:
    """How it is wanted. ``seconds`` and ``schedules`` are per scenario, None: no limit.

    ``jobs`` processes find the same as one.
    """

    seconds: float | None = DEFAULT_SECONDS
    schedules: int | None = None
    faults: Budget | None = None
    without: tuple[str, ...] = ()
    seed: int | None = None
    save: Path | None = None
    jobs: int = 1

    def command(self, folders: list[str]) -> str:
        """What to paste for the same review."""
        words = ["hooktwin", "review", *folders]
        if self.schedules is not None:
            words += ["--schedules", str(self.schedules)]
        if self.seconds is not None and (self.seconds != DEFAULT_SECONDS or self.schedules):
            words += ["--seconds", f"{self.seconds:g}"]
        words += [] if self.faults is None else ["--faults", faults_text(self.faults)]
        for rule in self.without:
            words += ["--without", rule]
        words += [] if self.seed is None else ["--seed", str(self.seed)]
        return shlex.join(words)


def review_all(names: list[str], wish: ReviewWish, command: str, progress: Progress) -> Review:
    """Everything that becomes of these scenarios; Ctrl-C ends it early, nothing is lost.

    Raises UsageError when a process of several dies.
    """
    review = Review(command, len(names))
    each = _one_by_one if wish.jobs == 1 else _several_at_once
    try:
        for one in each(names, wish, progress):
            review.every.append(one)
            if one.protocol:
                review.coverage.add(one.protocol, one.seen)
            if one.interrupted:
                review.interrupted = True
                break
            progress.is_through(one)
    except KeyboardInterrupt:  # between two things that ask for it themselves
        review.interrupted = True
    return review


def _one_by_one(names: list[str], wish: ReviewWish, progress: Progress) -> Iterator[Reviewed]:
    for name in names:
        progress.comes_to(name)
        yield review_one(name, wish, progress)


def _several_at_once(names: list[str], wish: ReviewWish, progress: Progress) -> Iterator[Reviewed]:
    """In processes; they come in the order of their names. After Ctrl-C those that are done."""
    context = get_context("spawn")
    pool = ProcessPoolExecutor(wish.jobs, mp_context=context, initializer=follow_parent)
    waiting: list[Future[Reviewed]] = []
    try:
        with deaf():  # this is where processes are started
            waiting += [pool.submit(review_one, name, wish) for name in names]
        for name in names:
            progress.comes_to(name)
            yield waiting[0].result()
            del waiting[0]
    except KeyboardInterrupt:
        for done in [one for one in waiting if one.done()]:
            yield done.result()
        raise
    except BrokenProcessPool as error:
        raise UsageError(
            "a process of the review died (killed, or out of memory); "
            "review again, with fewer --jobs"
        ) from error
    finally:
        workers = list((pool._processes or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in workers:
            worker.kill()  # it may be in the middle of a long search, and hears no other signal


def review_one(name: str, wish: ReviewWish, progress: Progress | None = None) -> Reviewed:
    """Read, play, search; what cannot be used is noted where it stands."""
    one = Reviewed(name)
    with rows.noted():
        try:
            scenario = read_scenario(one.name)
            one.without = _known(scenario, wish.without)
            one.ways = ways_of(scenario)
            _play(one, scenario, wish)
            one.protocol = scenario.protocol
            if not one.interrupted:
                _search(one, scenario, wish, progress)
        except UsageError as error:
            one.error = error
        except KeyboardInterrupt:  # between two things that ask for it themselves
            one.interrupted = True
        one.seen.note_tables(rows.used())
    return one


def _known(scenario: Scenario, without: tuple[str, ...]) -> tuple[str, ...]:
    """The rules that this scenario's protocol has: a folder may hold those of several."""
    known = vocabularies()[scenario.protocol].rules or ()
    return tuple(rule for rule in without if rule in known)


def _play(one: Reviewed, scenario: Scenario, wish: ReviewWish) -> None:
    runs: list[Any] = []
    settings: Any = {"seed": wish.seed, "without": one.without, "driver": "step"}
    try:
        result = play(scenario, **settings, watch=runs.append)
    except RAISED as error:
        # A handler is wrong, or the simulator: the others are reviewed all the same.
        one.raised = f"{type(error).__name__}: {error}"
        return
    one.interrupted = was_interrupted(result)
    one.seen.take(runs[0])
    broken = dict.fromkeys(violation.invariant for violation in result.violations)
    one.shown = tuple(name for name in broken if name in result.expected_violations)
    if not (result.ok or one.interrupted):
        one.picture = draw(result)
    # Nobody looks at its events again, and there may be a million of them.
    one.result = attrs.evolve(result, trace=Trace(result.trace.header, ()))


def _search(one: Reviewed, scenario: Scenario, wish: ReviewWish, progress: Progress | None) -> None:
    search = SearchWish(
        without=one.without, faults=wish.faults, most=wish.schedules, seed=wish.seed,
        everything=bool(scenario.violates), save=wish.save,
    )  # fmt: skip
    case = case_for(scenario, search)
    seconds = float("inf") if wish.seconds is None else wish.seconds
    explored = explore_one(
        one.name, case, search, seconds,
        engine=SerialEngine(case, one.seen.take), watcher=Quiet(progress), shown=scenario.violates,
    )  # fmt: skip
    one.interrupted = explored.interrupted
    one.schedules = explored.search.schedules
    one.situations = len(explored.search.covered)
    one.told = explored.search.strategy.told()
    one.error = explored.failure
    broken = (name for name in explored.search.found if name in scenario.violates)
    one.shown = tuple(dict.fromkeys((*one.shown, *broken)))
    for finding in explored.findings:
        number = finding.outcome.tried.number + 1
        one.found.append(Found(finding, case, replay_line(explored, finding), number))
