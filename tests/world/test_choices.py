"""Choices: canonical order, names, stale ones, and what preemption adds."""

import pytest

from sim.core import op
from sim.core.errors import SimInternalError
from sim.world.item import Item
from tests.world.play import SECOND, Play, Puppet, pair


class OneAtATime(Puppet):
    ONE_AT_A_TIME = True


def busy(actor):
    async def work():
        for key in "abc":
            await actor.perform(op.Save(key, 1))

    return work()


def test_the_first_choice_is_what_the_timed_run_takes():
    play, end = pair()
    play.say(end, "a", "b")
    play.say(end.other, "c")
    play.perform("D", op.StartTimer("t", "", SECOND))
    while choices := play.world.enabled():
        assert choices[0].item is play.world.next_item()
        play.step()


def test_choices_of_one_instant_stand_in_the_order_of_their_planning():
    play = Play()
    play.host("D")
    for key in "cab":
        play.perform("D", op.StartTimer("t", key, SECOND))
    assert play.names() == ["fire D t c", "fire D t a", "fire D t b"]


def test_a_scripts_line_comes_behind_everything_else_of_its_instant():
    play = Play()
    play.host("D")
    done = []
    play.world.at(SECOND, "line 3", lambda: done.append(len(play.events())))
    play.perform("D", op.StartTimer("t", "", SECOND))
    assert play.names() == ["fire D t", "line 3"]
    play.run()
    assert done == [2]


def test_a_scripts_line_for_a_time_that_has_passed_comes_now():
    play = Play()
    play.run(5)
    done = []
    play.world.at(0, "late", lambda: done.append(play.world.now))
    play.run()
    assert done == [5_000]


def test_names_do_not_change_when_somebody_else_joins():
    def names(with_neighbour):
        play = Play()
        play.host("S")
        play.host("D")
        if with_neighbour:
            play.host("E")
            play.connect("E", "S")
        end = play.connect("D", "S")
        play.say(end, "a")
        play.perform("D", op.StartTimer("retry", "m1", SECOND))
        return play.names()

    assert names(False) == names(True)


def test_a_choice_that_was_taken_is_stale():
    play, end = pair()
    play.say(end, "a")
    choice = play.world.enabled()[0]
    play.world.apply(choice)
    with pytest.raises(SimInternalError, match=r"'deliver D\.a#1 D>S 1' is no longer enabled"):
        play.world.apply(choice)


def test_a_choice_that_was_unplanned_is_stale():
    play = Play()
    play.host("D")
    play.perform("D", op.StartTimer("t", "", SECOND))
    choice = play.world.enabled()[0]
    play.perform("D", op.StopTimer("t", ""))
    with pytest.raises(SimInternalError, match="'fire D t' is no longer enabled"):
        play.world.apply(choice)


def test_a_handler_that_went_on_is_a_stale_choice():
    play = Play(preempt=True)
    play.host("D")
    play.host("E")
    (first,) = play.world.enabled()
    assert first.name == "resume D on_start"
    play.world.apply(first)
    with pytest.raises(SimInternalError, match="'resume D on_start' is no longer enabled"):
        play.world.apply(first)
    play.take("resume E on_start")
    assert play.world.enabled() == []


def test_with_preemption_every_op_is_a_place_where_something_else_may_happen():
    play = Play(preempt=True)
    play.host("D")
    play.take("resume D on_start")
    play.world.start(play.world.hosts["D"], busy(play.world.hosts["D"].actor), "busy", -1)
    play.world.act("D", "x")
    assert play.names() == ["resume D busy"]  # what began later begins later
    play.take("resume D busy")
    assert play.names() == ["resume D busy", "resume D on_act"]
    assert play.world.hosts["D"].store.get("a") == 1
    assert play.world.hosts["D"].store.get("b") is None


def test_who_deals_with_one_input_at_a_time_is_not_interrupted_between_two_ops():
    play = Play(preempt=True)
    play.world.add_host("D", "node", lambda port: OneAtATime(port, {}))
    play.world.boot("D")
    play.take("resume D on_start")
    play.world.start(play.world.hosts["D"], busy(play.world.hosts["D"].actor), "busy", -1)
    play.world.act("D", "x")
    play.take("resume D busy")
    assert play.world.hosts["D"].store.get("c") == 1
    assert play.names() == ["resume D on_act"]


def test_a_crash_may_come_between_two_writes_of_one_handler():
    play = Play(preempt=True)
    play.host("D")
    play.take("resume D on_start")
    play.world.start(play.world.hosts["D"], busy(play.world.hosts["D"].actor), "busy", -1)
    play.take("resume D busy")
    play.take("resume D busy")
    play.crash("D")
    assert play.names() == []
    assert [key for key, _ in play.world.hosts["D"].store.items("")] == ["a", "b"]


def test_two_bearers_of_a_name_are_told_apart_by_their_order():
    play = Play()
    play.host("D")
    first = play.perform("D", op.Sleep(SECOND))
    second = play.perform("D", op.Sleep(SECOND))
    assert play.names() == ["wake D told", "wake D told ~2"]
    play.take("wake D told ~2")
    assert (first, second) == ([], [None])


def test_an_item_that_is_not_at_the_head_of_its_queue_cannot_be_taken():
    play, end = pair()
    play.say(end, "a", "b")
    choice = type(play.world.enabled()[0])(item=play.frame(end, "b"))
    with pytest.raises(SimInternalError, match="no longer enabled"):
        play.world.apply(choice)


def test_taking_a_later_choice_moves_time_and_never_back():
    play = Play()
    play.host("D")
    play.perform("D", op.StartTimer("t", "soon", SECOND))
    play.perform("D", op.StartTimer("t", "late", 9 * SECOND))
    play.take("fire D t late")
    assert play.world.now == 9 * SECOND
    play.take("fire D t soon")
    assert play.world.now == 9 * SECOND


def test_nothing_pending_means_nothing_enabled():
    play = Play()
    assert play.world.enabled() == []
    assert play.world.next_item() is None


def test_an_item_must_say_what_it_does():
    for demand in (lambda: Item().fire(Play().world), Item().name):
        with pytest.raises(NotImplementedError):
            demand()
    assert Item().enabled()


def test_a_run_stops_where_its_condition_says():
    play, end = pair()
    play.say(end, "a", "b", "c")
    play.driver.run(until=lambda: play.heard("S") == ["a", "b"])
    assert play.heard("S") == ["a", "b"]
