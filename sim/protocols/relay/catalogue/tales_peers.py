"""Tales of nodes and of controllers."""

from __future__ import annotations

from typing import Any, Final

from sim.protocols.catalogue import Tales
from sim.protocols.relay.acts import ExtractContent, SendCommand
from sim.protocols.relay.browser.intercept import InterceptOptions
from sim.protocols.relay.catalogue.tale import (
    CLOSE_OWNED,
    LIST,
    OPEN,
    SUBSCRIBE,
    TEXT,
    UNSUBSCRIBE,
    Tale,
)
from sim.protocols.relay.node.records import BrowserRow, TabRow
from sim.world.host import START_MS

TALES = Tales(Tale)
RUN: Final = "command.run"
URL: Final = "https://example.com/"
COUNT: Final = {"site": "example.com", "command": "countUp"}
OPTIONS: Final = {"tabSessionId": "T", "site": "example.com"}
INTERCEPT: Final[dict[str, Any]] = {"listener": "network.http_intercept", "options": OPTIONS}
CANCELLED: Final = {"category": "execution", "code": "command_cancelled", "message": "no"}
RAW: Final[dict[str, Any]] = {
    "captureSource": "network", "url": "https://example.com/api", "mimeType": "text/plain",
    "body": "x", "bodyBytes": 1, "truncated": False,
}  # fmt: skip


def _row(*tabs: tuple[str, str], counted: int = 0) -> BrowserRow:
    """A browser with these (tab, owner)."""
    rows = tuple(TabRow(tab, n, URL, "", n, START_MS) for n, (tab, _) in enumerate(tabs, 1))
    counters = (("c", counted),) if counted else ()
    return BrowserRow(rows, tuple((tab, owner) for tab, owner in tabs if owner), (), counters)


def _with_tab(tale: Tale) -> None:
    """A and N, which has the tab T of A's."""
    tale.join("A", "N")
    tale.runs("A", "o", "", OPEN, {"url": URL})
    tale.save("N", _row(("T", "ctl_a")))
    tale.ended("A", "o", {"tabSessionId": "T", "url": URL}, action=OPEN)


def _intercepts(tale: Tale, inner: dict[str, Any] = INTERCEPT, **told: Any) -> None:
    """T is intercepted, whatever the result says."""
    tale.runs("A", "s", "", SUBSCRIBE, inner)
    options = InterceptOptions.read(inner.get("options", OPTIONS)).to_wire()
    data = {"listener": "network.http_intercept", "subscribed": True, "options": options | told}
    tale.ended("A", "s", data, action=SUBSCRIBE)


def _tells(tale: Tale, id: str = "s", **data: Any) -> None:
    tale.says("N", "event", id, type="listener_update", data=data)


# -- nodes ---------------------------------------------------------------------------------


