"""Locks, listeners and streams as their controller sees them."""

from __future__ import annotations

from typing import Any

import pytest

from sim.protocols.relay import (
    make_error,
    make_listener_ended,
    make_listener_update,
    make_lock_acquired,
    make_lock_conflict,
    make_lock_expired,
    make_lock_released,
    make_lock_renewed,
    make_result,
    make_stream_ended,
)
from sim.protocols.relay.acts import LockTab, SendCommand, UnlockTab
from sim.protocols.relay.controller import locks, streams
from sim.protocols.relay.controller.records import Call
from tests.protocols.relay.peer_play import ControllerPlay

KEY = ("node_alpha", "tab_1")
LISTENER = {"listener": "network.http_intercept", "options": {"tabSessionId": "tab_1", "site": "x"}}
SUBSCRIBE = SendCommand("listener.subscribe", LISTENER, tab="tab_1", request="sub")
TEST = SendCommand(
    "command.test", {"site": "chat.example", "command": "watch"}, tab="tab_1", request="test"
)


def lock_event(make: Any, request: str, owner: str = "ctl_1", lease_ms: int = 2_000) -> Any:
    return make(
        target_node_id="node_alpha",
        tab_session_id="tab_1",
        lock_owner_controller_id=owner,
        lock_lease_ms=lease_ms,
        lock_expires_at=1_767_225_602_000,
        request_id=request,
    )


def locked(*rules_off: str) -> ControllerPlay:
    play = ControllerPlay(*rules_off)
    play.do(LockTab("tab_1", lease_ms=2_000, request="lock"))
    play.say(lock_event(make_lock_acquired, "lock"))
    return play


def result(play: ControllerPlay, request: str, data: Any = None) -> None:
    play.say(
        make_result(ok=True, durationMs=1, action="command.list", data=data, request_id=request)
    )


def update(play: ControllerPlay, request: str) -> None:
    frame = make_listener_update(
        data={}, update_type="t", emitted_at="2026-01-01T00:00:00Z", request_id=request
    )
    play.say(frame)


# -- locks


def test_a_lock_says_which_tab_and_for_how_long() -> None:
    play = locked()
    assert play.heard("tab_lock")[0]["payload"] == {
        "targetNodeId": "node_alpha",
        "tabSessionId": "tab_1",
        "lockLeaseMs": 2_000,
    }
    play.do(LockTab("tab_2"))
    assert "lockLeaseMs" not in play.heard("tab_lock")[1]["payload"]


def test_the_holder_recognises_itself_by_its_identity() -> None:
    play = locked()
    assert play.peer.identity == "ctl_1"
    assert list(play.peer.locks) == [KEY]
    assert play.outcomes() == [("lock", "event")]
    held = {"node": "node_alpha", "tab": "tab_1", "held": True, "lease_ms": 2_000}
    assert play.notes("lock") == [held]


def test_a_lease_that_is_over_before_it_is_heard_of_is_not_held() -> None:
    play = ControllerPlay()
    play.do(LockTab("tab_1", lease_ms=5, request="lock"))
    play.say(lock_event(make_lock_acquired, "lock", lease_ms=5))
    assert play.peer.locks == {}


def test_each_lease_ends_by_itself_and_no_sooner() -> None:
    play = locked()
    play.do(LockTab("tab_2", lease_ms=5_000, request="two"))
    frame = lock_event(make_lock_acquired, "two", lease_ms=5_000)
    frame.wire["payload"]["tabSessionId"] = "tab_2"
    play.say(frame)
    for name in ("node_alpha/tab_1", "node_alpha/tab_2"):
        play.world.start(play.host, locks.lease_over(play.peer, name), "overtaken", -1)
    play.wait(1_000)
    assert len(play.peer.locks) == 2
    play.wait(1_500)
    assert list(play.peer.locks) == [("node_alpha", "tab_2")]


