"""Options that several live commands share, as types."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sim.cli.run_options import complete_scenario
from sim.cli.writing import named

Channels = Annotated[
    list[str] | None,
    typer.Option(
        "--channel",
        metavar="slack|telegram|x",
        help="A channel (again for more). Default: all three, or those of the scenario.",
        autocompletion=lambda: ["slack", "telegram", "x"],
    ),
]
Protocol = Annotated[
    str | None,
    typer.Option(
        metavar="hook|relay|question",
        help="The protocol that is spoken, where no scenario says it. Default: hook.",
        autocompletion=lambda: ["hook", "relay", "question"],
    ),
]
ScenarioFile = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="People, channels and faults of this scenario; a file or a shipped name.",
        autocompletion=complete_scenario,
    ),
]
RecordFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", parser=named, help="Record everything, at once, as a trace (JSON lines)."
    ),
]
Token = Annotated[
    str | None,
    typer.Option(
        envvar="HOOKTWIN_TOKEN",
        show_envvar=True,
        help="What Authorization: Bearer has to show; it appears in no recording or log.",
    ),
]
Speed = Annotated[
    float, typer.Option(min=0.001, max=10_000, help="Virtual seconds per real second.")
]
Seconds = Annotated[
    float | None, typer.Option(min=0.1, help="End after so many seconds. Default: by Ctrl-C.")
]
