"""network.http_intercept: what is reported of a page's traffic, and how."""

import base64
import json

import pytest

from sim.protocols.relay import EVENTS
from sim.protocols.relay.browser import Exchange, Page, Web
from sim.protocols.relay.browser.intercept import fits
from sim.protocols.relay.constants import SHARED_OBJECT_KINDS
from sim.wire.generate import validator
from tests.protocols.relay.browser.acting import BOARD, CHAT, Acting

TIDES = "https://api.board.example/v1/tides"


@pytest.fixture
def acting():
    return Acting()


@pytest.fixture
def board(acting):
    acting.open(BOARD)
    return acting


def urls(data):
    return [one["url"] for one in data]


def one_page(*traffic):
    """Somebody at a page of one.example with this traffic, in tab_1."""
    page = Page("https://one.example/", "One", text="<p>One</p>", traffic=list(traffic))
    acting = Acting(Web([page, Page("https://two.example/", "Two", text="<p>Two</p>")]))
    acting.open("https://one.example/")
    return acting


def test_a_subscription_tells_its_options_with_the_defaults_filled_in(board):
    assert board.subscribe("tab_1", " Board.EXAMPLE ") == {
        "listener": "network.http_intercept",
        "subscribed": True,
        "options": {
            "tabSessionId": "tab_1",
            "site": "board.example",
            "mode": "network",
            "includeBody": True,
            "includeHeaders": False,
            "maxBodyBytes": 256_000,
        },
    }


def test_given_options_are_told_as_they_are_used(board):
    options = board.subscribe(
        "tab_1",
        "board.example",
        urlPatterns=["*/v1/*"],
        requestHostAllowlist=["CDN.example.net"],
        mode="hybrid",
        includeBody=False,
        includeHeaders=True,
        maxBodyBytes=9_000_000.5,
        mimeTypes=["Application/JSON"],
        streamAdapter="none",
        selfUserId="u_1",
    )["options"]
    assert options["requestHostAllowlist"] == ["cdn.example.net"]
    assert options["mimeTypes"] == ["application/json"]
    assert options["urlPatterns"] == ["*/v1/*"]
    assert options["maxBodyBytes"] == 2_000_000
    assert (options["streamAdapter"], options["selfUserId"]) == ("none", "u_1")


def test_updates_are_events_with_the_time_of_the_response(board):
    board.subscribe("tab_1", "board.example", urlPatterns=[TIDES])
    updates = board.updates(after_ms=5_000)
    times = ["1970-01-01T00:16:40.200Z", "1970-01-01T00:16:41.200Z", "1970-01-01T00:16:42.200Z"]
    assert [one["emittedAt"] for one in updates] == times
    for one in updates:
        assert one["type"] == "listener_update"
        assert validator(EVENTS["listener_update"])(one) is None
    assert [json.loads(one["data"]["body"])["tides"][0]["m"] for one in updates] == [3.1, 3.2, 3.4]
    assert len({one["data"]["eventId"] for one in updates}) == 3


def test_a_response_is_told_with_request_status_type_and_duration(board):
    board.subscribe("tab_1", "board.example", urlPatterns=["*/marks?ids[[]]=7", "*/marks?ids[]=7"])
    assert board.data() == [
        {
            "eventId": "evt-1-4",
            "captureSource": "network",
            "tabSessionId": "tab_1",
            "url": "https://api.board.example/v1/marks?ids[]=7",
            "method": "POST",
            "resourceType": "fetch",
            "status": 201,
            "mimeType": "application/json",
            "durationMs": 35,
            "requestBody": '{"mark":"brass"}',
            "requestBodyBytes": 16,
            "requestTruncated": False,
            "body": '{"saved":true}',
            "bodyBytes": 14,
            "truncated": False,
        }
    ]


def test_each_update_is_taken_once_and_when_it_is_due(board):
    board.subscribe("tab_1", "board.example", urlPatterns=[TIDES])
    assert board.browser.next_update_ms("sub") == board.now_ms + 200
    assert board.updates(after_ms=199) == []
    assert len(board.updates(after_ms=1)) == 1
    assert board.updates() == []
    assert board.browser.next_update_ms("sub") == board.now_ms + 1_000
    assert len(board.updates(after_ms=60_000)) == 2
    assert board.browser.next_update_ms("sub") is None


def test_what_happened_before_the_subscription_is_not_told(board):
    board.now_ms += 1_200
    board.subscribe("tab_1", "board.example", urlPatterns=[TIDES])
    assert [json.loads(one["body"])["tides"][0]["m"] for one in board.data()] == [3.2, 3.4]


def test_another_load_of_the_page_sends_its_traffic_again(board):
    board.subscribe("tab_1", "board.example", urlPatterns=[BOARD, TIDES])
    board.now_ms += 500
    board.do("primitive.tab.navigate", "tab_1", url=BOARD)
    data = board.data()
    assert urls(data) == [BOARD, TIDES, BOARD, TIDES, TIDES, TIDES]
    assert len({one["eventId"] for one in data}) == 6


