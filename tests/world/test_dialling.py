"""Connecting, and everything that can come between the request and the acceptance."""

import pytest

from sim.core import op
from sim.core.errors import LocalProtocolError
from sim.core.event import ConnectionClosed, ConnectionOpened, ConnectionRefused
from sim.world import fault
from tests.world.play import Play, Word


def dialling(**scripts):
    """D has just dialled S; gives the list for the outcome."""
    play = Play()
    play.host("S")
    play.host("D", **scripts)
    return play, play.perform("D", op.Dial("S", "a"))


def test_a_dial_takes_a_latency_there_and_one_back():
    play = Play()
    play.steady(10, "D>S")
    play.host("S")
    play.host("D")
    outcome = play.perform("D", op.Dial("S", "a"))
    play.run(19)
    assert outcome == []
    play.run(1)
    assert outcome[0].is_open


def test_the_server_may_write_before_the_client_knows_that_it_is_accepted():
    async def on_open(actor, conn):
        await actor.perform(op.Send(conn, Word("welcome")))

    play = Play()
    play.host("S", on_open=on_open)
    play.host("D")
    play.perform("D", op.Dial("S", "a"))
    play.run()
    assert play.heard("D") == ["welcome"]


def test_a_dial_to_a_host_that_is_down_is_refused():
    play = Play()
    play.host("S", up=False)
    play.host("D")
    outcome = play.perform("D", op.Dial("S", "a"))
    play.run()
    assert outcome == [None]
    assert [e.server for e in play.events(ConnectionRefused)] == ["S"]
    assert play.world.links == {}


def test_a_dial_to_nobody_is_a_mistake_of_the_dialler():
    play = Play()
    play.host("D")
    with pytest.raises(LocalProtocolError, match="D dials 'nobody', which is no host"):
        play.perform("D", op.Dial("nobody", "a"))


def test_a_fin_before_the_server_has_heard_of_it_refuses_the_dial():
    play, outcome = dialling()
    play.cut("D.a#1", "fin")
    assert outcome == [None]
    assert len(play.events(ConnectionRefused)) == 1
    play.run()
    assert play.events(ConnectionOpened) == []
    assert play.world.links == {}


def test_a_reset_before_the_server_has_heard_of_it_refuses_the_dial():
    play, outcome = dialling()
    play.cut("D.a#1", "rst")
    play.run()
    assert outcome == [None]
    assert play.world.links == {}


def test_a_fin_behind_the_acceptance_opens_and_closes_the_client():
    play, outcome = dialling()
    play.take("dial D.a#1")
    play.cut("D.a#1", "fin")
    play.run()
    assert len(outcome) == 1
    assert not outcome[0].is_open
    assert sorted(e.host for e in play.events(ConnectionClosed)) == ["D", "S"]
    assert play.world.links == {}


def test_a_reset_behind_the_acceptance_fails_the_dial_and_closes_the_server():
    play, outcome = dialling()
    play.take("dial D.a#1")
    play.cut("D.a#1", "rst")
    assert outcome == [None]
    play.run()
    assert [e.host for e in play.events(ConnectionClosed)] == ["S"]
    assert play.world.links == {}


def test_a_half_open_wire_keeps_the_dialler_waiting_until_it_heals():
    play, outcome = dialling()
    play.cut("D.a#1", "silent")
    play.run(5_000)
    assert outcome == []
    play.heal("D.a#1")
    play.run()
    assert outcome[0].is_open


def test_a_dialler_gives_up_after_its_time_out_and_the_late_acceptance_is_taken_back():
    play, outcome = dialling()
    play.take("dial D.a#1")
    play.cut("D.a#1", "silent")
    play.run()
    assert outcome == [None]
    assert play.world.now == 15_000_000
    play.heal("D.a#1")
    play.run()
    assert [(e.host, e.reason) for e in play.events(ConnectionClosed)] == [("S", "client is gone")]
    assert play.world.links == {}


def test_a_client_that_crashes_while_dialling_is_announced_and_taken_back():
    play, outcome = dialling()
    play.crash("D")
    play.run()
    assert outcome == []
    assert [(e.host, e.code, e.reason) for e in play.events(ConnectionClosed)] == [
        ("S", 1006, "client is gone")
    ]
    assert play.world.links == {}


def test_an_acceptance_does_not_open_a_connection_for_the_next_life_of_its_client():
    play, outcome = dialling()
    play.take("dial D.a#1")
    play.crash("D")
    play.restart("D")
    play.run()
    assert outcome == []
    assert not list(play.world.links_of("D"))
    assert [e.host for e in play.events(ConnectionClosed)] == ["S"]


def test_a_server_that_crashes_behind_its_acceptance_closes_the_new_client():
    play, outcome = dialling()
    play.take("dial D.a#1")
    play.crash("S")
    play.run()
    assert not outcome[0].is_open
    assert [(e.host, e.reason) for e in play.events(ConnectionClosed)] == [("D", "peer died")]
    assert play.world.links == {}


def test_a_sleeping_server_accepts_when_it_wakes():
    play = Play()
    play.steady(10, "D>S")
    play.host("S")
    play.host("D")
    play.sleep("S", 500)
    outcome = play.perform("D", op.Dial("S", "a"))
    play.run(509)
    assert outcome == []
    play.run(1)
    assert outcome[0].is_open


def test_a_sleeping_client_learns_of_its_acceptance_when_it_wakes():
    play, outcome = dialling()
    fault.sleep(play.world, "D", 3_000_000)
    play.run(2_999)
    assert outcome == []
    play.run(1)
    assert outcome[0].is_open


def test_the_steps_of_a_dial_have_names():
    play, _ = dialling()
    assert play.names() == ["dial D.a#1", "give up D.a#1"]
    play.take("dial D.a#1")
    assert play.names() == ["accept D.a#1", "give up D.a#1"]
