"""``hooktwin states``: the transition tables as Mermaid diagrams."""

from __future__ import annotations

from typing import Annotated

import typer

from sim.cli.protocol_option import ProtocolOption

EPILOG = (
    "Examples:\n\n"
    "  hooktwin states round          one table, as a Mermaid diagram\n\n"
    "  hooktwin states > states.md    all tables, as a Markdown page\n\n"
    "  hooktwin states --protocol relay    those of one protocol"
)


def _complete(incomplete: str) -> list[str]:
    from sim.cli import words

    return [role for role in words.tables() if role.startswith(incomplete)]


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(epilog=EPILOG)(states)


def states(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="The role of one table.", autocompletion=_complete),
    ] = None,
    protocol: ProtocolOption = None,
) -> None:
    """Print the transition tables (what may happen when) as Mermaid state diagrams."""
    from sim.cli import words
    from sim.cli.outcome import unknown
    from sim.cli.terminal import print_text

    tables = words.tables(protocol)
    if name is None:
        pages = (f"## {role}\n\n```mermaid\n{t.mermaid()}```\n" for role, t in tables.items())
        print_text("\n".join(pages))
    elif name in tables:
        print_text(tables[name].mermaid())
    else:
        raise unknown("table", name, tables)