def test_what_a_page_sent_before_the_tab_left_is_due_at_once(board):
    board.subscribe("tab_1", "board.example", urlPatterns=[TIDES])
    sent_at = board.now_ms + 200
    board.now_ms += 500
    board.do("primitive.tab.navigate", "tab_1", url="https://example.com/")
    assert board.browser.next_update_ms("sub") == sent_at
    assert urls(board.data(after_ms=0)) == [TIDES]
    assert board.browser.next_update_ms("sub") is None


def test_a_tab_that_leaves_the_site_tells_nothing_of_the_other(board):
    board.subscribe("tab_1", "board.example")
    board.data(after_ms=0)
    board.do("primitive.tab.navigate", "tab_1", url="https://example.com/")
    assert board.data() == []


def test_other_hosts_are_told_only_when_they_are_allowed(board):
    board.subscribe("tab_1", "board.example", "closed")
    board.subscribe("tab_1", "board.example", "open", requestHostAllowlist=["cdn.example.net"])
    board.subscribe("tab_1", "board.example", "near", requestHostAllowlist=["example.net"])
    foreign = "https://cdn.example.net/gauge.png"
    board.now_ms += 5_000
    assert foreign in urls(board.data("open"))
    assert foreign not in urls(board.data("closed"))
    assert foreign not in urls(board.data("near"))


def test_hosts_below_the_site_belong_to_it_but_not_hosts_that_end_alike():
    acting = one_page(
        Exchange("https://api.one.example/x"),
        Exchange("https://notone.example/x"),
        Exchange("https://one.example.evil.example/x"),
    )
    acting.subscribe("tab_1", "one.example", mode="fetch")
    assert urls(acting.data()) == ["https://api.one.example/x"]


@pytest.mark.parametrize(
    ("url", "pattern", "does"),
    [
        ("https://a.example/api/x", "*/api/*", True),
        ("https://a.example/api/x", "/api/*", False),
        ("https://a.example/api/x", "https://a.example/api/x", True),
        ("https://a.example/api/x", "https://a.example/api/", False),
        ("https://a.example/api/x?q=1", "*/x?q=?", True),
        ("https://a.example/api/x", "*", True),
        ("https://a.example/api/x", "**/**", True),
        ("https://a.example/api/x.json", "*.json", True),
        ("https://a.example/apixjson", "*.json", False),
        ("https://a.example/[a]", "*[a]", True),
        ("https://a.example/a", "*[a]", False),
        ("https://a.example/API", "*/api", False),
        ("", "", True),
        ("x", "", False),
        ("a" * 3_000, "*a" * 40 + "b", False),
    ],
)
def test_a_glob_fits_whole_addresses(url, pattern, does):
    assert fits(url, pattern) is does


def test_types_are_prefixes_in_any_case(board):
    board.subscribe("tab_1", "board.example", mimeTypes=["TEXT/"])
    assert {one["mimeType"] for one in board.data()} == {"text/html", "text/plain"}


def test_empty_lists_restrict_nothing(board):
    board.subscribe("tab_1", "board.example", urlPatterns=[], mimeTypes=[])
    assert len(board.data()) == 7


def test_the_network_sees_documents_and_images_and_the_hook_what_is_cached(board):
    hosts = ["cdn.example.net"]
    for mode in ("network", "fetch", "hybrid"):
        board.subscribe("tab_1", "board.example", mode, mode=mode, requestHostAllowlist=hosts)
    board.now_ms += 60_000
    network, fetch, hybrid = (board.data(mode) for mode in ("network", "fetch", "hybrid"))
    assert {one["captureSource"] for one in network} == {"network"}
    assert {one["captureSource"] for one in fetch} == {"fetch"}
    cached = "https://board.example/cache/last.json"
    assert BOARD in urls(network)
    assert cached not in urls(network)
    assert cached in urls(fetch)
    assert {"document", "image"}.isdisjoint(one["resourceType"] for one in fetch)
    assert urls(hybrid).count(cached) == 1
    assert urls(hybrid).count(TIDES) == 3
    assert {one["captureSource"] for one in hybrid if one["url"] == TIDES} == {"network"}


@pytest.mark.parametrize(("lag", "sources"), [(1_200, ["network"]), (1_201, ["network", "fetch"])])
def test_in_hybrid_mode_a_second_sighting_within_the_window_is_left_out(lag, sources):
    acting = one_page(Exchange("https://one.example/x", hook_lag_ms=lag))
    acting.subscribe("tab_1", "one.example", mode="hybrid", urlPatterns=["*/x"])
    assert [one["captureSource"] for one in acting.data()] == sources


