"""Desktop twin: dialling, hello and welcome, heartbeat, standby, re-hello."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from sim.core.event import Noted
from sim.protocols.hook import (
    Message,
    Ping,
    QueryRequest,
    TaskSource,
    Welcome,
)
from sim.protocols.hook.acts import ChangeFeature, ChangeWorkspaces, Login
from sim.protocols.hook.desktop import DesktopSettings
from sim.world.fault import cut
from tests.protocols.hook.desktop_play import Play, dispatched


class Unspeakable:
    """A puppet's frame that has no JSON form."""

    type = "ping"

    @property
    def wire(self) -> Any:
        raise ValueError("no JSON")


def test_hello_is_the_first_frame_and_chat_the_first_alias() -> None:
    play = Play(workspaces=("web", "chat", "docs"))
    assert play.types() == ["hello"]
    hello = play.last("hello")
    assert hello.workspaces == ("chat", "web", "docs")
    assert hello.features == ("multi-team", "session-picker-v1")
    assert "turn-reopen-v1" not in hello.features
    assert hello.lifecycle_announcement is False


def test_each_lane_has_its_own_socket_and_its_own_hello() -> None:
    play = Play(lanes=("slack", "telegram", "x"), default_workspace="web")
    assert [conn.lane for conn in play.sockets] == ["slack", "telegram", "x"] or len(
        play.sockets
    ) == 3
    hellos = play.frames("hello")
    assert len(hellos) == 3
    assert {h.device_id for h in hellos} == {"d-1"}
    telegram = next(h for h in hellos if "provider:telegram" in h.features)
    assert telegram.default_workspace == "web"


def test_an_x_lane_does_not_declare_provider_x() -> None:
    play = Play(lanes=("x",))
    assert "provider:x" not in play.last("hello").features


def test_a_neutral_lane_without_its_features_refuses_until_a_capable_welcome() -> None:
    play = Play(lanes=("telegram",), features=("provider-bind-v1",))
    source = TaskSource(im="telegram")
    play.dispatch("R1", source=source)
    assert play.last("task.ack").reason == "invalid"
    needs = ("provider-bind-v1", "provider-prefs-v1", "session-picker-v1", "provider:telegram")
    play.say(Welcome(server_name="S", features=needs))
    play.dispatch("R1", source=source)
    assert play.last("task.ack").result == "accepted"


def test_a_dispatch_before_welcome_is_rejected_but_not_for_good() -> None:
    play = Play(welcomes=False)
    play.dispatch("R1")
    assert (play.last("task.ack").result, play.last("task.ack").reason) == ("rejected", "invalid")
    play.say(Welcome(server_name="S", features=()))
    play.dispatch("R1")
    assert play.last("task.ack").result == "accepted"


def test_a_query_before_welcome_is_answered_with_not_ok() -> None:
    play = Play(welcomes=False)
    play.say(QueryRequest(query_id="q1", kind="workspaces"))
    answer = play.last("query.response")
    assert (answer.query_id, answer.ok) == ("q1", False)
    assert answer.error


@pytest.mark.parametrize("kind", ["workspaces", "models", "sessions"])
def test_a_query_after_welcome_is_answered_with_the_present_list(kind: str) -> None:
    play = Play()
    play.dispatch("R1")
    play.say(QueryRequest(query_id="q1", kind=kind))
    answer = play.last("query.response")
    assert answer.ok
    assert answer.kind == kind
    assert getattr(answer, {"models": "agents"}.get(kind, kind))


def test_a_ping_is_answered_before_welcome_too() -> None:
    play = Play(welcomes=False)
    play.say(Ping())
    assert play.types() == ["hello", "pong"]


def test_without_the_pong_rule_a_ping_stays_unanswered() -> None:
    play = Play(rules_off=("pong",))
    play.say(Ping())
    assert "pong" not in play.types()


def test_the_desktop_pings_every_25_seconds_and_gives_up_after_65_silent_ones() -> None:
    play = Play()
    play.pass_time(50)
    assert play.types().count("ping") == 2
    play.pass_time(20)
    assert play.closed == []
    play.pass_time(10)
    assert play.closed[0][1] == 1006
    play.pass_time(5)
    assert len(play.sockets) == 2


def test_any_frame_from_the_server_counts_as_life() -> None:
    play = Play()
    for _ in range(6):
        play.pass_time(30)
        play.say(Message("noise", "n", 1, Ping(), {"v": 1, "type": "noise"}))
    assert len(play.sockets) == 1


