"""``hooktwin relay extract-content``: the content of a page, in one of five formats."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from sim.cli.relaying.options import (
    Html,
    Node,
    RefreshToken,
    Relay,
    Token,
    address_of,
    pages_of,
)

if TYPE_CHECKING:
    from sim.cli.relaying.address import Address
    from sim.protocols.relay.browser import Page
    from sim.protocols.relay.controller.errand import Extracted, NotExtracted, Wanted


class Format(StrEnum):
    """The formats of extract-content, in the protocol's order."""

    markdown = "markdown"
    distilled_html = "distilled_html"
    clean_html = "clean_html"
    raw_html = "raw_html"
    text = "text"


EPILOG = (
    "Examples:\n\n"
    "  hooktwin relay extract-content https://example.com/\n\n"
    "  hooktwin relay extract-content https://news.example/ --format distilled_html\n\n"
    "  hooktwin relay extract-content https://files.example/my.html --html my.html\n\n"
    "  hooktwin relay extract-content https://example.com/ --url ws://127.0.0.1:8787 --token …\n\n"
    "The twin's node has one tab open, tab_1. Exit codes: 0 the content is on stdout, "
    "1 the node or the relay could not do it, 2 it cannot begin."
)


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("extract-content", epilog=EPILOG)(extract_content)


def extract_content(
    page: Annotated[
        str | None,
        typer.Argument(metavar="[URL]", help="The page, opened in a tab of its own."),
    ] = None,
    format: Annotated[Format, typer.Option(help="What it is turned into.")] = Format.markdown,
    tab_session: Annotated[
        str | None,
        typer.Option(metavar="TAB", help="A tab that is open already, instead of a URL."),
    ] = None,
    selector: Annotated[
        str | None, typer.Option(metavar="CSS", help="Only what this selector finds first.")
    ] = None,
    timeout_ms: Annotated[
        int | None, typer.Option(min=1, metavar="MS", help="The budget of each command.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object, errors included.")
    ] = False,
    url: Relay = None,
    token: Token = None,
    refresh_token: RefreshToken = None,
    node: Node = None,
    html: Html = None,
) -> None:
    """Extract the content of a page through the relay."""
    from sim.core.errors import UsageError
    from sim.protocols.relay.controller.errand import NotExtracted, Wanted

    wanted = Wanted(page or "", tab_session or "", str(format), selector or "", timeout_ms)
    try:
        end = _end_of(wanted, address_of(url, token, refresh_token, node), pages_of(html, url))
    except UsageError as error:
        if as_json:
            _print_object(NotExtracted("", str(error)))
        raise
    raise typer.Exit(_told(end, as_json))


def _end_of(wanted: Wanted, address: Address | None, pages: list[Page]) -> Extracted | NotExtracted:
    if address is not None:
        from sim.cli.relaying.remote import extract_once

        return extract_once(address, wanted)
    from sim.cli.relaying.twin import TwinClient

    client = TwinClient(pages)
    try:
        return client.extract(wanted)
    finally:
        client.close()


def _print_object(end: Extracted | NotExtracted) -> None:
    from sim.cli.relaying.answers import json_of
    from sim.cli.terminal import print_json

    print_json(json_of(end))
    sys.stdout.flush()


def _print_content(content: str) -> None:
    """As it is where it is piped; a terminal gets what cannot repaint it."""
    from sim.cli.terminal import pipe_utf8, print_text

    if sys.stdout.isatty():
        print_text(content.expandtabs())
    else:
        pipe_utf8()
        sys.stdout.write(content if content.endswith("\n") else content + "\n")


def _told(end: Extracted | NotExtracted, as_json: bool) -> int:
    from sim.cli.outcome import FAILED, OK
    from sim.cli.terminal import say
    from sim.protocols.relay.controller.errand import Extracted

    is_there = isinstance(end, Extracted)
    if as_json:
        _print_object(end)
    elif isinstance(end, Extracted):
        _print_content(end.content)
    if not is_there:
        say(f"hooktwin: {end}")
    sys.stdout.flush()
    return OK if is_there else FAILED
