"""``hooktwin relay mcp``: the tool for agents."""

from __future__ import annotations

from importlib.util import find_spec

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

REMEDY = "hooktwin relay mcp needs the mcp package: pip install 'hooktwin[mcp]'"

EPILOG = (
    "An MCP server on stdin and stdout with one tool, otto_extract_content, whose arguments are "
    "url or tabSession, and format.\n\n"
    "Examples:\n\n"
    "  hooktwin relay mcp                          against the twin\n\n"
    "  hooktwin relay mcp --url ws://127.0.0.1:8787 --token …   against a real relay"
)


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command("mcp", epilog=EPILOG)(mcp)


def mcp(
    url: Relay = None,
    token: Token = None,
    refresh_token: RefreshToken = None,
    node: Node = None,
    html: Html = None,
) -> None:
    """Serve content extraction to agents over the Model Context Protocol (stdio)."""
    from sim.core.errors import UsageError

    if find_spec("mcp") is None:
        raise UsageError(REMEDY)
    import trio

    from sim.cli.relaying.server import serve

    trio.run(serve, address_of(url, token, refresh_token, node), pages_of(html, url))
