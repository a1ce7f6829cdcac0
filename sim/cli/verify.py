"""``hooktwin verify``: is the same run really the same, everywhere?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from sim.cli import outcome
from sim.cli.run_options import Without, complete_scenario

if TYPE_CHECKING:
    from sim.cli.verifying.compare import Comparison

EPILOG = (
    "Examples:\n\n"
    "  hooktwin verify typical                       20 seeds\n\n"
    "  hooktwin verify my.mmd --seeds 200\n\n"
    "  hooktwin verify typical --drivers step        one driver, two hash seeds\n\n"
    "Exit codes: 0 every run of a seed is the same, 1 two differ (the first event that\n"
    "differs is named), 2 the scenario cannot be run."
)

LISTED = 20
"""Seeds that the table lists."""


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(epilog=EPILOG)(verify)


def verify(
    scenario: Annotated[
        str,
        typer.Argument(
            help="A file or the name of a shipped scenario.", autocompletion=complete_scenario
        ),
    ],
    seeds: Annotated[int, typer.Option(min=1, max=100_000, help="Seeds 1 to N.")] = 20,
    drivers: Annotated[
        str, typer.Option(metavar="LIST", help="Which drivers to compare: step, trio, live.")
    ] = "step,trio",
    processes: Annotated[
        int, typer.Option(min=1, max=16, help="Processes per PYTHONHASHSEED (there are two).")
    ] = 2,
    without: Without = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Run a scenario again and again and compare the digests.

    Each seed is run in several processes, with two values of PYTHONHASHSEED
    and by each driver. All runs of a seed must be the same, event by event.
    The driver live plays the same world over real WebSockets on 127.0.0.1 and
    waits for each frame to cross, so it must give the same digest too.
    """
    from sim.cli.run_files import check_rules
    from sim.cli.terminal import print_json
    from sim.cli.verifying.compare import Plan, compare
    from sim.play import load

    with outcome.told_as_json(scenario, as_json):
        check_rules(without or ())
        load(scenario)  # a scenario that cannot be run fails here, once
    plan = Plan(scenario, seeds, _drivers(drivers), processes, tuple(without or ()))
    comparison = compare(plan)
    if as_json:
        print_json(comparison.to_json())
    else:
        _show(comparison)
    raise typer.Exit(_code(comparison))


def _drivers(listed: str) -> tuple[str, ...]:
    from sim.cli.outcome import unknown
    from sim.play import DRIVERS

    names = tuple(dict.fromkeys(name.strip() for name in listed.split(",") if name.strip()))
    for name in names or ("",):
        if name not in DRIVERS:
            raise unknown("driver", name, DRIVERS)
    return names


def _code(comparison: Comparison) -> int:
    if comparison.difference is not None or comparison.crash is not None:
        return outcome.FAILED
    return outcome.INTERRUPTED if comparison.interrupted else outcome.OK


def _show(comparison: Comparison) -> None:
    from rich.table import Table

    from sim.cli.terminal import clean, console, say

    screen = console()
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("seed", "runs", "steps"):
        table.add_column(title, justify="right")
    table.add_column("digest", no_wrap=True)
    for seed in comparison.seeds[:LISTED]:
        table.add_row(str(seed.seed), str(seed.runs), str(seed.steps), seed.digest)
    screen.print(table)
    if len(comparison.seeds) > LISTED:
        screen.print(f"… and {len(comparison.seeds) - LISTED} more (--json lists them all)")
    screen.print(f"\n{comparison.verdict()}")
    if comparison.interrupted:
        say("hooktwin: this is what was compared so far")
    if comparison.crash is not None:
        say("hooktwin: a run failed:", *comparison.crash.split("\n"))
    if comparison.difference is not None:
        for line in comparison.difference.lines():
            screen.print(clean(line), soft_wrap=True)
