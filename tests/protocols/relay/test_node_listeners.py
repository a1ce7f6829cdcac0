"""Listeners at the node: on, heard, off; and what ends them (DR-18)."""

from __future__ import annotations

from sim.core.op import Send
from sim.protocols.relay import make_error
from sim.protocols.relay.acts import CloseTab, EmitUpdate, SlowDown
from sim.protocols.relay.node import listening
from tests.protocols.hook.by_hand import ByHand
from tests.protocols.relay.peer_play import NodePlay

BOARD = "https://board.example/dashboard"


def subscribed(*rules_off: str, ms: float = 30) -> NodePlay:
    play = NodePlay(*rules_off)
    play.open(url=BOARD)
    play.subscribe(
        "sub", "tab_1", "board.example", ms=ms, requestHostAllowlist=["api.board.example"]
    )
    return play


def refuse(play: NodePlay, request: str) -> None:
    code = "listener_not_found"
    play.say(make_error(category="routing", code=code, message="", request_id=request))


def test_a_subscribe_ends_at_once_and_updates_follow_under_its_request_id() -> None:
    play = subscribed()
    data = play.end("sub")["data"]
    assert data["subscribed"] is True
    assert data["options"]["mode"] == "network"
    play.wait(3_000)
    updates = play.updates("sub")
    assert len(updates) >= 5
    assert {one["updateType"] for one in updates} == {"network.response"}
    families = [w["messageType"] for w in play.heard() if w["requestId"] == "sub"]
    assert families[0] == "result"


def test_the_tab_is_free_while_its_listener_is_on() -> None:
    play = subscribed()
    play.command("x", "primitive.dom.extract_text", tab="tab_1", ms=100)
    assert play.end("x")["ok"] is True


def test_nothing_is_heard_before_the_result_that_says_that_the_listener_is_on() -> None:
    play = NodePlay(thinks_ms=60_000)
    play.command("open", "primitive.tab.open", {"url": BOARD}, ms=61_000)
    play.subscribe("sub", "tab_1", "board.example", requestHostAllowlist=["api.board.example"])
    answering = ByHand(play.world, "P", play.peer.on_timer("work", "sub")).before(Send)
    ByHand(play.world, "P", listening.pages_changed(play.peer)).finish()
    ByHand(play.world, "P", listening.due(play.peer, "sub")).finish()
    play.wait(3_000)
    assert [w["messageType"] for w in play.heard() if w["requestId"] == "sub"] == []
    answering.finish()
    play.wait(3_000)
    heard = [w["messageType"] for w in play.heard() if w["requestId"] == "sub"]
    assert heard[0] == "result"
    assert len(heard) > 1


def test_updates_are_stamped_with_the_time_at_which_they_were_seen() -> None:
    play = subscribed(ms=3_000)
    stamps = [one["emittedAt"] for one in play.updates("sub")]
    assert stamps == sorted(stamps)
    assert len(set(stamps)) > 3


def test_after_an_unsubscribe_the_node_is_silent() -> None:
    play = subscribed()
    payload = {"targetRequestId": "sub"}
    play.command("off", "listener.unsubscribe", payload, ms=30)
    assert play.end("off")["data"] == {"targetRequestId": "sub", "unsubscribed": True}
    before = len(play.updates("sub"))
    play.wait(3_000)
    assert len(play.updates("sub")) == before


def test_a_second_unsubscribe_finds_nothing() -> None:
    play = subscribed()
    for name in ("off", "again"):
        play.command(name, "listener.unsubscribe", {"targetRequestId": "sub"})
    assert play.code("again") == "listener_not_found"


def test_a_navigation_is_heard_by_the_listener_that_is_on() -> None:
    play = NodePlay()
    play.open()
    play.subscribe("sub", "tab_1", "example.com", ms=1_000)
    before = len(play.updates("sub"))
    play.command("go", "primitive.tab.navigate", {"url": "https://example.com/"}, tab="tab_1")
    assert len(play.updates("sub")) > before


def test_a_failed_subscribe_tells_nothing_ever() -> None:
    play = NodePlay()
    play.open(url=BOARD)
    play.subscribe("sub", "tab_1", "example.com", ms=3_000)
    assert play.code("sub") == "site_mismatch"
    assert play.updates("sub") == []


def test_subscriptions_end_with_the_socket() -> None:
    play = subscribed()
    play.hang_up(5_000)
    assert play.peer.is_ready
    assert play.peer.browser.subscriptions == {}
    assert play.heard("event") == []


