"""extract-content as a controller does it: formats, and the steps of an errand (OT-39)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from sim.core.errors import UsageError
from sim.protocols.relay.acts import ExtractContent, SendCommand
from sim.protocols.relay.controller import Outcome
from sim.protocols.relay.controller.errand import (
    FORMATS,
    Extracted,
    NotExtracted,
    Wanted,
    extraction,
)
from sim.protocols.relay.controller.records import DISCONNECTED, ERROR, GAVE_UP, RESULT
from tests.protocols.relay.peer_play import ControllerPlay

ACTIONS = {
    "markdown": "primitive.dom.extract_markdown",
    "distilled_html": "primitive.dom.extract_distilled_html",
    "clean_html": "primitive.dom.extract_clean_html",
    "raw_html": "primitive.dom.extract_html",
    "text": "primitive.dom.extract_text",
}
PAGE = "https://example.com/"
OPENED = {"tabSessionId": "tab_7", "url": PAGE}


def sent(play: ControllerPlay) -> list[str]:
    return [w["payload"]["action"] for w in play.heard("command")]


def test_each_format_is_an_action_of_its_own_and_markdown_the_usual_one() -> None:
    play = ControllerPlay()
    for format in FORMATS:
        play.do(ExtractContent("tab_1", format))
    play.do(ExtractContent("tab_1"))
    assert sent(play) == [*ACTIONS.values(), ACTIONS["markdown"]]
    assert tuple(ACTIONS) == FORMATS


def test_an_extraction_says_which_tab_and_how_much_of_it() -> None:
    play = ControllerPlay()
    act = ExtractContent(
        "tab_1",
        selector="main",
        node="node_beta",
        request="x",
        timeout_ms=1_500,
        wait_policy="wait_with_timeout",
    )
    play.do(act)
    (frame,) = play.heard("command")
    payload = frame["payload"]
    assert frame["requestId"] == "x"
    assert (payload["targetNodeId"], payload["tabSessionId"]) == ("node_beta", "tab_1")
    assert payload["payload"] == {"selector": "main"}
    assert (payload["timeoutMs"], payload["waitPolicy"]) == (1_500, "wait_with_timeout")


def test_a_format_that_there_is_not_is_told_with_those_there_are() -> None:
    play = ControllerPlay()
    with pytest.raises(LookupError, match="P knows no format 'pdf'; formats are markdown, dis"):
        play.do(ExtractContent("tab_1", "pdf"))


def test_without_format_names_action_markdown_comes_whatever_was_asked_for() -> None:
    play = ControllerPlay("format_names_action")
    play.do(ExtractContent("tab_1", "text"))
    assert sent(play) == [ACTIONS["markdown"]]


# -- the errand


def good(data: Any) -> Outcome:
    return Outcome("x", "x", RESULT, {"ok": True, "data": data})


def bad(how: str = ERROR, **payload: Any) -> Outcome:
    return Outcome("x", "x", how, payload)


def numbered() -> Callable[[], str]:
    numbers = count(1)
    return lambda: f"r{next(numbers)}"


def done(wanted: Wanted, *outcomes: Outcome) -> tuple[list[Any], Any]:
    """The acts of an errand that has these outcomes, and its end; None: it goes on."""
    errand = extraction(wanted, numbered())
    acts = [next(errand)]
    for outcome in outcomes:
        try:
            acts.append(errand.send(outcome))
        except StopIteration as end:
            return acts, end.value
    return acts, None


def test_a_url_is_opened_extracted_and_closed() -> None:
    wanted = Wanted(PAGE, format="text", selector="p", timeout_ms=9.0)
    acts, end = done(wanted, good(OPENED), good({"text": "T"}), good({}))
    assert acts == [
        ("r1", SendCommand("primitive.tab.open", {"url": PAGE}, request="r1", timeout_ms=9.0)),
        ("r2", ExtractContent("tab_7", "text", "p", request="r2", timeout_ms=9.0)),
        ("r3", SendCommand("primitive.tab.close", tab="tab_7", request="r3")),
    ]
    assert end == Extracted("text", "T", "tab_7", PAGE)


def test_a_tab_that_is_open_is_extracted_and_stays() -> None:
    acts, end = done(Wanted(tab="tab_1"), good({"markdown": "M"}))
    assert acts == [("r1", ExtractContent("tab_1", request="r1"))]
    assert end == Extracted("markdown", "M", "tab_1")


@pytest.mark.parametrize("format", ["distilled_html", "clean_html", "raw_html"])
def test_every_form_of_html_comes_in_one_field(format: str) -> None:
    assert done(Wanted(tab="t", format=format), good({"html": "<p>"}))[1].content == "<p>"


def test_what_cannot_be_opened_ends_the_errand() -> None:
    failed = bad(code="tab_create_failed", message="no", actionableHint="try")
    acts, end = done(Wanted(PAGE), failed)
    assert len(acts) == 1
    assert end == NotExtracted("tab_create_failed", "no", "try")
    assert str(end) == "tab_create_failed: no (try)"


def test_a_tab_whose_content_cannot_be_had_is_closed_all_the_same() -> None:
    acts, end = done(Wanted(PAGE), good(OPENED), bad(code="bridge_failure"), good({}))
    assert acts[-1][1].action == "primitive.tab.close"
    assert end == NotExtracted("bridge_failure", "it did not work")


@pytest.mark.parametrize(
    ("how", "why"),
    [
        (DISCONNECTED, "the connection to the relay was lost"),
        (GAVE_UP, "nobody has answered in time"),
    ],
)
def test_where_nobody_answers_any_more_nothing_else_is_asked(how: str, why: str) -> None:
    acts, end = done(Wanted(PAGE), good(OPENED), bad(how))
    assert len(acts) == 2
    assert str(end) == why


@pytest.mark.parametrize("data", [None, {}, {"tabSessionId": 7}, []])
def test_an_open_that_names_no_tab_is_no_open(data: Any) -> None:
    assert done(Wanted(PAGE), good(data))[1].message == (
        "the node has opened a tab and does not say which"
    )


@pytest.mark.parametrize("data", [None, {}, {"markdown": 7}, []])
def test_a_result_without_content_is_no_content(data: Any) -> None:
    assert done(Wanted(tab="t"), good(data))[1].message == "the node's result has no markdown"


def test_where_the_page_stands_is_the_nodes_word_or_else_what_was_asked_for() -> None:
    led_away = {"tabSessionId": "t", "url": "https://mail.example/login"}
    for data, url in ((led_away, led_away["url"]), ({"tabSessionId": "t"}, PAGE)):
        assert done(Wanted(PAGE), good(data), good({"markdown": ""}), good({}))[1].url == url


@pytest.mark.parametrize(("url", "tab"), [("", ""), (PAGE, "tab_1")])
def test_one_target_has_to_be_named_and_not_two(url: str, tab: str) -> None:
    with pytest.raises(UsageError, match="either a URL or a tab session"):
        Wanted(url, tab)