def test_the_lock_of_another_is_not_held() -> None:
    play = ControllerPlay()
    play.do(LockTab("tab_1", request="lock"))
    play.say(make_error(category="lock_conflict", code="tab_locked", message="", request_id="lock"))
    play.say(lock_event(make_lock_conflict, "lock", owner="ctl_2"))
    assert play.peer.locks == {}
    assert play.outcomes() == [("lock", "error")]


def test_without_knows_itself_a_controller_believes_to_hold_it() -> None:
    play = ControllerPlay("knows_itself")
    play.do(LockTab("tab_1", request="lock"))
    play.say(lock_event(make_lock_conflict, "lock", owner="ctl_2"))
    assert list(play.peer.locks) == [KEY]


def test_a_lease_is_counted_from_the_asking_so_it_never_outlasts_the_relays() -> None:
    play = locked()
    sent = play.world.now - 2 * 20_000
    play.wait(1_950)
    assert list(play.peer.locks) == [KEY]
    play.wait(20)
    assert play.peer.locks == {}
    assert play.world.now <= sent + 2_020_000
    assert play.notes("lock")[-1] == {
        "node": "node_alpha",
        "tab": "tab_1",
        "held": False,
        "why": "lease over",
    }


def test_a_renewal_counts_from_its_own_asking() -> None:
    play = locked()
    play.wait(1_500)
    play.do(LockTab("tab_1", lease_ms=2_000, request="renew"))
    play.say(lock_event(make_lock_renewed, "renew"))
    play.wait(1_900)
    assert list(play.peer.locks) == [KEY]
    play.wait(100)
    assert play.peer.locks == {}


def test_the_expiry_of_an_earlier_lease_does_not_end_the_new_one() -> None:
    play = locked()
    play.do(LockTab("tab_1", lease_ms=2_000, request="renew"))
    play.say(lock_event(make_lock_renewed, "renew"))
    play.say(lock_event(make_lock_expired, "lock"))
    assert list(play.peer.locks) == [KEY]
    play.say(lock_event(make_lock_expired, "renew"))
    assert play.peer.locks == {}


def test_without_lease_end_is_believed_a_program_works_on_in_a_lost_tab() -> None:
    play = locked("lease_end_is_believed")
    play.say(lock_event(make_lock_expired, "lock"))
    play.wait(5_000)
    assert list(play.peer.locks) == [KEY]


def test_an_unlock_ends_with_its_event_and_the_lock_with_it() -> None:
    play = locked()
    play.do(UnlockTab("tab_1", request="unlock"))
    assert list(play.peer.locks) == [KEY]
    play.say(lock_event(make_lock_released, "unlock"))
    assert play.peer.locks == {}
    assert ("lease", "node_alpha/tab_1") not in play.host.timers
    assert play.outcomes()[-1] == ("unlock", "event")


def test_locks_end_with_the_socket() -> None:
    play = locked()
    play.hang_up()
    assert play.peer.locks == {}


# -- listeners


def subscribed(*rules_off: str) -> ControllerPlay:
    play = ControllerPlay(*rules_off)
    play.do(SUBSCRIBE)
    result(play, "sub")
    return play


def test_updates_count_from_the_good_result_to_the_end_of_the_unsubscribe() -> None:
    play = ControllerPlay()
    play.do(SUBSCRIBE)
    update(play, "sub")
    result(play, "sub")
    update(play, "sub")
    play.do(SendCommand("listener.unsubscribe", {"targetRequestId": "sub"}, request="off"))
    update(play, "sub")
    result(play, "off")
    update(play, "sub")
    assert len(play.notes("update")) == 2
    assert len(play.notes("stray-update")) == 2
    assert play.peer.streams == {}


def test_a_failed_unsubscribe_leaves_the_listener_on() -> None:
    play = subscribed()
    play.do(SendCommand("listener.unsubscribe", {"targetRequestId": "sub"}, request="off"))
    play.say(make_error(category="execution", code="bridge_failure", message="", request_id="off"))
    update(play, "sub")
    assert len(play.notes("update")) == 1


