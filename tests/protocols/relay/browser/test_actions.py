"""Each action of the protocol at the browser, and what it refuses."""

import base64
import struct
import zlib

import attrs
import pytest

from sim.protocols.relay import (
    ACTIONS,
    Accepted,
    make_error,
    make_result,
    parse_relay_message,
    serialize_relay_message,
)
from sim.protocols.relay.browser import (
    PERFORMED,
    Done,
    Failed,
    HandedOver,
    Order,
    Page,
    Web,
    built_in_web,
    perform,
)
from sim.protocols.relay.browser.outcome import Refusal
from sim.protocols.relay.browser.site_commands import SITE_COMMANDS
from tests.protocols.relay.browser.acting import BOARD, CHAT, Acting


@pytest.fixture
def acting():
    return Acting()


def test_every_declared_action_is_performed_and_no_other():
    assert sorted(PERFORMED) == sorted(ACTIONS)
    assert Acting().code("primitive.tab.fold") == "unsupported_action"
    assert Acting().code("") == "unsupported_action"


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("value", [None, 7, [], {}, "", "x", True])
def test_no_payload_whatsoever_raises(action, value):
    fields = ["url", "selector", "site", "command", "input", "authMode", "listener", "options"]
    fields += ["targetRequestId", "controllerClientId", "__controllerClientId"]
    acting = Acting()
    acting.open("https://example.com/")
    for tab in ("", "tab_1", "tab_9"):
        for payload in ({}, {"options": {"site": value, "tabSessionId": value}}):
            payload.update({field: value for field in fields if field not in payload})
            found = perform(acting.browser, Order(action, payload, tab, "r", "tab_x"))
            assert isinstance(found, Done | Failed | HandedOver)


def test_an_order_reads_its_tab_from_wherever_the_command_names_it():
    inner = {"options": {"tabSessionId": "tab_3"}}
    assert Order.of({"action": "a", "payload": inner}).tab == "tab_3"
    outer = Order.of({"action": "a", "payload": {}, "tabSessionId": "tab_1"}, "r", "n", 5)
    assert (outer.tab, outer.request_id, outer.new_tab, outer.now_ms) == ("tab_1", "r", "n", 5)
    assert Order.of({}).payload == {}


@pytest.mark.parametrize(
    ("action", "field", "begins"),
    [
        ("primitive.dom.extract_markdown", "markdown", "# Reading the hand"),
        ("primitive.dom.extract_distilled_html", "html", "<main>\n<h1>"),
        ("primitive.dom.extract_clean_html", "html", "<main>\n<h1>"),
        ("primitive.dom.extract_html", "html", "<!doctype html>"),
        ("primitive.dom.extract_text", "text", "Reading the hand\n"),
    ],
)
def test_each_format_has_its_action(acting, action, field, begins):
    tab = acting.open("https://example.com/next")
    data = acting.do(action, tab)
    assert data[field].startswith(begins)
    assert data["tabSessionId"] == tab
    chosen = acting.do(action, tab, selector="td")
    assert chosen["selector"] == "td"
    assert "brass" in chosen[field]
    assert acting.code(action, tab, selector="td[") == "command_failed"
    assert acting.code(action, tab, selector="video") == "command_failed"


def test_markdown_of_a_tab_has_whole_addresses(acting):
    markdown = acting.do("primitive.dom.extract_markdown", acting.open("https://example.com/"))
    assert "[the second part](https://example.com/next)" in markdown["markdown"]


