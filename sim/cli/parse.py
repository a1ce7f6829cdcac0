"""``hooktwin parse FILE``: would it run?"""

from __future__ import annotations

from typing import Annotated

import typer

from sim.cli.run_options import complete_scenario

EPILOG = "Example:\n\n  hooktwin parse my.mmd    silence is assent: exit code 0, else 2"


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(epilog=EPILOG)(parse)


def parse(
    scenarios: Annotated[
        list[str],
        typer.Argument(
            metavar="SCENARIO…", help="Files or shipped names.", autocompletion=complete_scenario
        ),
    ],
) -> None:
    """Check scenarios without playing them."""
    from sim.cli.outcome import CANNOT_RUN
    from sim.cli.run_files import expand
    from sim.cli.terminal import say
    from sim.core.errors import UsageError
    from sim.play import load

    wrong = 0
    for one in expand(scenarios):
        try:
            load(one)
        except UsageError as error:
            say(f"hooktwin: {error}")
            wrong += 1
    if wrong:
        raise typer.Exit(CANNOT_RUN)
