"""The options of ``explore``, as types."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sim.cli.run_options import complete_scenario
from sim.cli.writing import named

STRATEGY_WORDS = ("portfolio", "exhaustive", "timings", "uniform", "pct", "coverage")
"""Those of sim.explore.strategies, which the help must not import."""


def _complete_strategy(incomplete: str) -> list[str]:
    return [word for word in STRATEGY_WORDS if word.startswith(incomplete)]


Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE…",
        help="Files, folders, or names of shipped scenarios; - reads standard input.",
        autocompletion=complete_scenario,
        show_default=False,
    ),
]
Faults = Annotated[
    str | None,
    typer.Option(
        metavar="LIST",
        help="Faults that may be added to each run, such as cut:1,channel:2. Words: cut, lose, "
        "duplicate, delay, crash, channel, http. Default: the file's @faults, else none.",
    ),
]
MaxSchedules = Annotated[
    int | None,
    typer.Option(
        "--max-schedules",
        min=1,
        metavar="N",
        help="Try at most N, per file. Default: as many as --seconds allows.",
    ),
]
Seconds = Annotated[
    float,
    typer.Option(
        min=0,
        metavar="N",
        help="Search for so long, all files together, or inf; shrinking comes on top.",
    ),
]
SearchSeed = Annotated[
    int | None, typer.Option(min=0, help="Other draws. Default: the file's @seed, else 1.")
]
Everything = Annotated[
    bool, typer.Option("--all", help="Do not stop at the first finding of a file.")
]
StrategyName = Annotated[
    str,
    typer.Option(
        metavar="NAME", help=f"{', '.join(STRATEGY_WORDS)}.", autocompletion=_complete_strategy
    ),
]
Deviations = Annotated[
    int, typer.Option(min=0, max=3, help="How far the exhaustive search goes from the timed run.")
]
Jobs = Annotated[
    int, typer.Option(min=1, max=256, metavar="N", help="Processes; they find the same.")
]
EngineName = Annotated[
    str, typer.Option(metavar="dask://HOST:PORT", help="Run on a Dask cluster instead.")
]
SaveFolder = Annotated[
    Path | None, typer.Option(metavar="DIR", parser=named, help="Keep findings there.")
]
JsonPerFile = Annotated[
    bool, typer.Option("--json", help="One JSON object per file on stdout, else nothing.")
]
JunitFile = Annotated[
    Path | None, typer.Option(metavar="FILE", parser=named, help="Write a JUnit XML report.")
]
SarifFile = Annotated[
    Path | None, typer.Option(metavar="FILE", parser=named, help="Write a SARIF 2.1.0 report.")
]
Blame = Annotated[bool, typer.Option("--blame", help="Draw where each failing run was decided.")]
