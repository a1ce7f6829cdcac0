"""What a controller asks for: sent once, ended once, in time or with its socket."""

from __future__ import annotations

from typing import Any

import pytest

from sim.protocols.relay import (
    make_auth_ack,
    make_cancel_ack,
    make_event,
    make_hello_ack,
    make_result,
    make_routed,
)
from sim.protocols.relay.acts import (
    CancelCommand,
    Disconnect,
    LockTab,
    SendCommand,
)
from sim.protocols.relay.controller.records import DISCONNECTED, ERROR, EVENT, GAVE_UP, RESULT
from sim.protocols.relay.peer.plan import Manners
from tests.protocols.relay.peer_play import LIST, ControllerPlay, answer, fail

OPEN = "primitive.tab.open"


def test_a_command_carries_its_target_a_nonce_and_what_was_asked_for_and_nothing_else() -> None:
    play = ControllerPlay()
    play.do(SendCommand(OPEN, {"url": "https://example.com/"}, request="a"))
    (frame,) = play.heard("command")
    payload = frame["payload"]
    assert (frame["requestId"], frame["senderRole"]) == ("a", "controller")
    assert len(payload.pop("replayNonce")) == 36
    assert payload == {
        "targetNodeId": "node_alpha",
        "action": OPEN,
        "payload": {"url": "https://example.com/"},
    }


def test_everything_that_can_be_said_of_a_command_goes_out() -> None:
    play = ControllerPlay()
    wanted = SendCommand(
        "primitive.dom.extract_text",
        node="node_beta",
        tab="tab_3",
        timeout_ms=1500,
        wait_policy="wait_with_timeout",
        idempotency_key="k",
        nonce="n-1",
    )
    play.do(wanted)
    payload = play.heard("command")[0]["payload"]
    assert payload["targetNodeId"] == "node_beta"
    assert payload["tabSessionId"] == "tab_3"
    assert payload["timeoutMs"] == 1500
    assert payload["waitPolicy"] == "wait_with_timeout"
    assert payload["idempotencyKey"] == "k"
    assert payload["replayNonce"] == "n-1"


def test_every_command_has_a_nonce_of_its_own() -> None:
    play = ControllerPlay()
    for _ in range(3):
        play.do(LIST)
    nonces = [w["payload"]["replayNonce"] for w in play.heard("command")]
    assert len(set(nonces)) == 3
    without = ControllerPlay("fresh_nonces")
    for _ in range(3):
        without.do(LIST)
    assert len({w["payload"]["replayNonce"] for w in without.heard("command")}) == 1


def test_a_controller_without_nodes_has_to_be_told_one() -> None:
    play = ControllerPlay(nodes=())
    with pytest.raises(LookupError, match="P knows no node: name one"):
        play.do(LIST)


def test_what_is_asked_for_before_the_session_works_goes_out_in_order_when_it_does() -> None:
    play = ControllerPlay(start=False)
    play.world.boot("P")
    play.do(SendCommand("command.list", request="a"))
    play.do(LockTab("tab_1", request="b"))
    play.world.boot("R")
    play.wait(10_000)
    assert [w["requestId"] for w in play.heard() if w["requestId"] in "ab"] == ["a", "b"]


def test_an_early_command_waits_for_the_socket_only() -> None:
    play = ControllerPlay(greets=False)
    play.do(SendCommand("command.list", request="held"))
    play.do(SendCommand("command.list", request="early", early=True))
    assert [w["requestId"] for w in play.heard("command")] == ["early"]


def test_what_is_early_and_was_asked_for_before_there_was_a_socket_goes_out_behind_auth() -> None:
    play = ControllerPlay(greets=False, start=False)
    play.world.boot("P")
    play.do(SendCommand("command.list", request="held"))
    play.do(LockTab("tab_1", request="lock"))
    play.do(SendCommand("command.list", request="early", early=True))
    play.world.boot("R")
    play.wait(5_000)
    assert [w["messageType"] for w in play.heard()] == ["hello", "auth", "command"]
    assert play.heard("command")[0]["requestId"] == "early"
    assert [request for _, request in play.peer.held] == ["held", "lock"]


def test_a_controller_pings_at_every_heartbeat_interval_of_hello_ack() -> None:
    play = ControllerPlay()
    play.wait(33_000)
    assert len(play.heard("ping")) == 4


def test_a_ping_interval_of_its_own_goes_before_that_of_hello_ack() -> None:
    play = ControllerPlay(manners=Manners(ping_ms=2_000))
    play.wait(9_000)
    assert len(play.heard("ping")) == 4


# -- ends


def test_a_result_ends_its_call_and_is_remembered() -> None:
    play = ControllerPlay()
    play.do(LIST)
    answer(play, "list", {"commands": []})
    outcome = play.peer.outcome("list")
    assert (outcome.how, outcome.is_good, outcome.code) == (RESULT, True, "")
    assert outcome.payload["data"] == {"commands": []}
    assert play.peer.calls == {}
    assert play.outcomes() == [("list", RESULT)]


def test_an_error_ends_its_call_with_a_code() -> None:
    play = ControllerPlay()
    play.do(LIST)
    fail(play, "list", "bridge_failure")
    outcome = play.peer.outcome("list")
    assert (outcome.how, outcome.is_good, outcome.code) == (ERROR, False, "bridge_failure")


