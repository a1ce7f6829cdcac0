"""``hooktwin rules``: which behaviours can be switched off, and what for."""

from __future__ import annotations

from typing import Annotated

import typer

EPILOG = (
    "Examples:\n\n"
    "  hooktwin rules\n\n"
    "  hooktwin explain close-out             one rule in full\n\n"
    "  hooktwin run typical --without pong    a run without a rule"
)


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(epilog=EPILOG)(rules)


def rules(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON list on stdout.")] = False,
) -> None:
    """List the protocol's rules: name, catalogue ids, who obeys, why."""
    from sim.cli import words
    from sim.cli.explain import rule_json
    from sim.cli.terminal import console, print_json

    known = words.rules().values()
    if as_json:
        print_json([rule_json(rule) for rule in known])
        return
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("rule", style="cyan", no_wrap=True)
    table.add_column("catalogue", no_wrap=True)
    table.add_column("obeyed by", no_wrap=True)
    table.add_column("reason")
    for rule in known:
        table.add_row(rule.name, "\n".join(rule.catalogue), rule.by, rule.reason)
    console().print(table)
