"""What dies in a crash, what survives it, and what a handler may not do then."""

import pytest

from sim.core import op
from sim.core.errors import LocalProtocolError, SimInternalError
from sim.core.event import ConnectionClosed, FrameLost, HostCrashed, HostStarted
from tests.world.play import SECOND, Play, pair


def test_saved_rows_survive_a_crash_and_the_actors_fields_do_not():
    actors = []

    async def on_start(actor):
        actors.append((actor, actor.port.store.get("k"), actor.port.epoch))

    play = Play()
    play.host("D", on_start=on_start)
    play.perform("D", op.Save("k", "v"))
    play.crash("D")
    play.restart("D")
    (first, before, one), (second, after, two) = actors
    assert first is not second
    assert (before, after, one, two) == (None, "v", 1, 2)


def test_an_erased_row_stays_erased_after_a_crash():
    play = Play()
    play.host("D")
    play.perform("D", op.Save("k", "v"))
    play.perform("D", op.Erase("k"))
    play.crash("D")
    play.restart("D")
    assert play.world.hosts["D"].store.get("k") is None


def test_a_handler_that_waits_is_dropped_and_never_goes_on():
    play = Play()
    play.host("D")
    reached = []

    async def work(actor):
        try:
            await actor.perform(op.Sleep(SECOND))
            reached.append("after the gap")
        finally:
            reached.append("dropped")

    play.tell("D", work)
    play.crash("D")
    play.restart("D")
    play.run()
    assert reached == ["dropped"]


def test_a_handler_that_has_not_begun_is_dropped_too():
    play = Play()
    play.host("D")
    begun = []

    async def on_act(actor, act):
        begun.append(act)

    play.world.hosts["D"].actor.scripts["on_act"] = on_act
    play.world.act("D", "jump")
    play.crash("D")
    assert not play.world.ready
    play.run()
    assert begun == []


def test_a_finally_that_awaits_is_the_actors_mistake():
    play = Play()
    play.host("D")

    async def work(actor):
        try:
            await actor.perform(op.Sleep(SECOND))
        finally:
            await actor.perform(op.Erase("k"))

    play.tell("D", work)
    with pytest.raises(LocalProtocolError, match="D/told awaits while it is being dropped"):
        play.crash("D")


def test_the_driver_hears_of_each_dropped_activity():
    play = Play()
    play.host("D")
    dropped = []
    play.world.on_drop = lambda activity: dropped.append(repr(activity))
    play.perform("D", op.Sleep(SECOND))
    play.crash("D")
    assert dropped == ["<D/told>"]


def test_peers_learn_of_a_crash_behind_the_frames_that_were_already_sent():
    play, end = pair()
    play.say(end, "last")
    play.crash("D")
    play.run()
    assert play.heard("S") == ["last"]
    assert [(e.host, e.code, e.reason, e.by) for e in play.events(ConnectionClosed)] == [
        ("S", 1006, "peer died", "D")
    ]
    assert play.world.links == {}


def test_frames_to_a_crashed_host_are_lost_even_when_it_is_back():
    play, end = pair()
    play.say(end.other, "to the dead")
    play.crash("D")
    play.restart("D")
    play.run()
    assert play.heard("D") == []
    assert [e.why for e in play.events(FrameLost)] == ["closed"]
    assert play.world.links == {}


def test_a_crash_behind_a_cut_adds_no_second_close():
    play, _end = pair()
    play.cut("D.a#1", "fin")
    play.crash("D")
    play.run()
    assert [(e.host, e.reason) for e in play.events(ConnectionClosed)] == [("S", "fin")]


def test_a_crash_of_a_host_that_is_down_is_nothing():
    play = Play()
    play.host("D", up=False)
    play.crash("D")
    assert play.events() == []


def test_a_restart_of_a_host_that_is_up_is_nothing():
    play = Play()
    play.host("D")
    play.restart("D")
    assert [type(e) for e in play.events()] == [HostStarted]


def test_a_host_that_is_up_cannot_be_booted_again():
    play = Play()
    play.host("D")
    with pytest.raises(SimInternalError, match="'D' is up already"):
        play.world.boot("D")


def test_two_hosts_cannot_have_the_same_name():
    play = Play()
    play.host("D")
    with pytest.raises(SimInternalError, match="two hosts named 'D'"):
        play.host("D")


def test_ids_are_not_repeated_by_the_next_life():
    play = Play()
    host = play.host("D")
    before = {host.new_id(), host.new_frame_id()}
    play.crash("D")
    play.restart("D")
    assert before.isdisjoint({host.new_id(), host.new_frame_id()})


def test_epochs_count_the_lives_of_a_host():
    play = Play()
    host = play.host("D", up=False)
    assert host.epoch == 0
    play.world.boot("D")
    play.crash("D")
    play.restart("D")
    assert [e.epoch for e in play.events(HostStarted, HostCrashed)] == [1, 1, 2]


def test_directing_a_host_that_is_down_leaves_a_trace_and_does_nothing():
    play = Play()
    play.host("D", up=False)
    play.world.act("D", "jump")
    assert [type(e).__name__ for e in play.events()] == ["Acted"]
    assert not play.world.ready


def test_a_value_for_a_handler_of_a_former_life_is_dropped():
    play = Play()
    play.host("D")
    activity = play.world.start(play.world.hosts["D"], _nothing(), "old", -1)
    play.crash("D")
    play.restart("D")
    play.world.resume(activity, 1)
    assert not play.world.ready
    assert play.world.advance(activity, 1) is False


async def _nothing():
    return None


def test_frames_closes_and_timers_find_nobody_where_a_host_has_no_actor():
    play, end = pair()
    play.world.hosts["S"].actor = None
    play.say(end, "hello")
    play.perform("D", op.Close(end))
    other = play.perform("D", op.Dial("S", "b"))
    play.run()
    assert other[0].is_open
    play.world.tell_timer(play.world.hosts["S"], "t", "", 0)
    play.world.act("S", "x")
    assert not play.world.ready


def test_a_world_that_is_closed_drops_its_unfinished_handlers():
    play = Play()
    play.host("D")
    ended = []

    async def work(actor):
        try:
            await actor.perform(op.Sleep(SECOND))
        finally:
            ended.append(True)

    play.tell("D", work)
    play.world.close()
    assert ended == [True]
    assert play.world.enabled() == []


def test_a_machine_knows_which_lives_of_its_processes_go_on():
    play = Play()
    play.host("D")
    play.host("P")

    def lives(host, epoch):
        return play.perform("D", op.Lives(host, epoch))[0]

    assert [lives("P", 1), lives("P", 2), lives("nobody", 1)] == [True, False, False]
    play.sleep("P", 1_000)
    assert lives("P", 1)
    play.crash("P")
    assert not lives("P", 1)
    assert not lives("P", 0)
    play.restart("P")
    assert [lives("P", 1), lives("P", 2), lives("P", 0)] == [False, True, True]
