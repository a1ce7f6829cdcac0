"""The options of ``check``, as types."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sim.cli.writing import named


class Only(StrEnum):
    """What is judged."""

    wire = "wire"
    rules = "rules"


def complete_rule(incomplete: str) -> list[str]:
    """Rules that frames can show."""
    from sim.check.exchange_protocols import EXCHANGED, exchanged
    from sim.check.protocols import JUDGED, judged

    records = [*(judged(name) for name in JUDGED), *map(exchanged, EXCHANGED)]
    every = (name for record in records if record is not None for name in record.rules)
    return [name for name in every if name.startswith(incomplete)]


Logs = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE…", help="Logs, traces, HAR files, folders; - reads standard input."
    ),
]
RuleNames = Annotated[
    list[str] | None,
    typer.Option(
        "--rule",
        metavar="RULE",
        help="Judge this rule only (again for more): a name, or a row of the catalogue.",
        autocompletion=complete_rule,
    ),
]
OnlyWhat = Annotated[
    Only | None,
    typer.Option(
        help="wire: the form of each frame; rules: what frames have to do with each other.",
        show_default=False,
    ),
]
Follow = Annotated[
    bool, typer.Option("--follow", "-f", help="Read on as the file grows, until Ctrl-C.")
]
FromMiddle = Annotated[
    bool, typer.Option("--from-middle", help="The log begins in the middle of what happened.")
]
Every = Annotated[
    bool,
    typer.Option(
        "--all", help="Every finding and every line that cannot be read; else three of each."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Only the last lines.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on stdout, else nothing.")]
JunitFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", parser=named, help="Write the verdicts as JUnit XML, too."),
]
SarifFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", parser=named, help="Write the findings as SARIF, too."),
]
Protocol = Annotated[
    str | None,
    typer.Option(
        metavar="hook|relay|question",
        help="Whose frames they are. Without it each log shows it by its own.",
        autocompletion=lambda: ["hook", "relay", "question"],
    ),
]