def pixels(data):
    """Width, height and rows of colours of a PNG; its checksums hold."""
    raw = base64.b64decode(data["dataBase64"])
    assert raw[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, place = {}, 8
    while place < len(raw):
        length, kind = struct.unpack_from(">I4s", raw, place)
        body = raw[place + 8 : place + 8 + length]
        (crc,) = struct.unpack_from(">I", raw, place + 8 + length)
        assert crc == zlib.crc32(kind + body)
        chunks[kind], place = body, place + 12 + length
    width, height = struct.unpack_from(">II", chunks[b"IHDR"])
    rows = zlib.decompress(chunks[b"IDAT"])
    assert len(rows) == height * (width + 1)
    lines = [rows[y * (width + 1) + 1 : (y + 1) * (width + 1)] for y in range(height)]
    assert max(map(max, lines)) < len(chunks[b"PLTE"]) // 3
    return width, height, lines


def test_a_screenshot_is_a_picture_of_the_tab(acting):
    tab = acting.open("https://example.com/")
    data = acting.do("primitive.page.screenshot", tab)
    assert (data["mimeType"], data["tabSessionId"]) == ("image/png", tab)
    assert pixels(data)[:2] == (64, 48)
    assert acting.do("primitive.page.screenshot", tab) == data
    acting.do("primitive.tab.navigate", tab, url="https://example.com/next")
    assert acting.do("primitive.page.screenshot", tab) != data


def test_all_pages_that_show_something_look_different(acting):
    pictures = {
        acting.do("primitive.page.screenshot", url=url)["dataBase64"]
        for url, page in built_in_web().pages().items()
        if not page.fails and not page.needs_login
    }
    shown = [one for one in built_in_web().pages().values() if not one.fails]
    assert len(pictures) == len([one for one in shown if not one.needs_login])


def test_a_long_page_fits_on_one_screen():
    page = Page("https://long.example/", "Long", text="<h1>x</h1>" + "<p>word word</p>" * 500)
    acting = Acting(Web([page]))
    lines = pixels(acting.do("primitive.page.screenshot", url=page.url))[2]
    assert set(lines[-1]) == {0}


def test_a_screenshot_needs_a_tab_or_an_address_that_loads(acting):
    shot = "primitive.page.screenshot"
    assert acting.code(shot) == "missing_tab_session"
    assert acting.code(shot, url="https://broken.example/") == "tab_url_not_ready"
    assert acting.code(shot, url="https://nowhere.example/") == "tab_url_not_ready"
    assert acting.code(shot, url="nonsense") == "tab_url_not_ready"
    assert acting.code(shot, url="https://crash.example/") == "bridge_failure"
    assert acting.code(shot, "tab_9", url=BOARD) == "unknown_tab_session"
    assert "tabSessionId" not in acting.do(shot, url=BOARD)


def test_the_list_describes_every_command_of_every_site(acting):
    commands = acting.do("command.list")["commands"]
    assert [(one["site"], one["id"]) for one in commands] == list(SITE_COMMANDS)
    posts = commands[0]
    assert (posts["site"], posts["id"], posts["requiresAuth"]) == ("reddit.com", "getPosts", False)
    assert posts["timeoutPolicy"] == {
        "defaultMs": 60_000,
        "scaling": {
            "inputField": "minReturnedPosts",
            "baseMs": 45_000,
            "perUnitMs": 2_000,
            "minMs": 45_000,
            "maxMs": 300_000,
        },
    }


def test_posts_are_read_page_after_page_until_there_are_enough(acting):
    few = acting.do("command.reddit_posts")["posts"]
    many = acting.do("command.reddit_posts", input={"minReturnedPosts": 9})["posts"]
    all_of_them = acting.do("command.reddit_posts", input={"minReturnedPosts": 500})["posts"]
    assert (len(few), len(many), len(all_of_them)) == (8, 16, 24)
    assert len({one["id"] for one in all_of_them}) == 24
    assert few[0] == {
        "id": "t3_100",
        "title": "Fog bell heard at noon, nobody admits it",
        "author": "ilse_k",
        "subreddit": "lighthouses",
        "score": 13,
        "comments": 4,
        "url": "https://www.reddit.com/r/harbour/comments/100/",
        "kind": "content.post",
    }


def test_posts_can_be_of_one_community_only(acting):
    given = {"subreddit": "lighthouses", "minReturnedPosts": 5}
    posts = acting.do("command.reddit_posts", input=given)["posts"]
    assert {one["subreddit"] for one in posts} == {"lighthouses"}
    assert len(posts) == 6


@pytest.mark.parametrize("tab_url", ["", "https://www.reddit.com/r/harbour/?after=2"])
@pytest.mark.parametrize("given", [{}, {"minReturnedPosts": 20}, {"wrong": 1}])
def test_the_old_name_does_exactly_what_the_new_one_does(acting, tab_url, given):
    tab = acting.open(tab_url) if tab_url else ""
    old = acting.outcome("command.reddit_posts", tab, input=given)
    new = acting.outcome("command.run", tab, site="reddit.com", command="getPosts", input=given)
    assert old == new


def test_a_command_with_a_tab_works_on_its_page_and_names_it(acting):
    tab = acting.open("https://example.com/next")
    run = {"site": "Example.com", "command": "getArticle"}
    article = acting.do("command.run", tab, **run)
    assert (article["title"], article["tabSessionId"]) == ("Reading the hand", tab)
    assert acting.do("command.run", **run)["title"] == "The harbour clock"


def test_a_command_belongs_to_tabs_of_its_site(acting):
    tab = acting.open(BOARD)
    run = {"site": "example.com", "command": "noop"}
    assert acting.code("command.run", tab, **run) == "site_mismatch"
    assert acting.code("command.run", "tab_9", **run) == "unknown_tab_session"
    assert acting.do("command.run", **run) == {}


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        ({}, "missing_site"),
        ({"site": "example.com"}, "missing_command"),
        ({"site": 7, "command": "noop"}, "missing_site"),
        ({"site": "nowhere.example", "command": "noop"}, "unknown_site"),
        ({"site": "example.com", "command": "dance"}, "unknown_command"),
        ({"site": "example.com", "command": "noop", "input": []}, "invalid_command_input_schema"),
        ({"site": "example.com", "command": "noop", "input": {"a": 1}}, "unexpected_command_input"),
        ({"site": "example.com", "command": "wait"}, "missing_command_input"),
        (
            {"site": "example.com", "command": "wait", "input": {"ms": True}},
            "invalid_command_input_type",
        ),
        (
            {"site": "example.com", "command": "fail", "input": {"message": 7}},
            "invalid_command_input_type",
        ),
        ({"site": "example.com", "command": "fail"}, "command_failed"),
    ],
)
@pytest.mark.parametrize("action", ["command.run", "command.test"])
def test_what_is_wrong_with_a_command_has_its_code(acting, action, payload, code):
    assert acting.code(action, **payload) == code


