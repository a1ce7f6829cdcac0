"""``hooktwin run``: play scenarios and judge them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import typer

from sim.cli import outcome
from sim.cli.run_options import (
    Driver,
    DriverName,
    JsonLines,
    Quiet,
    ScenarioNames,
    Seed,
    Seeds,
    Show,
    Shown,
    Speed,
    SvgFile,
    TraceFile,
    Without,
)

if TYPE_CHECKING:
    from rich.console import Console

    from sim.scenario.playing.result import Result
    from sim.scenario.syntax import Scenario

EPILOG = (
    "Examples:\n\n"
    "  hooktwin run typical                             play a shipped scenario\n\n"
    "  hooktwin run my.mmd --seed 7                     another order of things\n\n"
    "  hooktwin run typical --without pong --show all   without a rule, every event\n\n"
    "  hooktwin run typical --seeds 100                 which of 100 seeds fail?\n\n"
    "  hooktwin run scenarios/hook                      a folder: a table of verdicts\n\n"
    "  hooktwin run typical --json | jq .messages       for programs\n\n"
    "Exit codes: 0 everything holds, 1 something failed, 2 a file cannot be run."
)


@attrs.frozen
class Wish:
    """How a scenario is to be played and shown."""

    seed: int | None
    without: tuple[str, ...]
    driver: str
    speed: float
    as_json: bool = False
    quiet: bool = False
    every: bool = False
    trace: Path | None = None
    svg: Path | None = None
    named_driver: str = "trio"
    """The driver that a command to paste has to name."""


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(epilog=EPILOG)(run)


def run(
    scenarios: ScenarioNames,
    seed: Seed = None,
    without: Without = None,
    seeds: Seeds = None,
    driver: DriverName = None,
    speed: Speed = None,
    as_json: JsonLines = False,
    trace: TraceFile = None,
    svg: SvgFile = None,
    quiet: Quiet = False,
    show: Shown = Show.frames,
) -> None:
    """Play scenarios: draw what happened, show the channel, judge.

    A scenario is a Mermaid sequence diagram. Its arrows between simulated
    hosts are expectations, its directives are faults and assertions.
    """
    from sim.core.errors import UsageError

    wish = Wish(
        seed,
        tuple(without or ()),
        (driver or (Driver.step if seeds else Driver.trio)).value,
        20.0 if speed is None else speed,
        as_json,
        quiet,
        show is Show.all,
        trace,
        svg,
        (driver or Driver.trio).value,
    )
    try:
        if speed is not None and driver is not Driver.live:
            raise UsageError("--speed counts with --driver live only: virtual time takes no time")
        code = _run_all(scenarios, wish, seeds)
    except UsageError as error:
        if as_json:
            from sim.cli.terminal import print_json

            print_json(outcome.unusable_json(scenarios[0], error))
        raise
    raise typer.Exit(code)


def _run_all(scenarios: list[str], wish: Wish, seeds: int | None) -> int:
    """Find the files and play them in the way that is wanted. Raises UsageError."""
    from sim.cli.run_files import check_rules, expand
    from sim.cli.writing import refuse_overwriting
    from sim.core.errors import UsageError

    check_rules(wish.without)
    files = expand(scenarios)
    if seeds:
        from sim.cli.sweep import sweep_all

        if wish.seed is not None or wish.trace or wish.svg:
            raise UsageError("--seeds plays many seeds: --seed, --trace and --svg are about one")
        return sweep_all(files, wish, seeds)
    if len(files) > 1 and (wish.trace or wish.svg):
        raise UsageError("--trace and --svg need a single scenario: each file is one run")
    refuse_overwriting(files, (wish.trace, wish.svg))
    return _run_one(files[0], wish) if len(files) == 1 else _run_several(files, wish)


def play_one(name: str, wish: Wish) -> tuple[Scenario, Result]:
    """Load, play and judge one scenario. Raises UsageError."""
    from sim.cli.reading import read_scenario
    from sim.play import play

    scenario = read_scenario(name)
    result = play(
        scenario, seed=wish.seed, without=wish.without, driver=wish.driver, speed=wish.speed
    )
    return scenario, result


def was_interrupted(result: Result) -> bool:
    """Whether somebody pressed Ctrl-C while it ran."""
    return any(f.happened.startswith("the run was interrupted") for f in result.failures)


def code_of(result: Result) -> int:
    """The exit code of a run."""
    if was_interrupted(result):
        return outcome.INTERRUPTED
    return outcome.OK if result.ok else outcome.FAILED


def _run_one(name: str, wish: Wish) -> int:
    from sim.cli.terminal import print_json

    scenario, result = play_one(name, wish)
    _write_files(result, wish)
    if wish.as_json:
        print_json(result.to_json())
    else:
        _show(name, scenario, result, wish)
    return code_of(result)


def write_trace_file(path: Path, result: Result) -> None:
    """Record the events, with snapshots for viewers. Raises UsageError."""
    from sim.cli.writing import say_written
    from sim.core.trace import write_trace
    from sim.view.snapshots import SceneSnapshots

    write_trace(path, result.trace, SceneSnapshots())
    say_written(path)


def _write_files(result: Result, wish: Wish) -> None:
    if wish.trace is not None:
        write_trace_file(wish.trace, result)
    if wish.svg is not None:
        from sim.cli.drawing.svg import draw
        from sim.cli.writing import write_text

        write_text(wish.svg, draw(result))


def _show(name: str, scenario: Scenario, result: Result, wish: Wish) -> None:
    """Drawing, channels, verdict."""
    from rich.text import Text

    from sim.cli.report.verdict import Asked, tell_verdict
    from sim.cli.terminal import console

    screen = console()
    if not wish.quiet:
        show_drawing(result, screen, wish.every)
    asked = Asked(name, wish.driver, wish.without)
    for told in tell_verdict(result, scenario, asked, screen.width, every=wish.every):
        # Commands are to be copied: the terminal may break them, we must not.
        screen.print(told, soft_wrap=isinstance(told, Text))


def show_drawing(result: Result, screen: Console, every: bool) -> None:
    """The run as a diagram, and the channels at its end."""
    from rich.text import Text

    from sim.cli.drawing.screen import draw
    from sim.cli.drawing.telling import Names
    from sim.cli.report.channel import read_channels, tell_channels

    for line in draw(result, screen, every=every):
        screen.print(line, no_wrap=True, overflow="crop")
    names, history = Names(result.names), read_channels(result.trace.events)
    for line in (Text(), *tell_channels(history, names, screen.width)):
        screen.print(line, no_wrap=True, overflow="crop")
    if history.messages:
        screen.print()


def _run_several(files: list[str], wish: Wish) -> int:
    """A table of verdicts, or one JSON object per line; the worst exit code."""
    from sim.cli.report.several import Summary
    from sim.core.errors import UsageError

    summary = Summary(wish.as_json)
    codes = [outcome.OK]
    for name in files:
        try:
            _, result = play_one(name, wish)
        except UsageError as error:
            summary.add_unusable(name, error)
            codes.append(outcome.CANNOT_RUN)
            continue
        summary.add(name, result)
        codes.append(code_of(result))
        if codes[-1] == outcome.INTERRUPTED:
            break
    summary.end(wish)
    return max(codes)