def test_a_sighting_of_the_hook_counts_where_the_networks_was_before_the_subscription():
    acting = one_page(Exchange("https://one.example/x", at_ms=100, hook_lag_ms=10))
    acting.now_ms += 105
    acting.subscribe("tab_1", "one.example", mode="hybrid")
    assert [one["captureSource"] for one in acting.data()] == ["fetch"]


def test_headers_come_on_demand_and_never_with_secrets(board):
    board.subscribe("tab_1", "board.example", "plain", urlPatterns=[TIDES])
    board.subscribe("tab_1", "board.example", "full", urlPatterns=[TIDES], includeHeaders=True)
    board.now_ms += 500
    (plain,), (full,) = board.data("plain", 0), board.data("full", 0)
    assert "requestHeaders" not in plain
    assert "responseHeaders" not in plain
    assert full["requestHeaders"] == {
        "accept": "application/json",
        "Authorization": "[redacted]",
        "Cookie": "[redacted]",
    }
    assert full["responseHeaders"]["Set-Cookie"] == "[redacted]"
    assert full["responseHeaders"]["content-type"] == "application/json"


@pytest.mark.parametrize(
    "name", ["PROXY-AUTHORIZATION", "proxy-authorization", "Cookie", "SET-COOKIE", "authorization "]
)
def test_a_sensitive_header_is_known_in_any_spelling(name):
    secret = {name: "secret-7"}
    exchange = Exchange(
        "https://one.example/x", request_headers=secret, response_headers=dict(secret)
    )
    acting = one_page(exchange)
    acting.subscribe("tab_1", "one.example", includeHeaders=True)
    assert "secret-7" not in json.dumps(acting.data())


def test_bodies_can_be_left_out(board):
    board.subscribe("tab_1", "board.example", includeBody=False)
    for one in board.data():
        assert not {"body", "bodyBytes", "truncated", "requestBody"} & set(one)


@pytest.mark.parametrize(
    ("limit", "body", "truncated"),
    [(1, "a", True), (2, "a", True), (3, "aé", True), (4, "aéz", False), (5.9, "aéz", False)],
)
def test_a_long_body_is_cut_at_a_whole_character(limit, body, truncated):
    acting = one_page(Exchange("https://one.example/x", mime_type="text/plain", bodies=["aéz"]))
    acting.subscribe("tab_1", "one.example", urlPatterns=["*/x"], maxBodyBytes=limit)
    (data,) = acting.data()
    assert (data["body"], data["bodyBytes"], data["truncated"]) == (body, 4, truncated)


def test_the_default_limit_of_a_body_is_256000_bytes():
    exact, over = "x" * 256_000, "x" * 256_001
    acting = one_page(
        Exchange("https://one.example/exact", bodies=[exact]),
        Exchange("https://one.example/over", bodies=[over]),
    )
    acting.subscribe("tab_1", "one.example", mode="fetch")
    data = acting.data()
    assert [len(one["body"]) for one in data] == [256_000, 256_000]
    assert [one["truncated"] for one in data] == [False, True]


def test_what_is_no_text_comes_in_base64(board):
    hosts = ["cdn.example.net"]
    board.subscribe("tab_1", "board.example", requestHostAllowlist=hosts, mimeTypes=["image/"])
    (image,) = board.data()
    assert image["bodyEncoding"] == "base64"
    assert base64.b64decode(image["body"]) == b"\x89PNG\r\n\x1a\n"
    assert image["bodyBytes"] == 8


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"site": "board.example"}, "missing_tab_session"),
        ({"tabSessionId": "tab_9", "site": "board.example"}, "unknown_tab_session"),
        ({"tabSessionId": "tab_1"}, "missing_site"),
        ({"tabSessionId": "tab_1", "site": ""}, "missing_site"),
        ({"tabSessionId": "tab_1", "site": "example.com"}, "site_mismatch"),
        ({"tabSessionId": "tab_1", "site": "oard.example"}, "site_mismatch"),
        ({"tabSessionId": "tab_1", "site": " "}, "site_mismatch"),
        ({"tabSessionId": "tab_1", "site": "example"}, "site_mismatch"),
        ({"tabSessionId": "tab_1", "site": ".example"}, "site_mismatch"),
        ({"tabSessionId": "tab_1", "site": "*.example"}, "site_mismatch"),
    ],
)
def test_a_subscription_needs_an_open_tab_that_stands_at_the_site(board, options, code):
    listener = "network.http_intercept"
    assert board.code("listener.subscribe", listener=listener, options=options) == code
    assert board.browser.subscriptions == {}


