"""Relay, node and controllers in one world: what a user of the three would see."""

from __future__ import annotations

from sim.core.trace import digest_of
from sim.protocols.relay.acts import (
    CancelCommand,
    CloseTab,
    Connect,
    Disconnect,
    EmitUpdate,
    LockTab,
    Redial,
    RefuseCancels,
    SendCommand,
    SignIn,
    SlowDown,
    UnlockTab,
)
from sim.world import fault
from tests.protocols.relay.twins_play import TwinsPlay

URL = "https://example.com/"
CHAT = "https://chat.example/room/quay"
TABS = (("t1", URL, ""), ("t2", CHAT, ""))


def open_tab(url: str = URL, request: str = "open") -> SendCommand:
    return SendCommand("primitive.tab.open", {"url": url}, request=request)


def text(tab: str, request: str, **more: object) -> SendCommand:
    return SendCommand("primitive.dom.extract_text", tab=tab, request=request, **more)


def run(command: str, request: str, tab: str = "", **more: object) -> SendCommand:
    inputs = more.pop("input", {})
    payload = {"site": "example.com", "command": command, "input": inputs}
    return SendCommand("command.run", payload, tab=tab, request=request, **more)


def ready(*rules_off: str, **node: object) -> TwinsPlay:
    play = TwinsPlay(*rules_off, **node)
    play.wait(1_000)
    return play


def test_a_page_is_opened_read_and_closed() -> None:
    play = ready()
    play.do("A", open_tab())
    play.do("A", text("tab_1", "read"))
    play.do("A", SendCommand("primitive.tab.close", tab="tab_1", request="close"))
    assert play.ends("A") == [("open", "result"), ("read", "result"), ("close", "result")]
    assert "harbour" in play.actor("A").outcome("read").payload["data"]["text"].lower()


def test_rc_04_and_05_a_late_command_ends_once_and_the_next_waits_for_the_nodes_word() -> None:
    play = ready(tabs=TABS)
    slow = {"ms": 5_000}
    wait = "wait_with_timeout"
    play.do("A", run("wait", "k1", "t1", input=slow, timeout_ms=1_000), 100)
    play.do("A", run("noop", "k2", "t1", wait_policy=wait), 2_000)
    assert play.ends("A") == [("k1", "command_timed_out"), ("k2", "result")]
    assert [w["payload"]["code"] for w in play.said("N", "error")] == ["command_cancelled"]
    order = [w["requestId"] for w in play.said("N") if w["messageType"] in ("result", "error")]
    assert order == ["k1", "k2"]


def test_rc_13_a_cancel_that_crosses_the_result_leaves_one_end_and_is_answered() -> None:
    play = ready()
    play.do("A", run("noop", "k"), 75)
    play.do("A", CancelCommand("k", request="c"))
    ends = dict(play.ends("A"))
    assert ends["k"] == "result"
    assert ends["c"] in ("event", "command_not_found")
    assert [w["requestId"] for w in play.said("N", "result")] == ["k"]


def test_rc_13_whenever_the_cancel_comes_there_is_one_end() -> None:
    for ms in range(0, 120, 5):
        play = ready()
        play.do("A", run("noop", "k"), ms)
        play.do("A", CancelCommand("k", request="c"))
        ends = play.ends("A")
        assert sorted(name for name, _ in ends) == ["c", "k"], ms
        assert play.notes("A", "stray-end") == []


def test_a_node_that_cannot_stop_keeps_its_tab_busy_until_it_is_done() -> None:
    play = ready(tabs=TABS)
    play.do("N", RefuseCancels())
    play.do("A", run("wait", "k1", "t1", input={"ms": 2_000}, timeout_ms=1_000), 1_500)
    play.do("A", text("t1", "k2"))
    assert play.ends("A") == [("k1", "command_timed_out"), ("k2", "tab_busy")]
    play.do("A", text("t1", "k3"), 1_000)
    play.do("A", text("t1", "k4"))
    assert play.ends("A")[-1] == ("k4", "result")


