"""``hooktwin relay extract-content`` against the twin: five formats, one target, plain errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sim.cli.relaying.extract import Format
from sim.cli.relaying.twin import TwinClient
from sim.core.event import FrameSent
from sim.protocols.relay.controller.errand import FORMATS, Extracted, Wanted
from tests.cli.screens import Shell

PAGE = "https://example.com/"
ACTIONS = {
    "markdown": "primitive.dom.extract_markdown",
    "distilled_html": "primitive.dom.extract_distilled_html",
    "clean_html": "primitive.dom.extract_clean_html",
    "raw_html": "primitive.dom.extract_html",
    "text": "primitive.dom.extract_text",
}


def extract(shell: Shell, *arguments: object) -> object:
    return shell("relay", "extract-content", *arguments)


def test_markdown_is_what_comes_when_no_format_is_named(shell: Shell) -> None:
    said = extract(shell, PAGE)
    assert said.code == 0
    assert said.out.startswith("# The harbour clock\n")
    assert said.out == extract(shell, PAGE, "--format", "markdown").out


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_is_sent_as_its_own_action_between_open_and_close(format: str) -> None:
    twin = TwinClient()
    end = twin.extract(Wanted(PAGE, format=format))
    commands = [
        e.frame.wire["payload"]["action"]
        for e in twin.world.events
        if type(e) is FrameSent and e.sender == "C" and e.frame.type == "command"
    ]
    twin.close()
    assert isinstance(end, Extracted)
    assert "harbour clock" in end.content
    assert commands == ["primitive.tab.open", ACTIONS[format], "primitive.tab.close"]


def test_the_command_offers_the_protocols_formats_in_their_order() -> None:
    assert tuple(Format) == FORMATS
    assert tuple(ACTIONS) == FORMATS


def test_raw_html_is_the_page_as_it_is_and_clean_html_has_no_scripts(
    shell: Shell, tmp_path: Path
) -> None:
    page = "<!doctype html><title>T</title>\t<script>alert(1)</script><p>Hello\tyou</p>\n"
    (tmp_path / "my page.html").write_text(page, encoding="utf-8")
    target = ("https://files.example/my-page.html", "--html", tmp_path / "my page.html")
    assert extract(shell, *target, "--format", "raw_html").out == page
    clean = extract(shell, *target, "--format", "clean_html").out
    assert "Hello" in clean
    assert "alert" not in clean


def test_a_selector_takes_a_part(shell: Shell) -> None:
    assert extract(shell, PAGE, "--selector", "h1", "--format", "text").out.strip() == (
        "The harbour clock"
    )


def test_a_tab_that_is_open_stands_for_a_url(shell: Shell) -> None:
    assert extract(shell, "--tab-session", "tab_1").out == extract(shell, PAGE).out


def test_json_tells_where_the_content_stood(shell: Shell) -> None:
    told = json.loads(extract(shell, PAGE, "--json", "--format", "text").out)
    assert told["ok"] is True
    assert (told["format"], told["url"], told["tabSessionId"]) == ("text", PAGE, "tab_2")
    assert "harbour" in told["content"]


def test_what_the_node_cannot_do_is_an_error_with_its_code(shell: Shell) -> None:
    said = extract(shell, "https://nowhere.example/")
    assert (said.code, said.out) == (1, "")
    assert said.err.startswith("hooktwin: tab_create_failed: https://nowhere.example/")
    told = json.loads(extract(shell, "--tab-session", "tab_9", "--json").out)
    assert told["error"]["code"] == "unknown_tab_session"
    assert told["error"]["actionableHint"] == "query the tabs"


def test_a_page_whose_script_has_crashed_leaves_no_tab_behind() -> None:
    twin = TwinClient()
    end = twin.extract(Wanted("https://crash.example/"))
    node = twin.world.hosts["N"].actor
    assert end.code == "bridge_failure"
    assert list(node.browser.tabs) == ["tab_1"]
    twin.close()


def test_a_budget_that_is_too_short_for_a_slow_page_ends_in_a_timeout(shell: Shell) -> None:
    said = extract(shell, "https://slow.example/", "--timeout-ms", "2000")
    assert said.code == 1
    assert "command_timed_out" in said.err


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), "name what to extract: either a URL or a tab session"),
        ((PAGE, "--tab-session", "tab_1"), "name what to extract: either a URL or a tab session"),
        ((PAGE, "--node", "n"), "--node is for a real relay: give its --url too"),
        ((PAGE, "--url", "ws://h"), "a real relay wants a token"),
        ((PAGE, "--url", "http://h", "--token", "t"), "give the relay's URL, such as ws://"),
        ((PAGE, "--format", "pdf"), "'pdf' is not one of"),
        ((PAGE, "--html", "no-such-file.html"), "does not exist"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_what_could(
    shell: Shell, arguments: tuple[str, ...], why: str
) -> None:
    said = extract(shell, *arguments)
    assert said.code == 2
    assert why in said.err


def test_pages_of_ones_own_are_for_the_twin_alone(shell: Shell, tmp_path: Path) -> None:
    page = tmp_path / "a.html"
    page.write_text("<p>a</p>")
    said = extract(shell, PAGE, "--html", page, "--url", "ws://h", "--token", "t")
    assert said.code == 2
    assert "--html is for the twin's web" in said.err


def test_the_twin_gives_the_same_every_time() -> None:
    ends = []
    for _ in range(2):
        twin = TwinClient()
        ends.append([twin.extract(Wanted(PAGE)), twin.extract(Wanted(tab="tab_1"))])
        ends[-1].append(twin.world.now)
        twin.close()
    assert ends[0] == ends[1]