def test_a_result_that_is_not_ok_is_no_good_one() -> None:
    play = ControllerPlay()
    play.do(LIST)
    play.say(make_result(ok=False, durationMs=1, action="command.list", request_id="list"))
    assert not play.peer.outcome("list").is_good


def test_events_come_before_the_end_and_are_none() -> None:
    play = ControllerPlay()
    play.do(LIST)
    play.say(make_routed(target_node_id="node_alpha", request_id="list"))
    play.say(make_event(type="progress", percent=40, request_id="list"))
    assert play.outcomes() == []
    without = ControllerPlay("events_end_nothing")
    without.do(LIST)
    for request in ("ghost", "list"):
        without.say(make_routed(target_node_id="node_alpha", request_id=request))
    assert without.outcomes() == [("list", EVENT)]
    assert without.notes("stray-end") == []


def test_a_second_end_counts_for_nothing_and_is_noted() -> None:
    play = ControllerPlay()
    play.do(LIST)
    answer(play, "list")
    fail(play, "list", "command_timed_out")
    assert play.outcomes() == [("list", RESULT)]
    assert play.notes("stray-end") == [{"request": "list", "how": ERROR, "late": True}]
    without = ControllerPlay("first_end_counts")
    without.do(LIST)
    answer(without, "list")
    fail(without, "list", "command_timed_out")
    assert without.outcomes() == [("list", RESULT), ("list", ERROR)]
    assert without.peer.outcome("list").code == "command_timed_out"


def test_the_end_of_nothing_is_noted_too() -> None:
    play = ControllerPlay("first_end_counts")
    answer(play, "ghost")
    assert play.notes("stray-end") == [{"request": "ghost", "how": RESULT, "late": False}]


@pytest.mark.parametrize(
    ("timeout", "gives_up_ms"), [(2_000, 7_000), (None, 35_000), (0, 6_000), (9e9, 605_000)]
)
def test_a_call_is_given_up_five_seconds_after_its_budget(timeout: Any, gives_up_ms: int) -> None:
    play = ControllerPlay(manners=Manners(pings=False))
    play.do(SendCommand("command.list", request="x", timeout_ms=timeout), gives_up_ms - 10)
    assert play.outcomes() == []
    play.wait(20)
    assert play.outcomes() == [("x", GAVE_UP)]
    answer(play, "x")
    assert play.outcomes() == [("x", GAVE_UP)]


def test_without_a_deadline_of_its_own_a_call_hangs() -> None:
    play = ControllerPlay("own_deadline")
    play.do(LIST, 600_000)
    assert play.outcomes() == []


def test_a_call_in_time_stops_its_deadline() -> None:
    play = ControllerPlay()
    play.do(LIST)
    answer(play, "list")
    assert not [kind for kind, _ in play.host.timers if kind == "deadline"]


def test_the_loss_of_the_socket_ends_all_calls_at_once_and_none_is_sent_again() -> None:
    play = ControllerPlay()
    play.do(LIST)
    play.do(CancelCommand("list", request="c"))
    play.hang_up(50)
    assert play.outcomes() == [("list", DISCONNECTED), ("c", DISCONNECTED)]
    play.wait(5_000)
    assert play.peer.is_ready
    assert len(play.heard("command")) == 1


def test_leaving_ends_all_calls_too() -> None:
    play = ControllerPlay()
    play.do(LIST)
    play.do(Disconnect())
    assert play.outcomes() == [("list", DISCONNECTED)]


def test_without_that_a_call_waits_out_its_deadline() -> None:
    play = ControllerPlay("lost_socket_ends_calls")
    play.do(LIST)
    play.hang_up(30_000)
    assert play.outcomes() == []
    play.wait(6_000)
    assert play.outcomes() == [("list", GAVE_UP)]


def test_a_cancel_ends_by_its_ack_or_its_error() -> None:
    play = ControllerPlay()
    play.do(CancelCommand("x", request="c1"))
    play.do(CancelCommand("y", request="c2"))
    assert play.heard("command_cancel")[0]["payload"] == {"targetRequestId": "x"}
    play.say(make_cancel_ack(target_request_id="x", status="forwarded", request_id="c1"))
    fail(play, "c2", "command_not_found")
    assert play.outcomes() == [("c1", EVENT), ("c2", ERROR)]


def test_a_cancel_that_borrows_the_id_of_its_command_does_not_end_it_by_its_ack() -> None:
    play = ControllerPlay()
    play.do(SendCommand("command.list", request="r1"))
    play.do(CancelCommand("r1", request="r1"))
    play.say(make_cancel_ack(target_request_id="r1", status="forwarded", request_id="r1"))
    assert play.outcomes() == []
    fail(play, "r1", "command_cancelled")
    assert play.outcomes() == [("r1", ERROR)]


def test_a_relay_that_wants_fewer_pings_is_not_taken_for_dead_between_them() -> None:
    play = ControllerPlay(greets=False)
    hello, auth = (play.heard(family)[0]["requestId"] for family in ("hello", "auth"))
    play.say(make_hello_ack(accepted=True, heartbeatIntervalMs=30_000, request_id=hello))
    play.say(make_auth_ack(accepted=True, scopes=[], **play.identity, request_id=auth))
    play.wait(125_000)
    assert play.closed == []
    assert len(play.heard("ping")) == 4
