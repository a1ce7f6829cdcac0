"""Cuts of three kinds, and wires that hold what is sent."""

import pytest

from sim.core import op
from sim.core.event import ConnectionClosed, FaultInjected, FrameLost
from sim.world import fault
from tests.world.play import Word, pair


def closes(play):
    return [(e.host, e.code, e.reason, e.by) for e in play.events(ConnectionClosed)]


def test_a_fin_delivers_what_was_sent_and_closes_both_ends():
    play, end = pair()
    play.say(end, "a", "b")
    play.cut("D.a#1", "fin")
    play.run()
    assert play.heard("S") == ["a", "b"]
    assert sorted(closes(play)) == [("D", 1006, "fin", "network"), ("S", 1006, "fin", "network")]
    assert play.world.links == {}


def test_a_reset_loses_what_was_sent_and_closes_both_ends():
    play, end = pair()
    play.say(end, "a", "b")
    play.say(end.other, "c")
    play.cut("D.a#1", "rst")
    play.run()
    assert [(e.type, e.why) for e in play.events(FrameLost)] == [
        ("a", "reset"),
        ("b", "reset"),
        ("c", "reset"),
    ]
    assert sorted(closes(play)) == [("D", 1006, "rst", "network"), ("S", 1006, "rst", "network")]


def test_a_reset_behind_a_fin_still_tells_both_ends():
    play, end = pair()
    play.say(end, "a")
    play.cut("D.a#1", "fin")
    play.cut("D.a#1", "rst")
    play.run()
    assert play.heard("S") == []
    assert sorted(host for host, *_ in closes(play)) == ["D", "S"]
    assert play.world.links == {}


def test_a_second_fin_changes_nothing():
    play, _end = pair()
    play.cut("D.a#1", "fin")
    play.cut("D.a#1", "fin")
    play.run()
    assert sorted(host for host, *_ in closes(play)) == ["D", "S"]


def test_a_write_behind_a_cut_succeeds_locally_and_is_lost():
    play, end = pair()
    play.cut("D.a#1", "fin")
    play.say(end, "into the void")
    assert [(e.type, e.why) for e in play.events(FrameLost)] == [("into the void", "cut")]
    play.run()
    assert play.heard("S") == []


def test_an_end_that_closes_behind_a_cut_sends_no_second_news():
    play, end = pair()
    play.cut("D.a#1", "fin")
    play.perform("D", op.Close(end))
    play.run()
    assert closes(play) == [("D", 1000, "", "D"), ("S", 1006, "fin", "network")]
    assert play.world.links == {}


def test_a_silent_cut_tells_nobody_and_nothing_arrives():
    play, end = pair()
    play.say(end, "before")
    play.cut("D.a#1", "silent")
    play.say(end, "after")
    play.run()
    assert play.heard("S") == []
    assert closes(play) == []
    assert end.is_open
    assert end.other.is_open


def test_healing_sends_again_in_order_what_was_swallowed():
    play, end = pair()
    play.say(end, "one", "two")
    play.cut("D.a#1", "silent")
    play.say(end, "three")
    play.run()
    play.heal("D.a#1")
    play.say(end, "four")
    play.run()
    assert play.heard("S") == ["one", "two", "three", "four"]
    assert not end.link.silent


@pytest.mark.parametrize("how", ["fin", "rst"])
def test_a_half_open_link_can_still_be_cut_for_good(how):
    play, end = pair()
    play.cut("D.a#1", "silent")
    play.say(end, "swallowed")
    play.cut("D.a#1", how)
    play.run()
    assert play.heard("S") == (["swallowed"] if how == "fin" else [])
    assert sorted(host for host, *_ in closes(play)) == ["D", "S"]


def test_a_close_on_a_half_open_link_arrives_when_it_heals():
    play, end = pair()
    play.cut("D.a#1", "silent")
    play.perform("D", op.Close(end, 4000))
    play.run()
    assert end.other.is_open
    play.heal("D.a#1")
    play.run()
    assert ("S", 4000, "", "D") in closes(play)


def test_holding_one_direction_leaves_the_other_alone():
    play, end = pair()
    fault.hold(play.world, end)
    play.say(end, "held")
    play.say(end.other, "free")
    play.run()
    assert (play.heard("S"), play.heard("D")) == ([], ["free"])
    fault.release(play.world, end)
    play.run()
    assert play.heard("S") == ["held"]


