"""``hooktwin relay mcp``: extraction as a tool for agents."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import trio

from sim.cli.relaying import serving
from sim.protocols.relay.controller.errand import FORMATS
from tests.cli.screens import Shell

mcp = pytest.importorskip("mcp", reason="the extra [mcp] is not installed")
TOOL = "otto_extract_content"


def with_client(deed: Callable[[Any], Awaitable[Any]]) -> Any:
    """Let ``deed`` talk to a server over the twin, without a process."""
    from mcp.client.client import Client

    from sim.cli.relaying.server import served_from

    async def main() -> Any:
        async with served_from(None, ()) as server, Client(server) as client:
            return await deed(client)

    return trio.run(main)


def called(**arguments: Any) -> Any:
    return with_client(lambda client: client.call_tool(TOOL, arguments))


def test_there_is_one_tool_with_a_target_and_a_format() -> None:
    async def deed(client: Any) -> Any:
        return await client.list_tools()

    (tool,) = with_client(deed).tools
    assert tool.name == TOOL
    fields = tool.input_schema["properties"]
    assert list(fields) == ["url", "tabSession", "format"]
    assert fields["format"] == {"type": "string", "enum": list(FORMATS), "default": "markdown"}


def test_a_url_gives_its_content_as_text_and_as_structure() -> None:
    answer = called(url="https://example.com/")
    assert not answer.is_error
    assert answer.content[0].text.startswith("# The harbour clock")
    told = answer.structured_content
    assert (told["ok"], told["format"], told["url"]) == (True, "markdown", "https://example.com/")
    assert told["content"] == answer.content[0].text


@pytest.mark.parametrize("format", FORMATS)
def test_each_format_can_be_had_of_an_open_tab(format: str) -> None:
    answer = called(tabSession="tab_1", format=format)
    assert "harbour" in answer.content[0].text
    assert ("<" in answer.content[0].text) == format.endswith("html")


def test_calls_share_one_browser_and_leave_no_tabs_open() -> None:
    async def deed(client: Any) -> Any:
        first = await client.call_tool(TOOL, {"url": "https://example.com/"})
        tab = first.structured_content["tabSessionId"]
        return await client.call_tool(TOOL, {"tabSession": tab})

    answer = with_client(deed)
    assert answer.is_error
    assert answer.structured_content["error"]["code"] == "tab_session_closed"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({}, "either a URL or a tab session"),
        ({"url": "https://example.com/", "tabSession": "tab_1"}, "either a URL or a tab session"),
        ({"url": 7}, "url must be a text"),
        ({"url": "https://example.com/", "format": "pdf"}, "unknown format 'pdf'; formats are"),
        ({"page": "x"}, "unknown argument 'page'; arguments are url, tabSession, format"),
        ({"url": "https://nowhere.example/"}, "tab_create_failed: https://nowhere.example/"),
    ],
)
def test_what_cannot_be_done_is_an_error_that_the_agent_can_read(
    arguments: dict[str, Any], why: str
) -> None:
    answer = called(**arguments)
    assert answer.is_error
    assert why in answer.content[0].text


def test_a_tool_that_there_is_not_is_named() -> None:
    async def deed(client: Any) -> Any:
        return await client.call_tool("otto_click", {})

    answer = with_client(deed)
    assert answer.is_error
    assert answer.content[0].text == f"unknown tool 'otto_click'; there is {TOOL}"


def test_it_serves_over_stdin_and_stdout_until_its_client_goes() -> None:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    async def main() -> Any:
        command = StdioServerParameters(command=sys.executable, args=["-m", "sim", "relay", "mcp"])
        with trio.fail_after(60):
            async with (
                stdio_client(command) as (reads, writes),
                ClientSession(reads, writes) as session,
            ):
                told = await session.initialize()
                answer = await session.call_tool(TOOL, {"url": "https://news.example/"})
                return told.server_info.name, answer

    name, answer = trio.run(main)
    assert name == "hooktwin"
    assert "Quay News" in answer.content[0].text


def test_without_the_package_the_remedy_is_told(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "find_spec", lambda name: None)
    said = shell("relay", "mcp")
    assert said.code == 2
    assert "pip install 'hooktwin[mcp]'" in said.err