def test_effects_can_be_counted(acting):
    run = {"site": "example.com", "command": "countUp"}
    assert acting.do("command.run", **run)["sideEffectNo"] == 1
    assert acting.do("command.test", **run)["sideEffectNo"] == 2
    other = acting.do("command.run", **run, input={"counter": "pay"})
    assert other == {"counter": "pay", "sideEffectNo": 1}


def test_a_test_without_a_hook_runs_the_command_and_one_with_a_hook_may_stream(acting):
    tab = acting.open(CHAT)
    watch = {"site": "chat.example", "command": "watchMessages"}
    assert acting.do("command.run", tab, **watch)["participants"] == ["Ilse", "Tomás"]
    (listener,) = acting.do("command.test", tab, **watch)["stream"]["listeners"]
    acting.do("listener.subscribe", request_id="sub", **listener)
    assert acting.updates(after_ms=10_000)[0]["updateType"] == "chat.participant"
    assert acting.code("command.test", **watch) == "missing_tab_session"


def test_one_of_several_inputs_can_be_demanded():
    command = SITE_COMMANDS["example.com", "fail"]
    strict = attrs.evolve(command, one_of=("message",))
    strict.check_input({"message": "x"})
    with pytest.raises(Refusal) as refused:
        strict.check_input({})
    assert refused.value.failed.code == "missing_command_input_one_of"
    assert strict.descriptor()["inputAtLeastOneOf"] == ["message"]


def test_outcomes_make_frames_that_are_good(acting):
    done = acting.outcome("primitive.tab.open", new_tab="t", url=BOARD)
    assert isinstance(done, Done)
    result = make_result(timestamp_ms=0, request_id="r", **done.payload("primitive.tab.open", 140))
    failed = acting.outcome("primitive.tab.close", "tab_9")
    assert isinstance(failed, Failed)
    wire = failed.payload("primitive.tab.close", "node_alpha", "tab_9")
    assert (wire["category"], wire["stage"]) == ("execution", "execution")
    error = make_error(timestamp_ms=0, request_id="r", **wire)
    for frame in (result, error):
        found = parse_relay_message(serialize_relay_message(frame))
        assert isinstance(found, Accepted)


def test_an_error_says_what_helps_and_whether_trying_again_may():
    plain = Failed("command_failed", "no").payload("command.run", "node_alpha")
    assert not {"retryable", "tabSessionId", "actionableHint"} & set(plain)
    rich = Failed("tab_busy", "no", hint="wait").payload("command.run", "node_alpha", "tab_1")
    assert (rich["retryable"], rich["tabSessionId"], rich["actionableHint"]) == (
        True,
        "tab_1",
        "wait",
    )


def test_a_command_whose_page_is_gone_says_so(acting):
    acting = Acting(Web([]))
    assert acting.code("command.reddit_posts") == "tab_url_not_ready"


def test_the_same_commands_give_the_same_outcomes_in_another_browser():
    def story():
        acting = Acting()
        tab = acting.open(CHAT)
        acting.subscribe(tab, "chat.example", mode="hybrid", streamAdapter="chat")
        said = [acting.outcome(action, tab, selector="h1", url=BOARD) for action in ACTIONS]
        return said, acting.updates(after_ms=5_000), acting.browser

    assert story() == story()