def test_rc_01_a_controller_that_is_back_before_its_loss_is_seen_keeps_its_tabs() -> None:
    play = ready()
    play.do("A", open_tab())
    play.do("A", Redial(), 1_000)
    play.do("A", open_tab(request="two"), 30_000)
    assert sorted(play.actor("N").browser.tabs) == ["tab_1", "tab_2"]
    play.do("A", Disconnect(), 1_000)
    assert play.actor("N").browser.tabs == {}


def test_rc_03_a_node_that_was_away_cleans_up_when_it_is_back() -> None:
    play = ready()
    play.do("A", open_tab())
    play.do("N", Disconnect(), 100)
    play.do("A", Disconnect(), 30_000)
    assert list(play.actor("N").browser.tabs) == ["tab_1"]
    play.do("N", Connect(), 1_000)
    assert play.actor("N").browser.tabs == {}


def test_a_tab_in_the_making_is_closed_when_its_controller_is_gone() -> None:
    play = ready()
    play.do("A", open_tab("https://slow.example/"), 500)
    play.do("A", Disconnect(), 10_000)
    assert play.actor("N").browser.tabs == {}


def test_rc_22_a_node_on_a_new_socket_ends_what_ran_on_the_old_one_at_once() -> None:
    play = ready(tabs=TABS)
    play.do("A", run("wait", "k", "t1", input={"ms": 20_000}), 500)
    play.do("N", Redial(), 500)
    assert play.ends("A") == [("k", "node_disconnected")]
    play.do("A", text("t2", "next"))
    assert play.ends("A")[-1] == ("next", "result")


def test_rc_25_a_retry_after_the_loss_of_the_node_finds_the_work_done_once() -> None:
    play = ready()
    play.do("N", SlowDown(1_500))
    play.do("A", run("countUp", "k", retries=3), 500)
    play.do("N", Redial(), 10_000)
    assert play.actor("N").browser.counters == {"default": 1}
    assert play.actor("A").outcome("k").is_good


def test_a_retry_without_its_key_does_it_twice() -> None:
    play = ready("retry_keeps_key")
    play.do("N", SlowDown(1_500))
    play.do("A", run("countUp", "k", retries=3, idempotency_key="pay"), 500)
    play.do("N", Redial(), 10_000)
    assert play.actor("N").browser.counters == {"default": 2}


def test_rc_09_and_10_a_lease_ends_by_itself_and_the_work_of_its_holder_goes_on() -> None:
    play = ready(tabs=TABS)
    play.do("A", LockTab("t1", lease_ms=400, request="lock"), 50)
    play.do("A", run("wait", "k", "t1", input={"ms": 700}), 500)
    assert play.actor("A").locks == {}
    play.do("B", LockTab("t1", request="mine"), 50)
    assert list(play.actor("B").locks) == [("node_alpha", "t1")]
    play.wait(1_000)
    assert ("k", "result") in play.ends("A")


def test_rc_12_an_unlock_by_the_previous_holder_takes_nothing_away() -> None:
    play = ready(tabs=TABS)
    play.do("A", LockTab("t1", lease_ms=400, request="lock"), 600)
    play.do("B", LockTab("t1", request="mine"))
    play.do("A", UnlockTab("t1", request="late"))
    assert play.ends("A")[-1] == ("late", "lock_not_held")
    assert list(play.actor("B").locks) == [("node_alpha", "t1")]


def test_a_locked_tab_is_closed_to_others() -> None:
    play = ready(tabs=TABS)
    play.do("A", LockTab("t1"))
    play.do("B", LockTab("t1", request="mine"))
    play.do("B", text("t1", "read"))
    assert play.ends("B") == [("mine", "tab_locked"), ("read", "tab_locked")]
    assert play.actor("B").locks == {}


STREAM = SendCommand(
    "command.test",
    {"site": "chat.example", "command": "watchMessages"},
    tab="tab_1",
    request="test",
)


def watching() -> TwinsPlay:
    play = ready()
    play.do("A", open_tab(CHAT), 160)
    play.do("A", STREAM, 2_000)
    return play


