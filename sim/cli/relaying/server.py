"""The MCP server behind ``hooktwin relay mcp``; the only module that imports ``mcp``."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import trio
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from sim import __version__
from sim.cli.relaying.address import Address
from sim.cli.relaying.answers import json_of
from sim.cli.relaying.remote import session_with
from sim.cli.relaying.twin import TwinClient
from sim.core.errors import UsageError
from sim.protocols.relay.browser import Page
from sim.protocols.relay.constants import DEFAULT_FORMAT
from sim.protocols.relay.controller.errand import FORMATS, Extracted, NotExtracted, Wanted

TOOL: Final = "otto_extract_content"
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "url": {"type": "string", "description": "The page, opened in a tab of its own."},
        "tabSession": {
            "type": "string",
            "description": "A tab that is open already, by its tabSessionId; instead of url.",
        },
        "format": {"type": "string", "enum": list(FORMATS), "default": DEFAULT_FORMAT},
    },
    "additionalProperties": False,
    "oneOf": [{"required": ["url"]}, {"required": ["tabSession"]}],
}
DESCRIPTION: Final = (
    "Extract the content of a web page through the relay: as markdown, distilled HTML (what a "
    "reader would read), clean HTML (no scripts, no styles), raw HTML, or visible text."
)

Extract = Callable[[Wanted], Awaitable[Extracted | NotExtracted]]


def wanted_of(arguments: Mapping[str, Any]) -> Wanted:
    """What a call of the tool asks for. Raises UsageError for anything but that."""
    unknown = sorted(set(arguments) - {"url", "tabSession", "format"})
    if unknown:
        raise UsageError(f"unknown argument {unknown[0]!r}; arguments are url, tabSession, format")
    for name, value in arguments.items():
        if not isinstance(value, str):
            raise UsageError(f"{name} must be a text, not {value!r}")
    return Wanted(
        arguments.get("url", ""),
        arguments.get("tabSession", ""),
        arguments.get("format", DEFAULT_FORMAT),
    )


def server_for(extract: Extract) -> Server[Any]:
    """A server whose tool does its extractions with ``extract``."""

    async def list_tools(ctx: Any, params: Any) -> types.ListToolsResult:
        tool = types.Tool(name=TOOL, description=DESCRIPTION, input_schema=SCHEMA)
        return types.ListToolsResult(tools=[tool])

    async def call_tool(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name != TOOL:
            return _wrong(f"unknown tool {params.name!r}; there is {TOOL}")
        try:
            wanted = wanted_of(params.arguments or {})
        except UsageError as error:
            return _wrong(str(error))
        end = await extract(wanted)
        if isinstance(end, NotExtracted):
            return _wrong(str(end), json_of(end))
        text = types.TextContent(type="text", text=end.content)
        return types.CallToolResult(content=[text], structured_content=json_of(end))

    return Server("hooktwin", version=__version__, on_list_tools=list_tools, on_call_tool=call_tool)


def _wrong(message: str, told: dict[str, Any] | None = None) -> types.CallToolResult:
    """A result that says what went wrong, for the agent to read."""
    text = types.TextContent(type="text", text=message)
    return types.CallToolResult(content=[text], structured_content=told, is_error=True)


@asynccontextmanager
async def _source(address: Address | None, pages: Sequence[Page]) -> AsyncIterator[Extract]:
    """Where extractions are done; one at a time, for there is one controller."""
    turn = trio.Lock()
    if address is not None:
        async with session_with(address) as remote:

            async def over_there(wanted: Wanted) -> Extracted | NotExtracted:
                async with turn:
                    return await remote.extract(wanted)

            yield over_there
        return
    twin = TwinClient(pages)

    async def here(wanted: Wanted) -> Extracted | NotExtracted:
        return twin.extract(wanted)

    try:
        yield here
    finally:
        twin.close()


@asynccontextmanager
async def served_from(address: Address | None, pages: Sequence[Page]) -> AsyncIterator[Server[Any]]:
    """A server over a real relay, or over the twin; raises UsageError where it is not let in."""
    async with _source(address, pages) as extract:
        yield server_for(extract)


async def serve(address: Address | None, pages: Sequence[Page]) -> None:
    """Serve on stdin and stdout until the agent goes away."""
    async with served_from(address, pages) as server, stdio_server() as (reads, writes):
        await server.run(reads, writes, server.create_initialization_options())