def test_a_listener_that_the_relay_ends_is_off() -> None:
    play = subscribed()
    play.say(make_listener_ended(reason="node_disconnected", request_id="sub"))
    assert play.peer.streams == {}
    assert play.notes("listener-ended") == [{"request": "sub", "reason": "node_disconnected"}]
    play.say(make_listener_ended(reason="node_disconnected", request_id="sub"))
    assert len(play.notes("listener-ended")) == 1


def test_a_new_session_inherits_no_listener() -> None:
    play = subscribed()
    play.hang_up(5_000)
    update(play, "sub")
    assert play.notes("update") == []


def test_without_updates_need_subscription_ghosts_are_shown() -> None:
    play = ControllerPlay("updates_need_subscription")
    update(play, "ghost")
    assert len(play.notes("update")) == 1


# -- streams of tests


def streaming(**plan: Any) -> ControllerPlay:
    play = ControllerPlay(**plan)
    play.do(TEST)
    broken = [7, {"options": {}}, {"listener": "plain"}]
    result(play, "test", {"stream": {"listeners": [LISTENER, *broken]}})
    return play


def test_the_listeners_of_a_manifest_are_turned_on_on_the_same_socket() -> None:
    play = streaming()
    first, second = play.heard("command")[1:]
    assert first["payload"]["action"] == "listener.subscribe"
    assert first["payload"]["payload"] == LISTENER
    assert first["payload"]["tabSessionId"] == "tab_1"
    assert first["payload"]["targetNodeId"] == "node_alpha"
    assert second["payload"]["payload"] == {"listener": "plain"}
    assert second["payload"]["tabSessionId"] == "tab_1"
    assert len(play.sockets) == 1


def test_the_end_of_a_stream_ends_the_listeners_that_belong_to_it() -> None:
    play = streaming()
    for frame in play.heard("command")[1:]:
        result(play, frame["requestId"])
    play.do(SUBSCRIBE)
    result(play, "sub")
    assert len(play.peer.streams) == 3
    play.say(make_stream_ended(reason="cancelled", request_id="test"))
    assert list(play.peer.streams) == ["sub"]
    assert play.notes("stream-ended") == [{"request": "test", "reason": "cancelled"}]


def test_a_controller_that_follows_no_streams_only_has_the_manifest() -> None:
    play = streaming(follows_streams=False)
    assert len(play.heard("command")) == 1


def test_a_listener_of_another_tab_is_turned_on_there() -> None:
    play = ControllerPlay()
    play.do(TEST)
    options = {"tabSessionId": "tab_9", "site": "x"}
    listeners = [{"listener": "network.http_intercept", "options": options}]
    result(play, "test", {"stream": {"listeners": listeners}})
    assert play.heard("command")[1]["payload"]["tabSessionId"] == "tab_9"


@pytest.mark.parametrize(("action", "ok"), [("command.run", True), ("command.test", False)])
def test_only_a_good_test_has_a_stream(action: str, ok: bool) -> None:
    play = ControllerPlay()
    play.do(SendCommand(action, TEST.payload, tab="tab_1", request="x"))
    data = {"stream": {"listeners": [LISTENER]}}
    play.say(make_result(ok=ok, durationMs=1, action=action, data=data, request_id="x"))
    assert len(play.heard("command")) == 1


@pytest.mark.parametrize("greets", [True, False])
def test_a_stream_is_not_followed_in_another_session_than_its_tests(greets: bool) -> None:
    play = ControllerPlay(greets=greets)
    session = 0 if greets else play.peer.session
    call = Call("test", "command.test", TEST, "node_alpha", "tab_1", session=session)
    payload = {"ok": True, "data": {"stream": {"listeners": [LISTENER]}}}
    play.world.start(play.host, streams.follow(play.peer, call, payload), "late", -1)
    play.wait(50)
    assert play.heard("command") == play.peer.held == []


def test_a_test_without_stream_turns_nothing_on() -> None:
    play = ControllerPlay()
    play.do(TEST)
    result(play, "test", {"tabSessionId": "tab_1"})
    assert len(play.heard("command")) == 1
