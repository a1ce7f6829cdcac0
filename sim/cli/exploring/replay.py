"""``hooktwin replay``: play a finding again, from its token or its file."""

from __future__ import annotations

import shlex
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import attrs
import typer

from sim.cli import outcome
from sim.cli.run_options import Quiet, Show, Shown, TraceFile
from sim.cli.writing import named

if TYPE_CHECKING:
    from rich.console import Console

    from sim.cli.exploring.playing import Played
    from sim.explore.blame import Blamed
    from sim.explore.schedule import Case, Schedule

EPILOG = (
    "Examples:\n\n"
    "  hooktwin replay reopen-teardown/ownership-at-write/AwF_F3yQ\n\n"
    "  hooktwin replay findings/typical-results-are-handed-in-1a2b3c4d.json --blame\n\n"
    "  hooktwin replay TOKEN --all-rules           what was found with --without, without it\n\n"
    "  hooktwin replay TOKEN --write race.mmd      as a scenario that fails again\n\n"
    "Exit codes: 0 it passes now, 1 it still fails, 2 there is no such finding."
)


class ReplayDriver(StrEnum):
    """Who moves the handlers."""

    step = "step"
    trio = "trio"


AllRules = Annotated[
    bool,
    typer.Option(
        "--all-rules",
        help="The same choices with every rule on, also those that were off when it was "
        "found: does the protocol hold now?",
    ),
]
ScenarioFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE.mmd", parser=named, help="Write it as a scenario that fails again."),
]


@attrs.frozen
class Replay:
    """What is played: as the command line called it, and as it was found."""

    called: str
    case: Case
    schedule: Schedule
    driver: str
    all_rules: bool = False

    def command(self) -> str:
        """What to paste to see it again."""
        words = ["hooktwin", "replay", self.called]
        words += ["--all-rules"] if self.all_rules else []
        return shlex.join([*words, *([] if self.driver == "trio" else ["--driver", self.driver])])


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(epilog=EPILOG)(replay)


def replay(
    finding: Annotated[
        str, typer.Argument(metavar="TOKEN|FILE", help="What 'hooktwin explore' printed or saved.")
    ],
    driver: Annotated[
        ReplayDriver, typer.Option(help="Who moves the handlers; the run is the same.")
    ] = ReplayDriver.trio,
    all_rules: AllRules = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
    trace: TraceFile = None,
    write: ScenarioFile = None,
    blame: Annotated[bool, typer.Option("--blame", help="Draw where the run was decided.")] = False,
    quiet: Quiet = False,
    show: Shown = Show.frames,
) -> None:
    """Play a finding again: its scenario, its rules, its choices; does it still fail?

    A token names the scenario and the rules that are off; the choices are found
    again by their names, so that a finding outlives unrelated changes of the code.
    """
    from sim.cli.exploring.playing import play_schedule
    from sim.cli.run_files import refuse_device
    from sim.cli.terminal import print_json
    from sim.cli.writing import check_writable, refuse_overwriting
    from sim.explore.replaying import resolve

    refuse_device(finding)
    refuse_overwriting([finding], (trace, write))
    for path in (trace, write):
        if path is not None:
            check_writable(path)
    with outcome.told_as_json(finding, as_json):
        case, schedule = resolve(finding, all_rules=all_rules)
    wanted = Replay(finding, case, schedule, driver.value, all_rules)
    played = play_schedule(case, schedule, driver.value)
    _write_files(wanted, played, trace, write)
    curve = _measured(wanted, played) if blame and played.fails else []
    if as_json:
        print_json(_to_json(wanted, played, curve))
    else:
        _show(wanted, played, curve, quiet, show is Show.all)
    raise typer.Exit(_code(played))


def _code(played: Played) -> int:
    if played.interrupted:
        return outcome.INTERRUPTED
    return outcome.FAILED if played.fails else outcome.OK


def _write_files(wanted: Replay, played: Played, trace: Path | None, write: Path | None) -> None:
    if trace is not None:
        from sim.cli.run import write_trace_file

        write_trace_file(trace, played.result)
    if write is not None:
        from sim.cli.writing import write_text
        from sim.explore.written import failing, written

        case, schedule = wanted.case, wanted.schedule
        broken = [one.invariant for one in played.result.violations]
        title = f"Breaks {broken[0] if broken else 'nothing now'}; from: {wanted.command()}"
        again = failing(case, schedule, broken[0], title) if broken else ""
        write_text(write, (again or written(case, schedule, title)) + "\n")


def _measured(wanted: Replay, played: Played) -> list[Blamed]:
    from sim.cli.exploring.searching import measured
    from sim.cli.exploring.watching import Watcher

    invariant = played.result.violations[0].invariant
    with Watcher(wanted.case.scenario.name, 0.0, None) as watcher:
        return measured(wanted.case, wanted.schedule, invariant, watcher.blaming)


def _to_json(wanted: Replay, played: Played, curve: list[Blamed]) -> dict[str, Any]:
    from sim.cli.exploring import curve as drawing
    from sim.cli.exploring.documents import choice

    schedule = wanted.schedule
    return {
        **played.result.to_json(),
        "still_fails": played.fails,
        "replayed": wanted.called,
        "choices": [choice(step) for step in schedule.steps],
        "schedule": schedule.to_json(),
        "blame": drawing.to_json(curve),
    }


def _show(wanted: Replay, played: Played, curve: list[Blamed], quiet: bool, every: bool) -> None:
    from rich.text import Text

    from sim.cli.exploring.curve import tell_curve
    from sim.cli.exploring.telling import tell_choices
    from sim.cli.run import show_drawing
    from sim.cli.terminal import clean, console, speaks_unicode

    screen = console()
    case = wanted.case
    head = Text(clean(case.scenario.name), "bold")
    off = f"rules off: {', '.join(sorted(case.without))}" if case.without else "all rules on"
    screen.print(head.append(f"  {off}", "yellow" if case.without else "dim"), soft_wrap=True)
    for line in tell_choices(case, wanted.schedule, screen.width):
        screen.print(line)
    screen.print()
    if not quiet:
        show_drawing(played.result, screen, every)
    _show_verdict(wanted, played, screen)
    if curve:
        for told in tell_curve(curve, screen.width, unicode=speaks_unicode(screen.file)):
            screen.print(told)


def _show_verdict(wanted: Replay, played: Played, screen: Console) -> None:
    from rich.text import Text

    from sim.cli.drawing.telling import Names
    from sim.cli.report.verdict import tell_numbers, tell_violation
    from sim.cli.terminal import clean

    result, names = played.result, Names(played.result.names)
    sign = Text("✗ ", "bold red") if played.fails else Text("✓ ", "bold green")
    told = "it still fails" if played.fails else "it passes now: no invariant is broken"
    told = "interrupted before its end" if played.interrupted else told
    screen.print(sign.append(clean(result.scenario), "bold").append(f"  {told}"))
    screen.print(tell_numbers(result, wanted.driver))
    for violation in result.violations:
        for line in tell_violation(violation, False, names):
            screen.print(line)
    if played.fails:
        command = Text(f"  reproduce with: {clean(wanted.command())}", "bold")
        screen.print(command, soft_wrap=True)
