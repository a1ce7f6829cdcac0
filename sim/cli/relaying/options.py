"""Options that the commands of ``hooktwin relay`` share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from sim.core.errors import UsageError

if TYPE_CHECKING:
    from sim.cli.relaying.address import Address
    from sim.protocols.relay.browser import Page

Relay = Annotated[
    str | None,
    typer.Option(
        "--url",
        "--relay",
        metavar="URL",
        help="A real relay, ws:// or wss://. Without it: the twin, in a world of its own.",
    ),
]
Token = Annotated[
    str | None,
    typer.Option(
        metavar="TOKEN", envvar="HOOKTWIN_RELAY_TOKEN", help="The access token for a real relay."
    ),
]
RefreshToken = Annotated[
    str | None,
    typer.Option(
        metavar="TOKEN",
        envvar="HOOKTWIN_RELAY_REFRESH_TOKEN",
        help="Gets a new access token where the relay does not take the first one any more.",
    ),
]
Node = Annotated[
    str | None,
    typer.Option(metavar="ID", help="The node that is meant, where a real relay has several."),
]
Html = Annotated[
    list[Path] | None,
    typer.Option(
        "--html",
        metavar="FILE",
        help="A page for the twin's web: it stands at https://files.example/NAME.",
        exists=True,
        dir_okay=False,
        readable=True,
    ),
]

HOST: Final = "https://files.example/"


def address_of(
    relay: str | None, token: str | None, refresh_token: str | None, node: str | None
) -> Address | None:
    """The real relay that is meant, None for the twin. Raises UsageError for half of one."""
    from sim.cli.relaying.address import Address

    if relay is None:
        if node:
            raise UsageError("--node is for a real relay: give its --url too")
        return None  # tokens may stand in the environment for another day
    if not token:
        text = "a real relay wants a token: give --token, or set HOOKTWIN_RELAY_TOKEN"
        raise UsageError(text)
    return Address(relay, token, node or "", refresh_token or "")


def pages_of(files: list[Path] | None, relay: str | None) -> list[Page]:
    """Pages that show these files. Raises UsageError where there is no twin to show them."""
    from sim.protocols.relay.browser import Page

    if files and relay is not None:
        raise UsageError("--html is for the twin's web; a real relay's node loads real pages")
    made: list[Page] = []
    for file in files or ():
        url = HOST + file.name.replace(" ", "-")
        made.append(Page(url, file.stem, text=file.read_text(encoding="utf-8", errors="replace")))
    return made
