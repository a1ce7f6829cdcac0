"""Managed tabs: opened, led elsewhere, asked about, closed, and whose they are."""

import pytest

from sim.protocols.relay.browser import Browser, Order, Page, Web, built_in_web, takes_ms
from sim.protocols.relay.browser.extraction import title_of
from tests.protocols.relay.browser.acting import BOARD, Acting


@pytest.fixture
def acting():
    return Acting()


def test_an_opened_tab_has_the_name_it_was_given_and_a_number_of_its_own(acting):
    first = acting.do("primitive.tab.open", new_tab="tab_x", url="https://example.com/#part")
    second = acting.do("primitive.tab.open", new_tab="tab_y", url="HTTPS://Example.com")
    assert first == {"tabId": 1, "tabSessionId": "tab_x", "url": "https://example.com/"}
    assert second["tabId"] == 2
    assert second["url"] == "https://example.com/"


@pytest.mark.parametrize(
    "url",
    [
        "https://nowhere.example/",
        "https://example.com/no/such/page",
        "https://broken.example/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "about:blank",
        "https://",
        "https://\ud800.example/",
        "https://example.com:99999/",
        "http://example.com/",
        "no address",
    ],
)
def test_what_does_not_load_opens_no_tab_and_leads_no_tab_astray(acting, url):
    assert acting.code("primitive.tab.open", new_tab="t", url=url) == "tab_create_failed"
    assert acting.browser.tabs == {}
    tab = acting.open("https://example.com/")
    assert acting.code("primitive.tab.navigate", tab, url=url) == "tab_url_not_ready"
    assert acting.do("primitive.tab.query", tab)["tabSessions"][tab]["url"] == (
        "https://example.com/"
    )


def test_a_name_is_used_for_one_tab_only_even_after_that_is_closed(acting):
    acting.do("primitive.tab.open", new_tab="t", url="https://example.com/")
    again = {"new_tab": "t", "url": "https://example.com/next"}
    assert acting.code("primitive.tab.open", **again) == "tab_create_failed"
    acting.do("primitive.tab.close", "t")
    assert acting.code("primitive.tab.open", **again) == "tab_create_failed"
    assert acting.code("primitive.tab.open", new_tab="", url="https://example.com/")


def test_a_closed_tab_and_a_tab_that_never_was_are_told_apart(acting):
    tab = acting.open("https://example.com/")
    assert acting.do("primitive.tab.close", tab) == {"closed": True, "tabSessionId": tab}
    for action in ("primitive.tab.close", "primitive.dom.extract_text", "primitive.tab.query"):
        assert acting.code(action, tab) == "tab_session_closed"
        assert acting.code(action, "tab_77") == "unknown_tab_session"


@pytest.mark.parametrize("action", ["primitive.tab.close", "primitive.dom.extract_markdown"])
def test_work_within_a_tab_needs_one(acting, action):
    assert acting.code(action) == "missing_tab_session"


def test_a_navigated_tab_keeps_name_number_and_owner(acting):
    tab = acting.open("https://example.com/")
    moved = acting.do("primitive.tab.navigate", tab, url="https://example.com/next")
    assert moved == {"tabSessionId": tab, "url": "https://example.com/next"}
    assert acting.do("primitive.tab.query")["tabSessions"][tab] == {
        "tabId": 1,
        "url": "https://example.com/next",
        "title": "Reading the hand",
        "status": "ready",
    }
    assert acting.browser.owners[tab] == "ctl_a"


def test_a_query_tells_of_all_tabs_or_of_one(acting):
    one, two = acting.open("https://example.com/"), acting.open(BOARD)
    assert list(acting.do("primitive.tab.query")["tabSessions"]) == [one, two]
    assert list(acting.do("primitive.tab.query", two)["tabSessions"]) == [two]


def test_a_query_with_a_selector_tells_what_is_there(acting):
    tab = acting.open("https://news.example/")
    said = acting.do("primitive.tab.query", tab, selector="li .by")["tabSessions"][tab]
    assert said["matches"] == 3
    assert said["texts"] == ["by Ilse", "by Tomás", "by Noor"]
    nothing = acting.do("primitive.tab.query", tab, selector="video")["tabSessions"][tab]
    assert (nothing["matches"], nothing["texts"]) == (0, [])
    assert acting.code("primitive.tab.query", tab, selector="li[") == "command_failed"


def test_the_cleanup_closes_the_tabs_of_one_owner_and_no_others(acting):
    mine, other, free = (acting.open(BOARD, owner) for owner in ("ctl_a", "ctl_b", ""))
    also_mine = acting.open("https://example.com/")
    assert acting.do("primitive.tab.close_owned", controllerClientId="ctl_a") == {
        "controllerClientId": "ctl_a",
        "closedCount": 2,
        "missingCount": 0,
        "totalOwnedSessions": 2,
    }
    assert list(acting.browser.tabs) == [other, free]
    assert acting.code("primitive.tab.close", mine) == "tab_session_closed"
    assert acting.code("primitive.tab.close", also_mine) == "tab_session_closed"
    again = acting.do("primitive.tab.close_owned", controllerClientId="ctl_a")
    assert (again["closedCount"], again["totalOwnedSessions"]) == (0, 0)