@TALES.of("nodes-answer-once", "OT-11", "OT-34")
def node_answers_twice(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k", "", LIST)
    for _ in range(2 if bad else 1):
        tale.result("k", action=LIST)


@TALES.of("results-fit-their-action", "OT-37")
def descriptor_without_a_name(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k", "", LIST)
    one = {"site": "x", "id": "y", "displayName": "Y", "description": "does y"}
    if bad:
        del one["displayName"]
    tale.result("k", {"commands": [one]}, action=LIST)


@TALES.of("results-fit-their-action", "OT-16")
def unsubscribe_that_names_no_target(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.listens("A")
    tale.runs("A", "u", "", UNSUBSCRIBE, {"targetRequestId": "s"})
    target = {} if bad else {"targetRequestId": "s"}
    tale.result("u", {"unsubscribed": True, **target}, action=UNSUBSCRIBE)


@TALES.of("only-whole-commands-are-done", "OT-15", "OT-30")
def subscribe_without_a_listener(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "s", "", SUBSCRIBE, {} if bad else {"listener": "chat"})
    tale.result("s", {"listener": "chat", "subscribed": True}, action=SUBSCRIBE)


@TALES.of("only-whole-commands-are-done", "OT-22", "OT-24", "OT-26", "OT-16")
def body_limit_of_nothing(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    options = OPTIONS | {"maxBodyBytes": 0 if bad else 1}
    tale.runs("A", "s", "", SUBSCRIBE, INTERCEPT | {"options": options})
    tale.result("s", {"listener": "network.http_intercept", "subscribed": True}, action=SUBSCRIBE)


@TALES.of("known-actions-are-supported", "OT-35")
def test_without_a_hook(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k", "", "command.test", dict(COUNT))
    code = "unsupported_action" if bad else "command_failed"
    tale.says("N", "error", "k", category="execution", code=code, message="no")


@TALES.of("known-actions-are-supported", "OT-36", "OT-65", "OT-30")
def old_name_is_forgotten(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k", "", "command.reddit_posts")
    code = "unsupported_action" if bad else "command_failed"
    tale.says("N", "error", "k", category="execution", code=code, message="no")


@TALES.of("keys-run-once", "OT-34")
def paid_twice(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    for turn, id in enumerate(("k1", "k2")):
        tale.runs("A", id, "", RUN, dict(COUNT), idempotencyKey="once")
        tale.result(id, {"count": 1 + turn if bad else 1}, action=RUN)


@TALES.of("cancelled-work-is-answered", "OT-11", "OT-63")
def cancelled_work_is_never_ended(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k", "", LIST)
    tale.says("A", "command_cancel", "c", targetRequestId="k")
    tale.relay("N", "command_cancel", "c", targetRequestId="k")
    if not bad:
        facts: dict[str, Any] = {
            "category": "execution",
            "code": "command_cancelled",
            "message": "no",
        }
        tale.says("N", "error", "k", **facts)
    tale.wait(12)
    tale.says("N", "ping", "p")


@TALES.of("tabs-are-closed-by-their-own", "OT-56", "OT-58")
def cleanup_takes_the_tabs_of_another(tale: Tale, bad: bool) -> None:
    _with_tab(tale)
    tale.join("B")
    owner = "ctl_b" if bad else "ctl_a"
    facts: dict[str, Any] = {"targetNodeId": "node_n", "action": CLOSE_OWNED}
    tale.relay("N", "command", "r", payload={"controllerClientId": owner}, **facts)
    tale.save("N", _row())


@TALES.of("owners-are-kept", "OT-56")
def tab_of_nobody(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "o", "", OPEN, {"url": URL})
    tale.save("N", _row(("T", "" if bad else "ctl_a")))


@TALES.of("no-tab-outlives-the-cleanup", "OT-54", "OT-56")
def tab_opens_after_the_cleanup(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "o", "", OPEN, {"url": URL})
    facts: dict[str, Any] = {"targetNodeId": "node_n", "action": CLOSE_OWNED}
    tale.relay("N", "command", "r", payload={"controllerClientId": "ctl_a"}, **facts)
    data = {"controllerClientId": "ctl_a", "closedCount": 0, "missingCount": 0}
    tale.result("r", {**data, "totalOwnedSessions": 0}, action=CLOSE_OWNED)
    tale.save("N", _row(("T", "ctl_a")))
    if not bad:
        tale.save("N", _row())


@TALES.of("effects-come-of-work", "OT-34", "OT-63")
def click_happens_after_all(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k", "", RUN, dict(COUNT))
    if bad:
        facts: dict[str, Any] = {
            "category": "execution",
            "code": "command_cancelled",
            "message": "no",
        }
        tale.says("N", "error", "k", **facts)
    tale.save("N", _row(counted=1))


@TALES.of("one-at-a-time-in-tab", "OT-43")
def two_at_work_after_a_reconnect(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k1")
    tale.ends("N")
    tale.fails("A", "k1", "node_disconnected")
    tale.join("N")
    tale.runs("A", "k2")
    if bad:
        tale.ended("A", "k2")
    tale.note("N", "answer-dropped", request="k1", action=TEXT)


@TALES.of("intercepts-are-of-open-tabs", "OT-21", "OT-22")
def private_tab_is_intercepted(tale: Tale, bad: bool) -> None:
    _with_tab(tale)
    if bad:
        tale.runs("A", "c", "T", "primitive.tab.close")
        tale.save("N", _row())
        tale.ended("A", "c", {"tabSessionId": "T", "closed": True}, action="primitive.tab.close")
    _intercepts(tale)


@TALES.of("intercepts-tell-their-options", "OT-22", "OT-24", "OT-25", "OT-26")
def site_comes_back_in_capitals(tale: Tale, bad: bool) -> None:
    _with_tab(tale)
    told: dict[str, Any] = {"site": "Example.COM"} if bad else {}
    _intercepts(tale, **told)


@TALES.of("nodes-tell-their-subscribers", "OT-14", "OT-17", "OT-19", "OT-20")
def update_under_an_id_of_its_own(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.listens("A")
    _tells(tale, "other" if bad else "s")


@TALES.of("updates-pass-the-filters", "OT-23")
def traffic_of_another_site(tale: Tale, bad: bool) -> None:
    _with_tab(tale)
    _intercepts(tale)
    _tells(tale, **(RAW | ({"url": "https://bank.example/"} if bad else {})))


@TALES.of("updates-pass-the-filters", "OT-24")
def hook_reports_by_default(tale: Tale, bad: bool) -> None:
    _with_tab(tale)
    _intercepts(tale)
    _tells(tale, **(RAW | {"captureSource": "fetch" if bad else "network"}))


@TALES.of("updates-pass-the-filters", "OT-25")
def credentials_leak(tale: Tale, bad: bool) -> None:
    _with_tab(tale)
    _intercepts(tale, INTERCEPT | {"options": OPTIONS | {"includeHeaders": True}})
    value = "Bearer secret" if bad else "[redacted]"
    _tells(tale, **RAW, requestHeaders={"Authorization": value})


@TALES.of("updates-pass-the-filters", "OT-26")
def body_over_the_limit(tale: Tale, bad: bool) -> None:
    _with_tab(tale)
    _intercepts(tale, INTERCEPT | {"options": OPTIONS | {"maxBodyBytes": 3}})
    body = "long" if bad else "lon"
    _tells(tale, **(RAW | {"body": body, "bodyBytes": 4, "truncated": True}))


@TALES.of("shared-objects-are-of-a-kind", "OT-27")
def object_of_an_unknown_kind(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.listens("A")
    _tells(tale, kind="chat.rumour" if bad else "chat.message", text="x")


# -- controllers ---------------------------------------------------------------------------


@TALES.of("calls-end-once", "OT-11")
def call_returns_twice(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k", "", LIST)
    for _ in range(2 if bad else 1):
        tale.note("A", "outcome", request="k", name=LIST, how="result", good=True)


@TALES.of("events-end-no-command", "OT-12")
def call_returns_when_it_is_routed(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k", "", LIST)
    how = "event" if bad else "result"
    tale.note("A", "outcome", request="k", name=LIST, how=how, good=True)


@TALES.of("calls-end-in-time", "OT-32")
def call_hangs(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k", "", LIST, timeoutMs=1000)
    tale.wait(6)
    if not bad:
        tale.note("A", "outcome", request="k", name=LIST, how="gave up", good=False)


@TALES.of("lost-sockets-end-calls", "OT-11")
def call_waits_on_a_dead_socket(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k", "", LIST)
    tale.leaves("A")
    if not bad:
        tale.note("A", "outcome", request="k", name=LIST, how="disconnected", good=False)


@TALES.of("retries-keep-the-key", "OT-34")
def retry_under_another_key(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "k", "", LIST, idempotencyKey="once")
    tale.note("A", "outcome", request="k", name=LIST, how="error", good=False, retried="k2")
    tale.runs("A", "k2", "", LIST, idempotencyKey="twice" if bad else "once")


@TALES.of("nonces-are-fresh", "OT-31", "OT-51")
def nonce_is_used_again(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.asks("A", "k1", "", LIST, replayNonce="n")
    tale.asks("A", "k2", "", LIST, replayNonce="n" if bad else "m")


@TALES.of("timeouts-follow-the-policy", "OT-38")
def word_of_the_user_is_ignored(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    act = tale.act("A", SendCommand(LIST, node="node_n", request="k", timeout_ms=30_000))
    wire = tale.command("A", "k", "", LIST, **({} if bad else {"timeoutMs": 30_000}))
    tale.frame("A", wire, cause=act)


@TALES.of("timeouts-follow-the-policy", "OT-38")
def hint_of_the_author_is_ignored(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.runs("A", "l", "", LIST)
    one = {"site": "x", "id": "y", "displayName": "Y", "description": "does y"}
    policy = {"timeoutPolicy": {"defaultMs": 90_000}}
    tale.ended("A", "l", {"commands": [one | policy]}, action=LIST)
    tale.note("A", "outcome", request="l", name=LIST, how="result", good=True)
    inner = {"site": "x", "command": "y"}
    act = tale.act("A", SendCommand(RUN, inner, node="node_n", request="k"))
    wire = tale.command("A", "k", "", RUN, inner, **({} if bad else {"timeoutMs": 90_000}))
    tale.frame("A", wire, cause=act)


@TALES.of("locks-are-known", "OT-59", "OT-61")
def believes_to_hold_what_another_holds(tale: Tale, bad: bool) -> None:
    tale.join("A", "B", "N")
    tale.holds("B" if bad else "A", lease=300_000)
    tale.note("A", "lock", node="node_n", tab="T", held=True, lease_ms=300_000)


@TALES.of("locks-are-known", "OT-60")
def works_on_after_its_lease(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.holds("A")
    tale.note("A", "lock", node="node_n", tab="T", held=True, lease_ms=400)
    tale.wait(0.4)
    if not bad:
        tale.note("A", "lock", node="node_n", tab="T", held=False, why="lease over")


@TALES.of("updates-need-a-subscription", "OT-17", "OT-20")
def ghost_update_is_shown(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    tale.listens("A")
    if bad:
        tale.runs("A", "u", "", UNSUBSCRIBE, {"targetRequestId": "s"})
        tale.ended("A", "u", {"targetRequestId": "s", "unsubscribed": True}, action=UNSUBSCRIBE)
    tale.note("A", "update", request="s", type="x")


@TALES.of("formats-name-the-action", "OT-39")
def markdown_whatever_was_asked_for(tale: Tale, bad: bool) -> None:
    tale.join("A", "N")
    act = tale.act("A", ExtractContent("T", "text", request="k"))
    action = "primitive.dom.extract_markdown" if bad else TEXT
    tale.frame("A", tale.command("A", "k", "T", action), cause=act)