@pytest.mark.parametrize(
    "wrong",
    [
        {"maxBodyBytes": 0},
        {"maxBodyBytes": -1},
        {"maxBodyBytes": "256000"},
        {"mode": "all"},
        {"mode": None},
        {"includeBody": 1},
        {"includeHeaders": "yes"},
        {"urlPatterns": "*"},
        {"urlPatterns": [7]},
        {"mimeTypes": {}},
        {"requestHostAllowlist": [""]},
        {"streamAdapter": 1},
    ],
)
def test_a_wrong_option_subscribes_nothing(board, wrong):
    options = {"tabSessionId": "tab_1", "site": "board.example", **wrong}
    listener = "network.http_intercept"
    code = board.code("listener.subscribe", listener=listener, options=options)
    assert code == "invalid_listener_options"
    assert board.browser.subscriptions == {}


def test_listeners_are_known_by_name(board):
    assert board.code("listener.subscribe") == "missing_listener_name"
    assert board.code("listener.subscribe", listener="") == "missing_listener_name"
    assert board.code("listener.subscribe", listener="dom.changes") == "unsupported_listener"


def test_a_closed_tab_of_a_site_can_not_be_listened_to(board):
    board.do("primitive.tab.close", "tab_1")
    options = {"tabSessionId": "tab_1", "site": "board.example"}
    code = board.code("listener.subscribe", listener="network.http_intercept", options=options)
    assert code == "tab_session_closed"


def test_after_unsubscribing_nothing_is_told_and_nothing_is_left(board):
    board.subscribe("tab_1", "board.example")
    assert board.do("listener.unsubscribe", targetRequestId="sub") == {
        "targetRequestId": "sub",
        "unsubscribed": True,
    }
    assert board.data() == []
    assert board.browser.next_update_ms("sub") is None
    assert board.code("listener.unsubscribe", targetRequestId="sub") == "listener_not_found"
    assert board.code("listener.unsubscribe") == "missing_listener_target_request"


def test_closing_a_tab_silences_its_listeners_and_no_others(board):
    board.open(CHAT)
    board.subscribe("tab_1", "board.example", "one")
    board.subscribe("tab_2", "chat.example", "two")
    board.do("primitive.tab.close", "tab_1")
    assert board.browser.next_update_ms("one") is None
    assert board.data("one") == []
    assert board.data("two")


def test_a_listener_whose_tab_is_gone_can_still_be_turned_off(board):
    board.subscribe("tab_1", "board.example")
    board.do("primitive.tab.close_owned", controllerClientId="ctl_a")
    assert board.do("listener.unsubscribe", targetRequestId="sub")["unsubscribed"]
    assert board.browser.subscriptions == {}


def test_an_adapter_makes_shared_objects_of_the_sites_own_messages(acting):
    tab = acting.open(CHAT)
    patterns = ["*/api/events*"]
    acting.subscribe(
        tab, "chat.example", urlPatterns=patterns, streamAdapter="chat", selfUserId="u_ilse"
    )
    updates = acting.updates(after_ms=10_000)
    kinds = ["participant", "typing", "message", "message", "typing", "message_deleted"]
    assert [one["updateType"] for one in updates] == [f"chat.{kind}" for kind in kinds]
    for one in updates:
        assert one["data"]["kind"] == one["updateType"]
        assert one["data"]["kind"] in SHARED_OBJECT_KINDS
    messages = [one["data"] for one in updates if one["updateType"] == "chat.message"]
    assert [(one["text"], one["fromSelf"]) for one in messages] == [
        ("The mole is free. 🌊", False),
        ("Thanks!", True),
    ]
    assert len({one["data"]["eventId"] for one in updates}) == 6


@pytest.mark.parametrize(
    ("url", "site", "adapter", "kinds"),
    [
        ("https://news.example/", "news.example", "news", ["content.article"]),
        (
            "https://www.reddit.com/r/harbour/",
            "reddit.com",
            "posts",
            ["content.post", "content.post_comment"],
        ),
    ],
)
def test_articles_posts_and_comments_have_adapters_too(acting, url, site, adapter, kinds):
    tab = acting.open(url)
    acting.subscribe(tab, site, mimeTypes=["application/json"], streamAdapter=adapter)
    assert [one["kind"] for one in acting.data()] == kinds


@pytest.mark.parametrize("body", ["no json", [1, 2], {"events": 7}, {"events": [7]}, {}, ""])
def test_what_an_adapter_does_not_understand_comes_raw(body):
    acting = one_page(Exchange("https://one.example/x", bodies=[body]))
    acting.subscribe("tab_1", "one.example", mode="fetch", streamAdapter="chat")
    (update,) = acting.updates(after_ms=1_000)
    assert update["updateType"] == "network.response"
    assert update["data"]["url"] == "https://one.example/x"


def test_an_unknown_adapter_is_a_hint_and_no_fault(acting):
    tab = acting.open(CHAT)
    acting.subscribe(tab, "chat.example", mode="fetch", streamAdapter="telepathy")
    assert {one["captureSource"] for one in acting.data()} == {"fetch"}
