"""The relay twin: who is let in, who is kept, and which frames touch nobody."""

from __future__ import annotations

from typing import Any

import pytest

from sim.protocols.relay.predicates import iso_timestamp
from sim.protocols.relay.relay.plan import Limits
from sim.protocols.relay.relay.sessions import Grant
from sim.world import fault
from tests.protocols.relay.relay_play import MS, RelayPlay


def test_hello_and_auth_are_acknowledged_with_what_the_peer_needs_to_know() -> None:
    play = RelayPlay(ready="")
    play.join("A")
    play.join("N", nodeId="node_n")
    hello, auth = (wire["payload"] for wire in play.frames("A"))
    assert hello == {"accepted": True, "heartbeatIntervalMs": 8000, "relayVersion": "hooktwin"}
    assert auth == {
        "accepted": True,
        "role": "controller",
        "controllerId": "ctl_a",
        "scopes": ["*"],
        "relayVersion": "hooktwin",
    }
    assert play.last("N")["nodeId"] == "node_n"
    assert "controllerId" not in play.last("N")
    play.say("A", "ping", "p1", ts=1)
    assert play.got("A") == ["pong p1"]


def test_nothing_is_taken_before_hello_and_auth_and_an_early_nonce_is_not_burnt() -> None:
    play = RelayPlay(ready="N")
    play.dial("A")
    play.say("A", "ping", "p0")
    play.say("A", "auth", "a0", accessToken="token-A")
    play.say("A", "hello", "h", role="controller")
    play.say("A", "ping", "p1")
    play.command("A", "k1", wait=0)
    play.say("A", "auth", "a1", accessToken="token-A", wait=0)
    nonce = "nonce-behind"
    play.command("A", "k2", replayNonce=nonce)
    assert play.got("A") == [
        "not_initialized p0",
        "not_initialized a0",
        "hello_ack h",
        "unauthenticated p1",
        "unauthenticated k1",
        "unauthenticated k2",
        "auth_ack a1",
    ]
    play.command("A", "k2", replayNonce=nonce)
    assert play.got("A") == ["routed k2"]


def test_frames_right_behind_the_auth_are_early_on_links_of_usual_latency() -> None:
    play = RelayPlay(ready="N", limits=Limits())
    del play.world.latencies["A", "R"]
    play.dial("A")
    play.run(100)
    play.say("A", "hello", "h", role="controller", wait=0)
    play.say("A", "auth", "a", accessToken="token-A", wait=0)
    play.command("A", "k", wait=500)
    assert play.got("A") == ["hello_ack h", "unauthenticated k", "auth_ack a"]


@pytest.mark.parametrize(
    ("token", "role", "code"),
    [
        ("token-X", "controller", "invalid_access_token"),
        ("token-N", "controller", "role_mismatch"),
        ("token-A", "node", "role_mismatch"),
        ("stale", "controller", "invalid_access_token"),
        ("nameless", "node", "missing_node_id"),
        ("", "controller", "missing_access_token"),
    ],
)
def test_a_bad_token_is_refused_and_the_socket_stays_open_for_a_better_one(
    token: str, role: str, code: str
) -> None:
    tokens = {"stale": Grant("controller", "ctl_a", expires_ms=1), "nameless": Grant("node", "")}
    play = RelayPlay(ready="", tokens=tokens)
    who = "A" if role == "controller" else "N"
    play.dial(who)
    play.say(who, "hello", "h", role=role)
    play.say(who, "auth", "a", accessToken=token)
    play.say(who, "auth", "b", accessToken=f"token-{who}")
    assert play.got(who) == ["hello_ack h", f"{code} a", "auth_ack b"]
    assert play.closed == []


def test_a_second_hello_and_a_strangers_token_leave_a_session_as_it_is() -> None:
    play = RelayPlay()
    play.command("A", "k1")
    play.got("A")
    play.say("A", "hello", "h2", role="controller")
    play.say("A", "auth", "a2", accessToken="token-B")
    play.say("A", "auth", "a3", accessToken="token-A")
    play.result("k1")
    assert play.got("A") == ["invalid_hello h2", "identity_mismatch a2", "auth_ack a3", "result k1"]


def test_hello_and_token_of_a_node_must_agree_about_its_name() -> None:
    play = RelayPlay(ready="A", tokens={"any": Grant("node", "")})
    play.dial("N")
    play.say("N", "hello", "h", role="node", nodeId="node_x")
    play.say("N", "auth", "a", accessToken="token-N")
    play.say("N", "auth", "b", accessToken="any")
    assert play.got("N") == ["hello_ack h", "node_mismatch a", "auth_ack b"]
    play.command("A", "k", node="node_x")
    assert play.got("N") == ["command k"]


