"""``hooktwin parse FILE``: would it run?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from sim.cli.run_options import JsonLines, complete_scenario

if TYPE_CHECKING:
    from sim.scenario.syntax import Scenario

EPILOG = (
    "Examples:\n\n  hooktwin parse my.mmd         silence is assent: exit code 0, else 2\n\n"
    "  hooktwin parse my.mmd --json  one JSON object per scenario"
)


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(epilog=EPILOG)(parse)


def parse(
    scenarios: Annotated[
        list[str],
        typer.Argument(
            metavar="SCENARIO…",
            help="Files or shipped names; - reads standard input.",
            autocompletion=complete_scenario,
        ),
    ],
    as_json: JsonLines = False,
) -> None:
    """Check scenarios without playing them."""
    from sim.cli.outcome import CANNOT_RUN, unusable_json
    from sim.cli.reading import read_scenario
    from sim.cli.run_files import expand
    from sim.cli.terminal import print_json, say
    from sim.core.errors import UsageError

    wrong = 0
    for one in expand(scenarios):
        try:
            told = _facts(read_scenario(one))
        except UsageError as error:
            say(f"hooktwin: {error}")
            told = unusable_json(one, error)
            wrong += 1
        if as_json:
            print_json(told)
    if wrong:
        raise typer.Exit(CANNOT_RUN)


def _facts(scenario: Scenario) -> dict[str, Any]:
    """What ``--json`` says of a scenario that would run."""
    return {
        "ok": True,
        "scenario": scenario.name,
        "path": scenario.path,
        "protocol": scenario.protocol,
        "participants": [
            {"id": one.id, "kind": one.kind, "puppet": one.puppet is not None}
            for one in scenario.participants
        ],
        "seed": scenario.settings.seed,
        "strict": scenario.strict,
        "live": scenario.live,
        "violates": list(scenario.violates),
    }