def test_a_tab_that_the_person_has_closed_counts_as_missing_in_the_cleanup(acting):
    gone, _ = acting.open(BOARD), acting.open(BOARD)
    acting.browser.person_closes(gone)
    found = acting.do("primitive.tab.close_owned", controllerClientId="ctl_a")
    assert (found["closedCount"], found["missingCount"]) == (1, 1)
    assert found["totalOwnedSessions"] == 2


def test_a_tab_closed_by_command_is_owned_by_nobody(acting):
    acting.do("primitive.tab.close", acting.open(BOARD))
    found = acting.do("primitive.tab.close_owned", controllerClientId="ctl_a")
    assert found["totalOwnedSessions"] == 0


def test_a_tab_in_the_making_does_not_outlive_the_cleanup_of_its_owner(acting):
    acting.browser.begin_open("open-a", "ctl_a")
    acting.browser.begin_open("open-b", "ctl_b")
    found = acting.do("primitive.tab.close_owned", controllerClientId="ctl_a")
    assert found["totalOwnedSessions"] == 0
    late = {"url": BOARD, "request_id": "open-a", "__controllerClientId": "ctl_a"}
    assert acting.code("primitive.tab.open", new_tab="t1", **late) == "tab_session_closed"
    other = {"url": BOARD, "request_id": "open-b", "__controllerClientId": "ctl_b"}
    acting.do("primitive.tab.open", new_tab="t2", **other)
    assert list(acting.browser.tabs) == ["t2"]
    assert acting.browser.owners == {"t2": "ctl_b"}
    assert acting.browser.openings == {}


def test_an_opening_that_was_cancelled_is_forgotten(acting):
    acting.browser.begin_open("open-a", "ctl_a")
    acting.browser.forget_open("open-a")
    acting.do("primitive.tab.close_owned", controllerClientId="ctl_a")
    acting.do("primitive.tab.open", new_tab="t", url=BOARD, request_id="open-a")


def test_the_memory_of_closed_tabs_is_bounded(acting):
    for n in range(1_010):
        acting.do("primitive.tab.open", new_tab=f"t{n}", url="https://example.com/")
        acting.do("primitive.tab.close", f"t{n}")
    assert len(acting.browser.closed) == 1_000
    assert acting.code("primitive.tab.close", "t0") == "unknown_tab_session"
    assert acting.code("primitive.tab.close", "t1009") == "tab_session_closed"


def test_a_page_whose_content_script_hangs_can_only_be_left(acting):
    tab = acting.open("https://crash.example/")
    assert acting.do("primitive.tab.query", tab, selector="h1")["tabSessions"][tab]["status"] == (
        "unresponsive"
    )
    for action in ("primitive.dom.extract_text", "primitive.page.screenshot"):
        assert acting.code(action, tab) == "bridge_failure"
    acting.do("primitive.tab.navigate", tab, url="https://example.com/")
    assert "harbour clock" in acting.do("primitive.dom.extract_text", tab)["text"]


@pytest.mark.parametrize(
    ("action", "payload", "ms"),
    [
        ("primitive.tab.open", {"url": "https://slow.example/"}, 8_000),
        ("primitive.tab.navigate", {"url": "https://example.com/next"}, 80),
        ("primitive.tab.open", {"url": "https://nowhere.example/"}, 30),
        ("primitive.tab.open", {}, 30),
        ("primitive.dom.extract_text", {}, 20),
        ("primitive.page.screenshot", {"url": "https://slow.example/"}, 8_060),
        ("primitive.page.screenshot", {}, 60),
        ("primitive.tab.query", {}, 5),
        ("command.run", {"site": "example.com", "command": "wait", "input": {"ms": 700}}, 700),
        ("command.run", {"site": "example.com", "command": "wait", "input": {"ms": "x"}}, 0),
        ("command.run", {"site": "nowhere", "command": "wait"}, 5),
        ("command.reddit_posts", {"input": {"minReturnedPosts": 20}}, 600),
    ],
)
def test_how_long_a_command_takes_is_known_before(action, payload, ms):
    assert takes_ms(Browser(), Order(action, payload)) == ms


def test_every_built_in_page_has_its_file_and_the_title_that_stands_in_it():
    pages = built_in_web().pages()
    assert len({page.url.split("/")[2] for page in pages.values()}) >= 9
    for url, page in pages.items():
        assert page.url == url
        assert title_of(page.html) == page.title


def test_a_web_of_ones_own_takes_the_place_of_the_built_in_pages():
    web = Web([Page("https://my.example/", "Mine", text="<title>Mine</title><p>My page.</p>")])
    acting = Acting(web)
    tab = acting.open("https://my.example/?utm=1")
    assert acting.do("primitive.dom.extract_text", tab)["text"] == "My page."
    assert acting.code("primitive.tab.open", new_tab="t", url=BOARD) == "tab_create_failed"


@pytest.mark.parametrize("url", ["https://a.example", "ftp://a.example/", "a.example"])
def test_a_page_without_a_proper_address_is_refused(url):
    with pytest.raises(ValueError, match="give each page one address"):
        Web([Page(url, "A")])


def test_two_pages_of_one_address_are_refused():
    with pytest.raises(ValueError, match="one address"):
        Web([Page("https://a.example/", "A"), Page("https://a.example/", "B")])
