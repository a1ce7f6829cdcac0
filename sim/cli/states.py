"""``hooktwin states``: the transition tables as diagrams, in Mermaid or as pictures."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sim.cli.protocol_option import ProtocolOption
from sim.cli.writing import named

if TYPE_CHECKING:
    from sim.core.table import Table

EPILOG = (
    "Examples:\n\n"
    "  hooktwin states round          one table, as a Mermaid diagram\n\n"
    "  hooktwin states > states.md    all tables, as a Markdown page\n\n"
    "  hooktwin states --protocol relay    those of one protocol\n\n"
    "  hooktwin states round --out round.svg          a picture\n\n"
    "  hooktwin states --format svg --out pictures    a folder with a picture of each"
)


class Look(StrEnum):
    """What is written."""

    mermaid = "mermaid"
    svg = "svg"


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
    look: Annotated[
        Look | None, typer.Option("--format", "-f", help="Default: as --out ends, else mermaid.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FILE|DIR", parser=named,
            help="Write it there; pictures of all tables into a folder.",
        ),
    ] = None,
) -> None:  # fmt: skip
    """Show the transition tables (what may happen when) as state diagrams."""
    from sim.cli import words
    from sim.cli.outcome import unknown
    from sim.cli.writing import hand_over

    tables = words.tables(protocol)
    if name is not None and name not in tables:
        raise unknown("table", name, tables)
    is_picture = look is Look.svg or (look is None and out is not None and out.suffix == ".svg")
    if name is None and is_picture:
        _pictures(tables, out)
    elif name is None:
        pages = (f"## {role}\n\n```mermaid\n{t.mermaid()}```\n" for role, t in tables.items())
        hand_over("\n".join(pages), out)
    else:
        hand_over(_drawn(tables[name]) if is_picture else tables[name].mermaid(), out)


def _drawn(table: Table) -> str:
    from sim.cli.drawing.tables import picture_of

    return picture_of(table)


def _pictures(tables: Mapping[str, Table], out: Path | None) -> None:
    """One file per table. Raises UsageError where no folder is named."""
    from sim.cli.writing import check_folder, write_text
    from sim.core.errors import UsageError

    if out is None or out.suffix == ".svg":
        raise UsageError("pictures of all tables need a folder: --format svg --out DIR")
    check_folder(out)
    for role, table in tables.items():
        write_text(out / f"{re.sub('[^a-z0-9]+', '-', role.lower()).strip('-')}.svg", _drawn(table))