def test_holding_and_releasing_twice_are_as_good_as_once():
    play, end = pair()
    play.say(end, "a")
    fault.hold(play.world, end)
    fault.hold(play.world, end)
    fault.release(play.world, end)
    fault.release(play.world, end)
    play.run()
    assert play.heard("S") == ["a"]


def test_held_frames_keep_no_run_from_being_settled():
    play, end = pair()
    play.say(end, "a")
    assert not play.world.settled()
    fault.hold(play.world, end)
    assert play.world.settled()
    fault.release(play.world, end)
    assert not play.world.settled()


def test_a_lost_frame_never_arrives_and_those_behind_it_do():
    play, end = pair()
    play.say(end, "a", "b", "c")
    fault.lose(play.world, play.frame(end, "b"))
    play.run()
    assert play.heard("S") == ["a", "c"]
    assert [(e.type, e.why) for e in play.events(FrameLost)] == [("b", "lost")]


def test_the_head_of_a_queue_may_be_lost_too():
    play, end = pair()
    play.say(end, "a", "b")
    fault.lose(play.world, play.frame(end, "a"))
    play.run()
    assert play.heard("S") == ["b"]


def test_a_duplicate_arrives_behind_what_was_sent_before_it():
    play, end = pair()
    play.say(end, "a", "b")
    fault.duplicate(play.world, play.frame(end, "a"))
    assert "deliver D.a#1 D>S 1 again" in [f.name() for f in end.flight]
    play.run()
    assert play.heard("S") == ["a", "b", "a"]


def test_a_late_duplicate_arrives_later_even_behind_younger_frames():
    play, end = pair()
    play.say(end, "a")
    fault.duplicate(play.world, play.frame(end, "a"), after_us=1_000_000)
    play.run(500)
    play.say(end, "b")
    play.run()
    assert play.heard("S") == ["a", "b", "a"]


def test_a_late_duplicate_does_not_cross_a_cut():
    play, end = pair()
    play.say(end, "a")
    fault.duplicate(play.world, play.frame(end, "a"), after_us=1_000_000)
    play.cut("D.a#1", "fin")
    play.run()
    assert play.heard("S") == ["a"]


def test_a_delayed_frame_holds_up_those_behind_it_and_not_those_before():
    play, end = pair()
    play.say(end, "a", "b", "c")
    due = play.frame(end, "b").due
    fault.delay(play.world, play.frame(end, "b"), 1_000_000)
    play.run(500)
    assert play.heard("S") == ["a"]
    play.say(end, "d")
    play.run()
    assert play.heard("S") == ["a", "b", "c", "d"]
    assert play.world.now >= due + 1_000_000


def test_a_frame_may_be_delayed_while_it_is_held():
    play, end = pair()
    play.say(end, "a")
    fault.hold(play.world, end)
    fault.delay(play.world, play.frame(end, "a"), 1_000_000)
    assert play.names() == []
    fault.release(play.world, end)
    play.run(500)
    assert play.heard("S") == []
    play.run()
    assert play.heard("S") == ["a"]


def test_faults_leave_the_name_that_a_schedule_stores():
    play, end = pair()
    play.say(end, "a", "b", "c")
    fault.lose(play.world, play.frame(end, "a"))
    fault.duplicate(play.world, play.frame(end, "b"))
    fault.delay(play.world, play.frame(end, "c"), 5)
    fault.hold(play.world, end)
    fault.release(play.world, end)
    fault.skew(play.world, "D", -7)
    play.sleep("D", 1)
    play.cut("D.a#1", "silent")
    play.heal("D.a#1")
    play.cut("D.a#1")
    play.crash("D")
    play.restart("D")
    assert [e.fault for e in play.events(FaultInjected)] == [
        "lose D.a#1 D>S 1",
        "duplicate D.a#1 D>S 2",
        "delay D.a#1 D>S 3 5us",
        "hold D.a#1 D>S",
        "release D.a#1 D>S",
        "skew D -7us",
        "sleep D 1000us",
        "cut D.a#1 silent",
        "heal D.a#1",
        "cut D.a#1 fin",
        "crash D",
        "restart D",
    ]


def test_a_reconnect_meets_no_frame_of_the_generation_before():
    play, old = pair()
    play.say(old, "old")
    play.cut("D.a#1", "silent")
    new = play.connect("D", "S")
    play.say(new, "new")
    play.run()
    play.heal("D.a#1")
    play.run()
    links = [(e.link, e.type) for e in play.events() if type(e).__name__ == "FrameDelivered"]
    assert links == [("D.a#2", "new"), ("D.a#1", "old")]
    assert Word("old").wire == {"type": "old"}
