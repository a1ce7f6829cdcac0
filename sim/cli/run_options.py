"""The options of ``run``, as types; several commands share some of them."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sim.cli.writing import named


class Driver(StrEnum):
    """Who moves the handlers."""

    trio = "trio"
    step = "step"
    live = "live"


class Show(StrEnum):
    """How much of a run is drawn."""

    frames = "frames"
    all = "all"


def complete_scenario(incomplete: str) -> list[str]:
    """Shipped names and files."""
    from sim.scenario.load import SUFFIXES, shipped_scenarios

    names = [name for name in shipped_scenarios() if name.startswith(incomplete)]
    folder, _, start = incomplete.rpartition("/")
    try:
        entries = sorted(Path(folder or ("/" if incomplete.startswith("/") else ".")).iterdir())
    except OSError:
        return names
    prefix = f"{folder}/" if "/" in incomplete else ""
    for entry in entries:
        if entry.name.startswith(start) and not entry.name.startswith("."):
            if entry.is_dir():
                names.append(f"{prefix}{entry.name}/")
            elif entry.suffix.lower() in SUFFIXES:
                names.append(prefix + entry.name)
    return names


def complete_rule(incomplete: str) -> list[str]:
    """Rules that can be switched off."""
    from sim.cli import words

    return [name for name in words.rules() if name.startswith(incomplete)]


ScenarioNames = Annotated[
    list[str],
    typer.Argument(
        metavar="SCENARIO…",
        help="Files, folders, or names of shipped scenarios; - reads standard input.",
        autocompletion=complete_scenario,
        show_default=False,
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(min=0, help="Decides all that is random. Default: the file's @seed, else 1."),
]
Without = Annotated[
    list[str] | None,
    typer.Option(
        "--without",
        metavar="RULE",
        help="Switch a protocol rule off (again for more). See: hooktwin rules --switches.",
        autocompletion=complete_rule,
    ),
]
Seeds = Annotated[
    int | None,
    typer.Option(min=1, max=1_000_000, help="Play with the seeds 1 to N: which of them fail?"),
]
DriverName = Annotated[
    Driver | None,
    typer.Option(
        help="Who moves the handlers; the run is the same. live sends every frame over real "
        "WebSockets on 127.0.0.1 and waits for it. Default: trio; step with --seeds.",
        show_default=False,
    ),
]
Speed = Annotated[
    float | None,
    typer.Option(min=0.001, help="Virtual seconds per second, with --driver live. Default: 20."),
]
JsonLines = Annotated[
    bool, typer.Option("--json", help="One JSON object per scenario on stdout, else nothing.")
]
TraceFile = Annotated[
    Path | None, typer.Option(metavar="FILE", parser=named, help="Record the events as JSON lines.")
]
SvgFile = Annotated[
    Path | None, typer.Option(metavar="FILE", parser=named, help="Draw the run as an SVG picture.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Only the verdict.")]
Shown = Annotated[Show, typer.Option(help="frames: what tells the story; all: every event.")]