def test_bad_and_unknown_frames_are_noted_and_dropped_and_the_socket_stays() -> None:
    play = Play()
    bad = [
        {"v": 2, "type": "ping", "id": "1", "ts": 1, "payload": {}},
        {"v": 1, "type": "msg.op", "id": "1", "ts": 1, "payload": {}},
        {"v": 1, "type": "task.dispatch", "id": "1", "ts": 1, "payload": {"requestId": ""}},
    ]
    for wire in bad:
        play.say(Message("ping", "1", 1, None, wire))
    play.say(Unspeakable())
    notes = [e for e in play.world.events if isinstance(e, Noted) and e.what == "bad-frame"]
    assert len(notes) == 4
    assert play.types() == ["hello"]
    play.dispatch("R1")
    assert play.last("task.ack").result == "accepted"


def test_retries_grow_up_to_30_seconds_and_start_anew_after_a_welcome() -> None:
    play = Play()
    play.go_offline()
    delays = []
    dials = 1
    for _ in range(200):
        play.pass_time(1)
        now = sum(1 for e in play.world.events if type(e).__name__ == "ConnectionRefused")
        if now >= dials:
            delays.append(play.world.now / 1e6)
            dials = now + 1
    gaps = [b - a for a, b in itertools.pairwise(delays)]
    assert gaps[0] <= 3
    assert max(gaps) <= 31
    assert min(gaps[5:]) >= 20
    play.come_back(40)
    assert play.desktop().lanes["slack"].attempt == 0


def test_close_4000_with_the_exact_reason_means_standby() -> None:
    play = Play()
    play.close(4000, "device already connected")
    play.pass_time(29)
    assert len(play.sockets) == 1
    play.pass_time(2)
    assert len(play.sockets) == 2


def test_another_4000_is_an_ordinary_close() -> None:
    play = Play()
    play.close(4000, "Device already connected")
    play.pass_time(2)
    assert len(play.sockets) == 2


def test_a_welcome_that_never_comes_is_waited_for() -> None:
    play = Play(welcomes=False)
    for _ in range(20):
        play.pass_time(30)
        play.say(Ping())
    assert len(play.sockets) == 1


def test_hello_is_said_again_on_the_same_socket_when_the_folders_change() -> None:
    play = Play()
    play.do(ChangeWorkspaces(("docs",)))
    assert len(play.sockets) == 1
    assert play.last("hello").workspaces == ("chat", "docs")
    play.restart_desktop()
    assert play.last("hello").workspaces == ("chat", "docs")


def test_a_feature_that_changes_is_declared_from_the_next_hello_on() -> None:
    play = Play()
    play.do(ChangeFeature("turn-delivery-v1", True))
    play.do(ChangeFeature("multi-team", False))
    assert len(play.frames("hello")) == 1
    play.restart_desktop()
    assert play.last("hello").features == ("session-picker-v1", "turn-delivery-v1")


def test_a_default_whose_folder_is_gone_is_left_out() -> None:
    needs = ("provider-bind-v1", "provider-prefs-v1", "session-picker-v1", "provider:x")
    play = Play(lanes=("x",), features=needs, default_workspace="web")
    play.do(ChangeWorkspaces(("docs",), default="web"))
    assert not play.last("hello").default_workspace


def test_a_late_ack_goes_out_on_the_new_socket_before_its_welcome() -> None:
    play = Play(settings=DesktopSettings(locate_us=5_000_000))
    play.dispatch("R1")
    play.welcomes = False
    play.close()
    play.pass_time(8)
    assert len(play.sockets) == 2
    names = [name for name, body in play.received if body.TYPE == "task.ack"]
    assert names == ["D.slack#2"]


def test_a_login_rebuilds_the_sockets_with_another_token() -> None:
    play = Play(account="alice")
    assert play.conn.info == {"authorization": "Bearer alice"}
    play.do(Login("bob"), 3)
    assert play.conn.info == {"authorization": "Bearer bob"}
    assert len(play.sockets) == 2
    play.restart_desktop()
    assert play.conn.info == {"authorization": "Bearer bob"}


def test_a_login_in_mid_dial_leaves_one_socket_only() -> None:
    play = Play(account="alice", start=False)
    play.world.boot("S")
    play.world.boot("D")
    play.driver.drain()
    play.do(Login("bob"), 3)
    opened = [conn for conn in play.sockets if conn.is_open]
    assert [conn.info["authorization"] for conn in opened] == ["Bearer bob"]


def test_a_cut_while_dialling_is_retried() -> None:
    play = Play(start=False)
    play.world.boot("S")
    play.world.boot("D")
    play.driver.drain()
    cut(play.world, next(iter(play.world.links.values())), "rst")
    play.pass_time(4)
    assert "hello" in play.types()


def test_frames_of_a_lane_that_is_not_dialled_do_not_exist() -> None:
    play = Play()
    play.say(dispatched("R1", source=TaskSource(im="telegram")))
    assert play.last("task.ack").reason == "invalid"
