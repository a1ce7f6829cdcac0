"""``hooktwin relay``: the commands of a client of the relay."""

from __future__ import annotations

import typer

from sim.cli.relaying import extract, serving

COMMANDS = (extract, serving)


def add_to(app: typer.Typer) -> None:
    """Register the group."""
    group = typer.Typer(
        no_args_is_help=True,
        help="Be a client of the relay protocol: extract content, or serve it to agents.",
        rich_markup_mode="rich",
    )
    for command in COMMANDS:
        command.add_to(group)
    app.add_typer(group, name="relay")
