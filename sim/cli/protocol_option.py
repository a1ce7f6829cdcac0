"""``--protocol NAME``: for the commands that teach names which several protocols may have."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer


def protocol_names(incomplete: str) -> list[str]:
    """Completions for the option."""
    from sim.cli import words

    return [name for name in words.protocols() if name.startswith(incomplete)]


ProtocolOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--protocol",
        metavar="NAME",
        help="hook, relay or question. Without it names are sought in all, hook first.",
        autocompletion=protocol_names,
    ),
]
