"""``hooktwin schema``: the message types as JSON Schema."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sim.cli.protocol_option import ProtocolOption
from sim.cli.writing import named

EPILOG = (
    "Examples:\n\n"
    "  hooktwin schema > hook.schema.json       all types, told apart by their type\n\n"
    "  hooktwin schema turn.end --out end.json  one type\n\n"
    "  hooktwin schema --protocol relay         those of the relay protocol"
)


def _complete(incomplete: str) -> list[str]:
    from sim.cli import words

    return [word for word in words.declared() if word.startswith(incomplete)]


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(epilog=EPILOG)(schema)


def schema(
    type_name: Annotated[
        str | None,
        typer.Argument(metavar="[TYPE]", help="One message type.", autocompletion=_complete),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", parser=named, help="Write it to a file."),
    ] = None,
    protocol: ProtocolOption = None,
) -> None:
    """Print the JSON Schema (2020-12) of all message types of a protocol, or of one."""
    from sim.cli import words
    from sim.cli.outcome import unknown
    from sim.cli.terminal import print_json, to_json
    from sim.cli.writing import write_text
    from sim.wire.schema import json_schema

    types = words.message_types(protocol) if type_name is None else words.declared(protocol)
    if type_name is not None and type_name not in types:
        raise unknown("message type", type_name, types, remedy="hooktwin explain --all lists all")
    made = json_schema(types.values() if type_name is None else [types[type_name]])
    if out is None:
        print_json(made, indent=2)
    else:
        write_text(out, to_json(made, indent=2) + "\n")
