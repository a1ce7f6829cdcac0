"""Every row of the tables of nodes and controllers is taken by something that can happen."""

from __future__ import annotations

import pytest

from sim.protocols.relay import make_auth_ack, make_hello_ack
from sim.protocols.relay.acts import Connect, Disconnect, HangNext, SignIn, SlowDown
from sim.protocols.relay.machine_peer import CONNECTION, JOB
from sim.world import fault
from tests.protocols.relay.peer_play import NodePlay

MAIL = "https://mail.example/inbox"
INBOX = {"site": "mail.example", "command": "getInbox"}
TABS = (("t1", "https://example.com/", ""), ("t2", "https://mail.example/login", ""))


def in_order() -> None:
    """Run, wait in a tab, answer."""
    play = NodePlay(tabs=TABS)
    play.run("x", "wait", {"ms": 3_000}, tab="t1", key="k", ms=100)
    play.hang_up(1_500)
    play.run("y", "noop", tab="t1", ms=10)
    play.run("gone", "noop", tab="t1", ms=10)
    play.run("copy", "wait", {"ms": 3_000}, tab="t1", key="k", ms=10)
    play.run("late", "wait", {"ms": 3_000}, tab="t1", key="k", ms=10)
    play.cancel("gone")
    play.cancel("late")
    play.wait(3_000)
    play.run("again", "wait", {"ms": 3_000}, tab="t1", key="k", ms=100)
    assert [play.code(one) for one in ("y", "copy", "again")] == ["", "", ""]


def given_up() -> None:
    """Everything that can wait when a socket is lost."""
    play = NodePlay(tabs=TABS)
    play.run("long", "wait", {"ms": 3_000}, tab="t1", ms=100)
    play.hang_up(1_500)
    play.run("queued", "noop", tab="t1", ms=10)
    play.command("asked", "command.run", INBOX, tab="t2", ms=100)
    play.do(HangNext())
    play.run("hung", "noop", key="k", ms=100)
    play.run("copy", "noop", key="k", ms=10)
    play.hang_up(3_000)
    assert play.peer.jobs == {}


def nobody_there() -> None:
    """A person is asked for after the socket is gone; another one signs in; one is cancelled."""
    play = NodePlay(tabs=TABS)
    play.do(SlowDown(500))
    play.command("asked", "command.run", INBOX, tab="t2", ms=100)
    play.hang_up(3_000)
    play.command("x", "command.run", INBOX, tab="t2", ms=1_000)
    play.cancel("x")
    play.command("y", "command.run", INBOX, tab="t2", ms=1_000)
    play.do(SignIn("mail.example"), 1_000)
    play.do(HangNext())
    play.run("z", "noop", ms=100)
    play.cancel("z")
    assert [play.code(one) for one in "xyz"] == ["command_cancelled", "", "command_cancelled"]


def test_every_row_of_a_job_can_be_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    used: dict[tuple[str, str], None] = {}
    monkeypatch.setattr(JOB, "used", used)
    in_order()
    given_up()
    nobody_there()
    assert set(used) == set(JOB.rows())


def test_every_row_of_a_connection_can_be_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    used: dict[tuple[str, str], None] = {}
    monkeypatch.setattr(CONNECTION, "used", used)
    whole = NodePlay()
    whole.say(make_hello_ack(accepted=True, heartbeatIntervalMs=8000))
    whole.say(make_auth_ack(accepted=True, scopes=[], **whole.identity))
    whole.hang_up(2_000)
    whole.do(Disconnect())
    whole.do(Disconnect())
    whole.world.act("P", Connect())
    whole.do(Disconnect(), 0)
    fault.crash(whole.world, "R")
    whole.do(Connect(), 1_000)
    half = NodePlay(greets=False)
    half.hang_up(2_000)
    for _ in range(2):
        half.say(make_hello_ack(accepted=True, heartbeatIntervalMs=8000))
    half.hang_up(3_000)
    half.do(Disconnect(), 1_000)
    half.do(Connect(), 1_000)
    half.say(make_hello_ack(accepted=True, heartbeatIntervalMs=8000))
    half.do(Disconnect(), 1_000)
    assert set(used) == set(CONNECTION.rows())
