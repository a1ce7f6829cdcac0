"""The server twin: hello, welcome, heartbeat, two sockets of one device, bad frames."""

import pytest

from sim.protocols.hook import (
    MESSAGES,
    Message,
    Ping,
    Pong,
    TaskDispatch,
    TurnEnd,
    Welcome,
)
from sim.protocols.hook.server import ALREADY_CONNECTED
from tests.protocols.hook.server_play import Play


def test_hello_is_answered_by_welcome_with_the_features():
    play = Play(features=("turn-reopen-v1", "turn-delivery-v1"))
    play.connect()
    [welcome] = play.got(Welcome)
    assert welcome.features == ("turn-reopen-v1",)


def test_each_hello_is_welcomed_and_the_newest_counts():
    play = Play()
    play.connect()
    play.hello(workspaces=("chat", "new"), default_workspace="new")
    assert len(play.got(Welcome)) == 2
    play.say("x")
    assert play.got(TaskDispatch)[0].workspace == "new"


def test_nothing_but_hello_and_heartbeats_counts_before_hello():
    play = Play()
    play.dial()
    play.send(Ping())
    play.ack("R1")
    play.end("R1", "ok", "x")
    assert [type(b) for _, _, b in play.received] == [Pong]


def test_a_ping_is_answered_in_every_state():
    play = Play()
    play.dial()
    play.send(Ping())
    play.hello()
    play.send(Ping())
    assert len(play.got(Pong)) == 2


def test_a_silent_socket_is_pinged_after_25_s_and_closed_after_65():
    """hook RC-77"""
    play = Play()
    play.lively = False
    play.connect()
    play.run(24)
    assert not play.got(Ping)
    play.run(40)
    assert len(play.got(Ping)) == 2
    assert not play.closed
    play.run(4)
    assert play.closed == [("D.slack#1", 1001, "silent")]


def test_a_socket_that_answers_pings_stays_for_hours():
    play = Play()
    play.connect()
    play.run(3 * 3600)
    assert not play.closed
    assert play.puppet().conns[0].is_open


def test_a_second_socket_is_sent_away_when_the_first_answers():
    """hook RC-76"""
    play = Play()
    play.connect()
    play.dial()
    play.hello(wait=2)
    assert play.closed == [("D.slack#2", 4000, ALREADY_CONNECTED)]
    assert len(play.got(Welcome)) == 1
    assert play.puppet().conns[0].is_open


def test_a_second_socket_replaces_a_first_one_that_is_half_open():
    """hook RC-75"""
    play = Play()
    play.connect()
    request = play.say("x")
    play.cut(how="silent")
    play.dial()
    play.hello(wait=4)
    assert not play.got(Welcome, link="D.slack#2")
    play.run(2)
    assert len(play.got(Welcome, link="D.slack#2")) == 1
    assert [d.request_id for d in play.got(TaskDispatch, link="D.slack#2")] == [request]


def test_a_second_socket_takes_over_at_once_when_the_first_closes_meanwhile():
    play = Play()
    play.lively = False
    play.connect()
    play.dial()
    play.hello(wait=1)
    play.cut(0, wait=1)
    assert len(play.got(Welcome, link="D.slack#2")) == 1
    play.run(10)
    assert play.closed == [("D.slack#1", 1006, "rst")]


def test_a_third_socket_takes_the_second_ones_turn():
    play = Play()
    play.lively = False
    play.connect()
    play.dial()
    play.hello(wait=1)
    play.dial()
    play.hello(wait=1)
    assert play.closed == [("D.slack#2", 4000, ALREADY_CONNECTED)]
    play.run(6)
    assert len(play.got(Welcome, link="D.slack#3")) == 1


def test_a_waiting_socket_that_goes_away_leaves_the_first_alone():
    play = Play()
    play.lively = False
    play.connect()
    play.dial()
    play.hello(wait=1)
    play.cut(1, wait=10)
    assert play.puppet().conns[0].is_open
    play.say("x")
    assert len(play.got(TaskDispatch, link="D.slack#1")) == 1


def test_two_devices_do_not_disturb_each_other():
    play = Play()
    play.connect()
    play.connect("D2")
    play.say("x", who="Alice")
    play.say("y", who="Bob")
    assert [d.prompt for d in play.got(TaskDispatch, "D")] == ["x"]
    assert [d.prompt for d in play.got(TaskDispatch, "D2")] == ["y"]
    assert not play.closed


def test_a_hello_that_names_another_device_moves_the_socket():
    play = Play()
    play.connect()
    play.hello(device_id="D2")
    play.say("y", who="Bob")
    play.say("x")
    assert [d.prompt for d in play.got(TaskDispatch, "D")] == ["y"]


@pytest.mark.parametrize(
    "wire",
    [
        {},
        {"v": 2, "type": "ping", "id": "1", "ts": 1, "payload": {}},
        {"v": 1, "type": "turn.end", "id": "1", "ts": 1, "payload": {"requestId": 7}},
        {"v": 1, "type": "no.such", "id": "1", "ts": 1, "payload": {}},
    ],
)
def test_a_bad_frame_is_noted_and_dropped_and_the_socket_stays(wire):
    """hook RC-80"""
    play = Play()
    play.connect()
    request = play.say("x")
    play.ack(request)
    frame = Message("turn.end", "x", 1, None, wire, MESSAGES["turn.end"])

    play.send_frame(frame)
    play.run(1)
    assert len(play.notes("bad-frame")) == 1
    play.end(request, "ok", "done")
    assert play.shows(request) == ("OK", "done")


def test_frames_in_the_wrong_direction_are_ignored():
    play = Play()
    play.connect()
    request = play.say("x")
    play.send(
        TaskDispatch(
            request_id=request, external_key="k", workspace="chat", session_id=None, prompt="p"
        )
    )
    play.send(Welcome(server_name="x", features=()))
    assert play.shows(request)[0] == "WORKING"
    assert not play.notes("bad-frame")
    assert not play.got(TurnEnd)
