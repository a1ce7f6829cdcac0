"""Dials that a server answers with an HTTP status instead of a connection."""

import pytest

from sim.core import op
from sim.core.actor import Actor
from sim.core.event import ConnectionOpened, ConnectionRefused, FaultInjected
from sim.core.op import UpgradeRefused
from sim.core.trace import digest_of
from sim.world import fault
from sim.world.fault_choice import strike
from tests.world.play import Play


class Doorkeeper(Actor):
    def refusal_of(self, conn):
        return 0 if conn.info == "open sesame" else 401


def pair(**scripts):
    play = Play()
    play.host("S")
    play.host("D", **scripts)
    return play


def dialled(play, *dials):
    outcome = []
    for dial in dials:
        result = play.perform("D", dial)
        play.run()
        outcome += [r if isinstance(r, UpgradeRefused) or r is None else r.name for r in result]
    return outcome


def test_a_server_refuses_whom_it_does_not_like():
    play = Play()
    play.world.add_host("S", "node", Doorkeeper)
    play.world.boot("S")
    play.host("D")
    wrong, right = op.Dial("S", "a", "let me in"), op.Dial("S", "a", "open sesame")
    assert dialled(play, wrong, right) == [UpgradeRefused(401), "D.a#2"]
    assert [(e.link, e.server, e.status) for e in play.events(ConnectionRefused)] == [
        ("D.a#1", "S", 401)
    ]
    assert [e.link for e in play.events(ConnectionOpened)] == ["D.a#2"]
    assert list(play.world.links) == ["D.a#2"]


def test_a_fault_refuses_the_next_dials_of_one_lane():
    play = pair()
    fault.refuse(play.world, "D", "a", 503, 2)
    fault.refuse(play.world, "D", "a", 401)
    dials = [op.Dial("S", lane) for lane in "abaaa"]
    assert dialled(play, *dials) == [
        UpgradeRefused(503), "D.b#1", UpgradeRefused(503), UpgradeRefused(401), "D.a#4",
    ]  # fmt: skip
    assert play.world.refusals == {}


def test_a_server_that_is_down_answers_with_no_status():
    play = pair()
    fault.refuse(play.world, "D", "a", 503)
    fault.crash(play.world, "S")
    assert dialled(play, op.Dial("S", "a")) == [None]
    assert [e.status for e in play.events(ConnectionRefused)] == [0]
    fault.restart(play.world, "S")
    assert dialled(play, op.Dial("S", "a")) == [UpgradeRefused(503)]


def test_refusals_are_faults_with_names_that_give_the_same_trace():
    def run(*names):
        play = pair()
        assert [strike(play.world, name) for name in names] == [True] * len(names)
        dialled(play, *[op.Dial("S", "a")] * 4)
        return play

    first = run("refuse D.a 401", "refuse D.a 503 2x")
    faults = first.events(FaultInjected)
    assert [(e.fault, e.target) for e in faults] == [
        ("refuse D.a 401", "D"),
        ("refuse D.a 503 2x", "D"),
    ]
    assert digest_of(run(*[e.fault for e in faults]).world.events) == digest_of(first.world.events)


@pytest.mark.parametrize(
    "name",
    [
        "refuse", "refuse D.a", "refuse D 503", "refuse D. 503", "refuse X.a 503",
        "refuse D.a 399", "refuse D.a 600", "refuse D.a many", "refuse D.a 503 0x",
        "refuse D.a 503 1000x", "refuse D.a 503 2x 3x", "refuse D.a 503 -1x",
    ],
)  # fmt: skip
def test_a_refusal_that_makes_no_sense_strikes_nothing(name):
    play = pair()
    before = len(play.world.events)
    assert strike(play.world, name) is False
    assert (len(play.world.events), play.world.refusals) == (before, {})


@pytest.mark.parametrize("name", ["refuse D.a 400", "refuse D.a 599", "refuse D.a 503 999x"])
def test_any_status_of_an_error_is_a_refusal(name):
    assert strike(pair().world, name) is True
