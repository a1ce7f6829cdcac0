"""``hooktwin explore``: search scenarios for races."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import typer

from sim.cli import outcome
from sim.cli.exploring import options
from sim.cli.exploring.wish import (
    DEFAULT_DEVIATIONS,
    DEFAULT_SECONDS,
    DEFAULT_STRATEGY,
    SearchWish,
)
from sim.cli.run_options import Without

if TYPE_CHECKING:
    from sim.cli.exploring.searching import Explored
    from sim.core.errors import UsageError

EPILOG = (
    "Examples:\n\n"
    "  hooktwin explore typical --faults cut:1       may one cut break anything?\n\n"
    "  hooktwin explore reopen-teardown --without ownership-at-write\n\n"
    "  hooktwin explore my.mmd --all --seconds 600 --jobs 2 --save findings\n\n"
    "  hooktwin explore typical --strategy exhaustive --deviations 1\n\n"
    "  hooktwin explore scenarios/hook --seconds 900 --junit races.xml\n\n"
    "Without options: one minute for all files together, no limit of schedules, no faults but "
    "the file's @faults, until the first finding of each file.\n\n"
    "Exit codes: 0 nothing found, 1 an invariant is broken, 2 the search cannot run, "
    "130 interrupted (what was found is told all the same).\n\n"
    "How it searches: docs/search.md"
)


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(epilog=EPILOG)(explore)


def explore(
    files: options.Files,
    without: Without = None,
    faults: options.Faults = None,
    most: options.MaxSchedules = None,
    seconds: options.Seconds = DEFAULT_SECONDS,
    seed: options.SearchSeed = None,
    everything: options.Everything = False,
    strategy: options.StrategyName = DEFAULT_STRATEGY,
    deviations: options.Deviations = DEFAULT_DEVIATIONS,
    jobs: options.Jobs = 1,
    engine: options.EngineName = "",
    save: options.SaveFolder = None,
    as_json: options.JsonPerFile = False,
    junit: options.JunitFile = None,
    sarif: options.SarifFile = None,
    blame: options.Blame = False,
) -> None:
    """Search for schedules that break an invariant; shrink, explain and name them.

    A schedule is the timed run of the diagram with some things late, in
    another order, or with faults added. The diagram directs people, agents and
    faults; arrows that stay unmet are no findings, only broken invariants are.
    """
    wish = SearchWish(
        tuple(without or ()), None, most, seconds, seed, everything, strategy, deviations, jobs,
        engine, save, blame, as_json,
    )  # fmt: skip
    raise typer.Exit(_explore(files, wish, faults, (junit, sarif)))


def _explore(
    files: list[str], wish: SearchWish, faults: str | None, reports: tuple[Path | None, Path | None]
) -> int:
    from sim.core.errors import UsageError

    try:
        return _explore_all(files, wish, faults, reports)
    except UsageError as error:
        if wish.as_json:
            from sim.cli.terminal import print_json

            print_json(outcome.unusable_json(files[0], error))
        raise


def _explore_all(
    files: list[str], wish: SearchWish, faults: str | None, reports: tuple[Path | None, Path | None]
) -> int:
    """Check everything that can be checked before, then search. Raises UsageError."""
    from sim.cli.exploring.searching import check_strategy
    from sim.cli.run_files import check_rules, expand
    from sim.cli.writing import check_folder, check_writable, refuse_overwriting
    from sim.world.fault import Budget

    check_rules(wish.without)
    check_strategy(wish.strategy)
    if faults is not None:
        wish = attrs.evolve(wish, faults=Budget.parse(faults))
    names = expand(files)
    refuse_overwriting(names, reports)
    for path in reports:
        if path is not None:
            check_writable(path)
    if wish.save is not None:
        check_folder(wish.save)
    done, unusable = _each(names, wish)
    _write(reports, done, unusable)
    return _code(done, unusable)


def _each(
    names: list[str], wish: SearchWish
) -> tuple[list[Explored], list[tuple[str, UsageError]]]:
    """Search one after the other; each gets its share of the time that is left."""
    from sim.cli.exploring.searching import case_for, explore_one
    from sim.cli.reading import read_scenario
    from sim.cli.terminal import print_json, say
    from sim.core.entropy import steady_s
    from sim.core.errors import UsageError

    end = steady_s() + wish.seconds
    done: list[Explored] = []
    unusable: list[tuple[str, UsageError]] = []
    for number, name in enumerate(names):
        share = max(end - steady_s(), 0.0) / (len(names) - number)
        try:
            case = case_for(read_scenario(name), wish)
            explored = explore_one(name, case, wish, share)
        except UsageError as error:
            if len(names) == 1:
                raise
            unusable.append((name, error))
            say(f"hooktwin: {error}")
            if wish.as_json:
                print_json(outcome.unusable_json(name, error))
            continue
        done.append(explored)
        _tell(explored)
        if explored.failure is not None:
            unusable.append((name, explored.failure))
            say(f"hooktwin: {explored.failure}")
        if explored.interrupted:
            break
    return done, unusable


def _tell(explored: Explored) -> None:
    from sim.cli.terminal import console, print_json

    if explored.wish.as_json:
        from sim.cli.exploring.documents import explored_json

        print_json(explored_json(explored))
        return
    from sim.cli.exploring.telling import show

    show(explored, console())


def _write(
    reports: tuple[Path | None, Path | None],
    done: list[Explored],
    unusable: list[tuple[str, UsageError]],
) -> None:
    from sim.cli.writing import write_text

    junit, sarif = reports
    if junit is not None:
        from sim.cli.exploring.junit import junit_xml

        write_text(junit, junit_xml(done, unusable))
    if sarif is not None:
        from sim.cli.exploring.sarif import sarif_json

        write_text(sarif, sarif_json(done, unusable))


def _code(done: list[Explored], unusable: list[tuple[str, UsageError]]) -> int:
    if any(explored.interrupted for explored in done):
        return outcome.INTERRUPTED
    if unusable:
        return outcome.CANNOT_RUN
    return outcome.FAILED if any(explored.findings for explored in done) else outcome.OK