def test_a_socket_without_a_token_is_closed_after_10_seconds_and_silence_after_24() -> None:
    play = RelayPlay(ready="")
    play.dial("A")
    opened = play.world.now
    play.say("A", "hello", "h", role="controller")
    play.run(9_980)
    assert play.closed == []
    play.run(20)
    assert play.closed == [("A", 0, 1008)]
    assert play.world.now - opened < 10_050 * MS
    play.join("A")
    play.run(20_000)
    play.say("A", "ping", "p", wait=0)
    sent = play.world.now
    play.run(23_999)
    play.send("A", "{", wait=0)
    play.run(1)
    assert len(play.closed) == 1
    play.run(2)
    assert play.closed[1:] == [("A", 1, 1001)]
    assert play.world.now - sent == 24_002 * MS


def test_a_socket_on_which_nothing_is_ever_said_is_closed_too() -> None:
    play = RelayPlay(ready="")
    play.dial("A")
    play.run(10_000)
    assert play.closed == [("A", 0, 1008)]


def test_every_readable_frame_is_a_sign_of_life_a_refused_one_too_and_none_of_the_relays() -> None:
    play = RelayPlay()
    play.subscribe("A", "s")
    for _ in range(3):
        play.run(20_000)
        play.send("A", play.frame("A", "teleport", "x", {}))
        play.update("s")
        play.say("B", "result", "x", ok=True, durationMs=1, action="a")
    assert play.closed == []
    for _ in range(3):
        play.run(8_000)
        play.update("s")
    assert sorted(play.closed) == [("A", 0, 1001), ("B", 0, 1001)]


def test_nothing_of_a_session_is_accepted_after_its_end() -> None:
    play = RelayPlay()
    play.world.latencies["A", "R"] = (30 * MS, 30 * MS)
    play.join("A")
    play.got("N")
    play.run(23_000 - 10)
    play.command("A", "k", wait=0)
    play.world.hosts["R"].actor._farewell.close(  # type: ignore[union-attr]
        play.relay.board.books.sessions.controllers("ctl_a")[-1], "silence", 1001, ""
    )
    play.run(100)
    assert "command k" not in play.got("N")


def refresh_play() -> RelayPlay:
    makes = {"refresh-A": Grant("controller", "ctl_a", ("command.*",)), "old": Grant(
        "controller", "ctl_a", expires_ms=1)}  # fmt: skip
    return RelayPlay(refresh=makes, ready="ABN")


def test_refresh_gives_a_token_that_is_good_for_the_next_auth_even_after_a_restart() -> None:
    play = refresh_play()
    play.say("A", "refresh", "r1", refreshToken="refresh-A")
    play.say("A", "refresh", "r2", refreshToken="refresh-A")
    first, second = (wire["payload"]["accessToken"] for wire in play.frames("A")[-2:])
    assert first != second
    fault.crash(play.world, "R")
    fault.restart(play.world, "R")
    play.run(10)
    play.join("A", second)
    assert play.last("A")["scopes"] == ["command.*"]
    play.run(900_000)
    play.dial("A")
    play.say("A", "hello", "h", role="controller")
    play.say("A", "auth", "late", accessToken=second)
    assert play.got("A") == ["hello_ack h", "invalid_access_token late"]


def test_a_refresh_token_of_somebody_else_or_none_at_all_helps_nobody() -> None:
    play = refresh_play()
    play.say("B", "refresh", "r1", refreshToken="refresh-A")
    play.say("A", "refresh", "r2", refreshToken="refresh-Z")
    play.say("A", "refresh", "r3", refreshToken="old")
    play.say("A", "refresh", "r4")
    assert play.got("B") == ["invalid_refresh_token r1"]
    assert play.got("A") == [
        "invalid_refresh_token r2",
        "invalid_refresh_token r3",
        "missing_refresh_token r4",
    ]
    play.dial("C")
    play.say("C", "hello", "h", role="controller")
    play.say("C", "refresh", "r", refreshToken="refresh-A")
    assert play.got("C") == ["hello_ack h", "unauthenticated r"]


