"""A node's session with the relay: hello, auth, pings, and coming back."""

from __future__ import annotations

import pytest

from sim.core.event import ConnectionOpened
from sim.protocols.relay import make_error, make_hello_ack, make_ping, make_refresh_ack
from sim.protocols.relay.acts import (
    Connect,
    Disconnect,
    Redial,
    RefreshToken,
    SayFrame,
    SayText,
    SendCommand,
    SwitchPings,
    UseToken,
)
from sim.protocols.relay.peer.plan import Manners
from sim.protocols.relay.rules import RelayRules
from sim.world import fault
from tests.protocols.relay.peer_play import LATENCY_MS, NodePlay

PATIENT = Manners(pipelined=False, ping_ms=15_000)


def families(play: NodePlay) -> list[str]:
    return [wire["messageType"] for wire in play.heard()]


def dials(play: NodePlay) -> list[int]:
    """When the relay was reached, in milliseconds."""
    return [e.at // 1000 for e in play.world.events if type(e) is ConnectionOpened]


def test_a_node_says_hello_with_its_id_and_shows_its_token_right_behind() -> None:
    play = NodePlay(greets=False)
    hello, auth = play.heard()
    assert hello["senderRole"] == auth["senderRole"] == "node"
    assert hello["payload"]["nodeId"] == "node_alpha"
    assert "primitive.tab.open" in hello["payload"]["capabilities"]
    assert auth["payload"] == {"accessToken": "token-N"}


def test_a_node_that_does_not_name_itself_leaves_that_to_its_token() -> None:
    play = NodePlay(names_itself=False)
    assert "nodeId" not in play.heard("hello")[0]["payload"]
    assert play.peer.is_ready


def test_a_node_in_order_waits_for_hello_ack_before_it_shows_its_token() -> None:
    play = NodePlay(greets=False, manners=PATIENT)
    assert families(play) == ["hello"]
    hello = play.heard("hello")[0]["requestId"]
    play.say(make_hello_ack(accepted=True, heartbeatIntervalMs=8000, request_id=hello))
    assert families(play) == ["hello", "auth"]


def test_an_ack_that_accepts_nothing_leads_nowhere() -> None:
    play = NodePlay(greets=False, manners=PATIENT)
    hello = play.heard("hello")[0]["requestId"]
    play.say(make_hello_ack(accepted=False, heartbeatIntervalMs=8000, request_id=hello))
    assert families(play) == ["hello"]


def test_a_refused_token_is_noted_and_the_socket_stays() -> None:
    play = NodePlay(greets=False)
    auth = play.heard("auth")[0]["requestId"]
    code = "invalid_access_token"
    play.say(make_error(category="auth", code=code, message="no", request_id=auth))
    assert play.notes("refused") == [{"asked": "auth", "code": code}]
    assert play.closed == []
    play.do(UseToken("token-N2", now=True))
    assert play.heard("auth")[-1]["payload"] == {"accessToken": "token-N2"}


def test_a_node_pings_every_fifteen_seconds_once_it_is_admitted() -> None:
    play = NodePlay()
    play.wait(14_000)
    assert play.heard("ping") == []
    play.wait(31_000)
    assert len(play.heard("ping")) == 3


def test_a_node_that_was_not_admitted_does_not_ping() -> None:
    play = NodePlay(greets=False)
    play.wait(60_000)
    assert play.heard("ping") == []


def test_a_ping_of_the_relay_is_answered_under_its_request_id() -> None:
    play = NodePlay()
    play.say(make_ping(request_id="ping-7"))
    assert [wire["requestId"] for wire in play.heard("pong")] == ["ping-7"]


def test_without_pings_answered_no_pong_comes() -> None:
    play = NodePlay("pings_answered")
    play.say(make_ping(request_id="ping-7"))
    assert play.heard("pong") == []


def test_without_pings_in_time_the_relay_hears_nothing_of_a_quiet_node() -> None:
    play = NodePlay("pings_in_time")
    play.wait(60_000)
    assert play.heard("ping") == []


def test_pings_can_be_switched_off_and_on() -> None:
    play = NodePlay()
    play.do(SwitchPings(on=False))
    play.wait(40_000)
    assert play.heard("ping") == []
    play.do(SwitchPings(on=True))
    play.wait(16_000)
    assert len(play.heard("ping")) == 1


def test_a_relay_that_is_silent_for_three_pings_is_given_up() -> None:
    play = NodePlay()
    play.pongs = False
    play.wait(44_000)
    assert play.closed == []
    play.wait(4_000)
    assert [code for _, code, _ in play.closed] == [1006]
    assert len(play.sockets) == 2


def test_retries_double_up_to_thirty_seconds_with_up_to_300_ms_more() -> None:
    play = NodePlay()
    fault.crash(play.world, "R")
    lost = play.world.now // 1000
    attempts = []
    for _ in range(9):
        before = play.peer.attempt
        while play.peer.attempt == before:
            play.wait(100)
        attempts.append(play.world.now // 1000 - lost)
        lost = play.world.now // 1000
    # Refused at once, each gap is the delay, rounded up to the steps of this test.
    gaps = attempts[1:]
    for n, gap in enumerate(gaps):
        assert min(1000 * 2**n, 30_000) <= gap <= min(1000 * 2**n + 300, 30_000) + 250


def test_delays_differ_from_node_to_node_of_one_seed() -> None:
    play = NodePlay()
    play.hang_up()
    play.wait(3_000)
    first = dials(play)[1]
    other = NodePlay()
    other.peer.port.draw(0, 300)
    other.hang_up()
    other.wait(3_000)
    assert first != dials(other)[1]


def test_without_growing_retries_a_dead_relay_is_dialled_every_second() -> None:
    play = NodePlay("growing_retries")
    fault.crash(play.world, "R")
    play.wait(20_000)
    assert play.peer.attempt >= 14


def test_an_admission_starts_the_delays_over() -> None:
    play = NodePlay()
    for _ in range(3):
        play.hang_up(3_000)
    assert play.peer.is_ready
    assert play.peer.attempt == 0
    gaps = [later - sooner for sooner, later in zip(dials(play), dials(play)[1:], strict=False)]
    assert all(gap < 3_400 for gap in gaps)


def test_a_node_that_leaves_stays_away_until_it_is_told_to_connect() -> None:
    play = NodePlay()
    play.do(Disconnect(1001, "going"), 60_000)
    assert play.closed == [("P.node#1", 1001, "going")]
    assert len(play.sockets) == 1
    play.do(Connect(), 1_000)
    assert play.peer.is_ready


def test_who_is_connected_does_not_connect_again() -> None:
    play = NodePlay()
    play.do(Connect(), 5_000)
    assert len(play.sockets) == 1


def test_a_redial_leaves_the_old_socket_half_open_and_looks_at_it_no_more() -> None:
    play = NodePlay()
    play.do(Redial(), 1_000)
    old, new = play.sockets
    assert play.closed == []
    play.command("a", "command.list", conn=old)
    play.command("b", "command.list", conn=new)
    assert (play.ends("a"), len(play.ends("b"))) == ([], 1)


def test_the_end_of_an_old_socket_does_not_touch_the_new_one() -> None:
    play = NodePlay()
    play.do(Redial(), 1_000)
    play.say((1000, "old"), 5_000, conn=play.sockets[0])
    assert play.peer.is_ready
    assert len(play.sockets) == 2


def test_a_refreshed_token_is_shown_at_the_next_auth_even_by_a_new_process() -> None:
    play = NodePlay(refresh_token="rt-N")
    play.do(RefreshToken())
    asked = play.heard("refresh")[0]
    assert asked["payload"] == {"refreshToken": "rt-N"}
    play.say(make_refresh_ack(access_token="token-new", request_id=asked["requestId"]))
    play.crash()
    assert play.heard("auth")[-1]["payload"] == {"accessToken": "token-new"}


def test_a_refresh_ack_that_nobody_asked_for_changes_no_token() -> None:
    play = NodePlay()
    play.say(make_refresh_ack(access_token="token-evil"))
    play.hang_up(3_000)
    assert play.heard("auth")[-1]["payload"] == {"accessToken": "token-N"}


@pytest.mark.parametrize("text", ["", "null", "7", "[]", "{", '{"messageType":"command"}'])
def test_a_frame_that_is_none_is_noted_and_changes_nothing(text: str) -> None:
    play = NodePlay()
    play.world.act("R", (play.sockets[-1], _text(text)))
    play.wait(2 * LATENCY_MS)
    assert len(play.notes("bad-frame")) == 1
    assert play.peer.is_ready


def _text(text: str):
    from sim.protocols.relay.peer.entrance import as_written

    return as_written(text)


def test_a_said_frame_goes_out_as_it_is_with_the_rest_of_its_envelope_filled_in() -> None:
    play = NodePlay()
    play.do(SayFrame({"messageType": "ping", "senderRole": "relay", "payload": {}}))
    said = play.heard("ping")[0]
    assert said["senderRole"] == "relay"
    assert said["requestId"].startswith("P-")
    play.do(SayFrame({"messageType": "ping"}, fill=False))
    play.do(SayText("no frame at all"))
    assert [wire.get("text") for wire in play.heard()][-1] == "no frame at all"


def test_a_node_can_do_nothing_of_a_controller() -> None:
    play = NodePlay()
    with pytest.raises(LookupError, match=r"P is a node and cannot .*it can SignIn"):
        play.do(SendCommand("command.list"))


def test_the_rules_of_peers_are_all_on_unless_switched_off() -> None:
    assert NodePlay(start=False).host.factory(NodePlay(start=False).host).rules == RelayRules()


def test_a_node_answers_to_the_name_that_its_token_gives_it() -> None:
    play = NodePlay(names_itself=False, node_id="node_of_the_plan")
    play.command("x", "command.list", target="node_alpha")
    play.command("y", "primitive.dom.extract_text", tab="t")
    assert play.end("x")["ok"] is True
    assert play.end("y")["nodeId"] == "node_alpha"