def test_a_refused_update_turns_its_listener_off() -> None:
    play = subscribed(ms=300)
    refuse(play, "sub")
    before = len(play.updates("sub"))
    play.wait(3_000)
    assert len(play.updates("sub")) == before
    assert play.notes("listener-off") == [{"request": "sub"}]


def test_the_refusal_of_an_update_that_came_too_early_does_not() -> None:
    play = NodePlay()
    play.open(url=BOARD)
    play.do(SlowDown(100, "listener.subscribe"))
    play.subscribe("sub", "tab_1", "board.example", ms=20)
    play.do(EmitUpdate("sub", {"n": 1}))
    play.do(EmitUpdate("sub", {"n": 2}))
    play.wait(200)
    refuse(play, "sub")
    refuse(play, "sub")
    assert "sub" in play.peer.browser.subscriptions
    refuse(play, "sub")
    assert play.peer.browser.subscriptions == {}


def test_the_refusal_of_what_was_never_on_changes_nothing() -> None:
    play = NodePlay()
    refuse(play, "ghost")
    assert play.notes("listener-off") == []


def test_an_update_can_be_forged_for_any_request_id() -> None:
    play = NodePlay()
    play.do(EmitUpdate("ghost", {"kind": "chat.message"}, "chat.message"))
    (update,) = play.updates("ghost")
    assert update["data"] == {"kind": "chat.message"}
    assert update["updateType"] == "chat.message"


def test_a_listener_of_a_closed_tab_is_silent_and_can_be_turned_off() -> None:
    play = subscribed()
    play.do(CloseTab("tab_1"), 3_000)
    assert play.updates("sub") == []
    play.command("off", "listener.unsubscribe", {"targetRequestId": "sub"})
    assert play.end("off")["ok"] is True


def test_a_tests_manifest_names_a_listener_that_can_be_turned_on() -> None:
    play = NodePlay()
    play.open(url="https://chat.example/room/quay")
    test = {"site": "chat.example", "command": "watchMessages"}
    play.command("t", "command.test", test, tab="tab_1", ms=80)
    (listener,) = play.end("t")["data"]["stream"]["listeners"]
    play.command("sub", "listener.subscribe", listener, tab="tab_1", ms=4_000)
    kinds = [one["data"]["kind"] for one in play.updates("sub")]
    assert kinds
    assert all(kind.startswith("chat.") for kind in kinds)


def test_without_result_before_updates_an_update_comes_first() -> None:
    play = subscribed("result_before_updates")
    families = [w["messageType"] for w in play.heard() if w["requestId"] == "sub"]
    assert families == ["event", "result"]
    assert [w["requestId"] for w in play.heard("event")] == ["sub"]


def test_without_silent_after_unsubscribe_the_page_is_still_intercepted() -> None:
    play = subscribed("silent_after_unsubscribe")
    play.command("off", "listener.unsubscribe", {"targetRequestId": "sub"}, ms=30)
    assert play.end("off")["data"] == {"targetRequestId": "sub", "unsubscribed": True}
    before = len(play.updates("sub"))
    play.wait(3_000)
    assert len(play.updates("sub")) > before


def test_without_updates_under_subscribe_id_nobody_can_tell_whose_they_are() -> None:
    play = subscribed("updates_under_subscribe_id", ms=3_000)
    assert play.updates("sub") == []
    assert len(play.heard("event")) >= 5


def test_without_listeners_end_with_socket_ghosts_reach_the_new_session() -> None:
    play = subscribed("listeners_end_with_socket")
    play.hang_up(5_000)
    assert play.updates("sub") != []


def overtaken(*rules_off: str) -> NodePlay:
    """A subscribe that is still at work when its socket is lost."""
    play = NodePlay(*rules_off)
    play.open(url=BOARD)
    play.do(SlowDown(1_700, "listener.subscribe"))
    play.subscribe("sub", "tab_1", "board.example", ms=100)
    play.hang_up(1_400)
    return play


def test_a_subscribe_of_a_lost_session_turns_nothing_on() -> None:
    play = overtaken()
    assert play.peer.is_ready
    play.wait(3_000)
    assert play.peer.browser.subscriptions == {}
    assert play.peer.jobs == {}
    ghostly = overtaken("listeners_end_with_socket")
    ghostly.wait(3_000)
    assert list(ghostly.peer.browser.subscriptions) == ["sub"]


def test_the_same_request_id_in_a_new_session_is_a_subscription_of_its_own() -> None:
    play = overtaken()
    play.do(SlowDown(0, "listener.subscribe"))
    play.subscribe("sub", "tab_1", "board.example", ms=2_000)
    assert play.end("sub")["ok"] is True
    assert list(play.peer.browser.subscriptions) == ["sub"]