@pytest.mark.parametrize(
    ("frame", "told"),
    [
        ("{", "invalid_json unknown"),
        ("null", "invalid_envelope unknown"),
        ("7", "invalid_envelope unknown"),
        ("[]", "invalid_envelope unknown"),
        ({"payload": None}, "invalid_envelope x"),
        ({"requestId": ""}, "invalid_envelope unknown"),
        ({"protocolVersion": "2.0"}, "unsupported_version x"),
        ({"messageType": "teleport"}, "unknown_message_type x"),
        ({"senderRole": "node"}, "sender_role_mismatch x"),
        ({"senderRole": "relay"}, "sender_role_mismatch x"),
        ({"timestamp": "yesterday"}, "invalid_timestamp x"),
        ({"protocolVersion": "1.3", "further": 1}, "pong x"),
    ],
)
def test_a_broken_frame_is_told_to_its_sender_and_touches_nobody(frame: Any, told: str) -> None:
    play = RelayPlay()
    play.command("B", "k")
    if isinstance(frame, dict):
        frame = play.frame("A", "ping", "x", {}) | frame
    play.send("A", frame)
    assert play.got("A") == [told]
    play.result("k")
    assert play.got("B") == ["routed k", "result k"]
    assert play.closed == []


@pytest.mark.parametrize("kind", ["ping", "command", "tab_lock", "command_cancel", "hello"])
def test_every_family_is_held_against_the_relays_clock_each_frame_by_itself(kind: str) -> None:
    play = RelayPlay()
    payload = {"targetNodeId": "node_n", "tabSessionId": "T1", "targetRequestId": "z"}
    payload |= {"role": "controller", "action": "command.list", "payload": {}}  # type: ignore[dict-item]
    for number, (off, late) in enumerate(
        [(-60_000, False), (59_000, False), (-50_000, False), (-60_001, True), (60_001, True)]
    ):
        frame = play.frame("A", kind, f"x{number}", payload | {"replayNonce": f"n{number}"})
        # It arrives a millisecond after it was sent.
        frame["timestamp"] = iso_timestamp(play.now_ms() + 1 + off)
        play.send("A", frame)
        assert ("timestamp_out_of_window" in play.got("A")[0]) is late


def test_a_nonce_is_good_once_for_two_windows_over_all_sessions_of_an_identity() -> None:
    play = RelayPlay(ready="ABN")
    frame: dict[str, Any] = {"targetNodeId": "node_n", "action": "command.list", "payload": {}}
    frame |= {"replayNonce": "n"}
    play.say("A", "command", "k1", **frame)
    accepted = play.world.now
    play.say("B", "command", "k2", **frame)
    play.join("A")
    play.say("A", "command", "k3", **frame)
    assert play.got("A") == ["replay_rejected k3"]
    assert play.got("B") == ["routed k2"]
    for end, told in (
        (accepted + 119_000 * MS, "replay_rejected k4"),
        (accepted + 121_000 * MS, "routed k5"),
    ):
        while play.world.now < end:
            play.run(980)
            play.say("A", "ping", "p")
            play.say("N", "ping", "p")
        play.got("A")
        play.say("A", "command", told.split()[1], **frame)
        assert play.got("A") == [told]


def test_a_rate_limit_is_off_unless_set_and_spares_handshake_heartbeat_and_updates() -> None:
    play = RelayPlay(limits=Limits(auth_check_ms=1, frames_per_minute=2))
    for number in range(4):
        play.say("A", "ping", f"p{number}")
        play.say("A", "command_cancel", f"c{number}", targetRequestId="x")
    assert [told for told in play.got("A") if "pong" not in told] == [
        "command_not_found c0",
        "command_not_found c1",
        "rate_limited c2",
        "rate_limited c3",
    ]
    for _ in range(4):
        play.update("x")
    assert play.got("N") == ["listener_not_found x"] * 4
    for _ in range(3):
        play.say("N", "event", "x", type="progress")
        play.say("N", "result", "x", type="listener_update", ok=True, durationMs=1, action="a")
    assert play.got("N") == ["rate_limited x"] * 4


@pytest.mark.parametrize("kind", ["hello_ack", "auth_ack", "refresh_ack", "result", "event"])
def test_families_of_the_other_side_are_refused(kind: str) -> None:
    play = RelayPlay()
    play.say("A", kind, "x")
    assert play.got("A") == ["forbidden_role x"]


def test_a_restarted_relay_knows_nobody_and_peers_begin_anew() -> None:
    play = RelayPlay()
    play.command("A", "k1")
    play.lock("A", "l")
    fault.crash(play.world, "R")
    fault.restart(play.world, "R")
    play.run(10)
    for who in "BN":
        play.join(who)
    play.command("B", "k1")
    play.lock("B", "l")
    assert play.got("B") == ["routed k1", "lock_acquired l"]


def test_skew_of_the_relays_clock_moves_stamps_and_no_span_of_time() -> None:
    play = RelayPlay()
    play.lock("A", "l", 1000)
    play.command("A", "k", timeoutMs=2000)
    fault.skew(play.world, "R", 3_600_000_000)
    play.run(990)
    assert "lock_expired l" in play.got("A")
    play.run(1010)
    assert play.got("A") == ["command_timed_out k"]
    assert play.closed == []