def test_a_tests_stream_delivers_until_its_cancel_and_then_nothing_more() -> None:
    play = watching()
    assert play.notes("A", "update") != []
    play.do("A", CancelCommand("test", request="c"), 40)
    before = len(play.notes("A", "update"))
    play.wait(5_000)
    assert play.notes("A", "stream-ended") == [{"request": "test", "reason": "cancelled"}]
    assert len(play.notes("A", "update")) == before
    assert play.notes("A", "stray-update") == []
    assert play.actor("N").browser.subscriptions == {}


def test_the_loss_of_its_node_ends_a_stream_once() -> None:
    play = watching()
    fault.cut(
        play.world, next(one for one in play.world.links.values() if one.name.startswith("N."))
    )
    play.wait(5_000)
    assert play.notes("A", "stream-ended") == [{"request": "test", "reason": "node_disconnected"}]
    assert play.actor("A").streams == {}


def test_rc_18_a_node_stops_listening_for_a_controller_that_is_gone() -> None:
    play = watching()
    play.do("A", Disconnect(), 500)
    assert play.actor("N").browser.subscriptions == {}


def test_rc_17_an_update_before_the_result_is_refused_and_the_stream_goes_on() -> None:
    play = ready(tabs=(("t1", "https://board.example/dashboard", ""),))
    play.do("N", SlowDown(200, "listener.subscribe"))
    options = {"tabSessionId": "t1", "site": "board.example"}
    options = {"listener": "network.http_intercept", "options": options}
    play.do("A", SendCommand("listener.subscribe", options, tab="t1", request="sub"), 100)
    play.do("N", EmitUpdate("sub", {"n": 1}), 50)
    assert play.notes("A", "update") == play.notes("A", "stray-update") == []
    play.wait(300)
    navigate = {"url": "https://board.example/dashboard"}
    play.do("A", SendCommand("primitive.tab.navigate", navigate, tab="t1"), 3_000)
    assert play.notes("A", "update") != []
    assert play.notes("A", "stray-update") == []


def test_a_person_signs_in_for_a_command_and_its_sender_hears_that_it_is_waited_for() -> None:
    play = ready(tabs=(("t1", "https://mail.example/inbox", ""),))
    inbox = {"site": "mail.example", "command": "getInbox"}
    play.do("A", SendCommand("command.run", inbox, tab="t1", request="k"), 500)
    kinds = [w["payload"]["type"] for w in play.heard("A", "event")]
    assert kinds == ["routed", "login_required"]
    play.do("N", SignIn("mail.example"))
    assert play.ends("A") == [("k", "result")]


def test_what_the_person_closes_is_closed_for_the_controller_too() -> None:
    play = ready(tabs=TABS)
    play.do("N", CloseTab("t1"))
    play.do("A", text("t1", "k"))
    assert play.ends("A") == [("k", "tab_session_closed")]


def test_rc_32_a_command_right_behind_its_auth_is_refused_and_may_come_again() -> None:
    play = TwinsPlay()
    play.wait(15)
    early = SendCommand("command.list", request="k", nonce="n", early=True)
    play.do("A", early, 1_000)
    assert play.ends("A") == [("k", "unauthenticated")]
    play.do("A", SendCommand("command.list", request="k2", nonce="n"))
    assert play.ends("A")[-1] == ("k2", "result")


def test_a_sleeping_controller_loses_its_session_and_comes_back_with_new_calls() -> None:
    play = ready()
    play.do("A", open_tab())
    fault.sleep(play.world, "A", 60_000_000)
    play.wait(26_000)
    assert play.actor("N").browser.tabs == {}
    play.wait(60_000)
    play.do("A", open_tab(request="again"), 2_000)
    assert ("again", "result") in play.ends("A")


def test_a_run_of_one_seed_is_the_same_every_time() -> None:
    digests = set()
    for _ in range(2):
        play = watching()
        play.do("N", Redial(), 3_000)
        digests.add(digest_of(play.world.events))
    assert len(digests) == 1
