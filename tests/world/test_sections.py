"""Serial sections, waits, side activities, notes and rows: what stays inside one host."""

import pytest

from sim.core import op
from sim.core.errors import LocalProtocolError
from sim.core.event import Erased, Noted, Saved
from tests.world.play import SECOND, Play


def alone(**scripts):
    play = Play()
    play.host("D", **scripts)
    play.driver.drain()
    return play


def test_a_section_admits_one_at_a_time_in_the_order_of_asking():
    play = alone()
    order = []

    async def visit(actor, name):
        await actor.perform(op.Acquire("door"))
        order.append(f"{name} in")
        await actor.perform(op.Sleep(SECOND))
        order.append(f"{name} out")
        await actor.perform(op.Release("door"))

    for name in "abc":
        play.tell("D", lambda actor, name=name: visit(actor, name))
    play.run()
    assert order == ["a in", "a out", "b in", "b out", "c in", "c out"]
    assert play.world.hosts["D"].locks == {}


def test_sections_of_different_keys_do_not_wait_for_each_other():
    play = alone()
    assert play.perform("D", op.Acquire("one")) == [None]
    assert play.perform("D", op.Acquire("two")) == [None]
    assert play.perform("D", op.Acquire("one")) == []


@pytest.mark.parametrize("entered", [None, "other"])
def test_leaving_a_section_that_nobody_entered_is_the_actors_mistake(entered):
    play = alone()
    if entered:
        play.perform("D", op.Acquire(entered))
    with pytest.raises(LocalProtocolError, match="leaves section 'door', which nobody entered"):
        play.perform("D", op.Release("door"))


def test_a_crash_empties_the_sections():
    play = alone()
    play.perform("D", op.Acquire("door"))
    play.crash("D")
    play.restart("D")
    assert play.perform("D", op.Acquire("door")) == [None]


def test_a_wait_ends_with_the_value_of_its_wake():
    play = alone()
    got = play.perform("D", op.Wait("answer", SECOND))
    assert got == []
    assert play.perform("D", op.Wake("answer", 42)) == [True]
    assert got == [42]
    play.run()
    assert play.world.now == 0


def test_a_wait_that_nobody_wakes_ends_at_its_limit():
    play = alone()
    got = play.perform("D", op.Wait("answer", SECOND))
    assert play.names() == ["give up D answer"]
    play.run()
    assert (got, play.world.now) == ([op.NO_ANSWER], SECOND)
    assert play.perform("D", op.Wake("answer")) == [False]


def test_a_wake_without_a_wait_says_that_none_was_there():
    assert alone().perform("D", op.Wake("answer", 42)) == [False]


def test_a_sleepers_wait_ends_when_it_wakes_up():
    play = alone()
    got = play.perform("D", op.Wait("answer", SECOND))
    play.sleep("D", 3_000)
    play.run(2_999)
    assert got == []
    play.run()
    assert got == [op.NO_ANSWER]


def test_two_handlers_cannot_wait_for_the_same_thing():
    play = alone()
    play.perform("D", op.Wait("answer", SECOND))
    with pytest.raises(LocalProtocolError, match="two handlers wait for 'answer'"):
        play.perform("D", op.Wait("answer", SECOND))


def test_a_limit_of_a_former_life_does_not_end_the_wait_of_the_next():
    play = alone()
    play.perform("D", op.Wait("answer", SECOND))
    play.run(500)
    play.crash("D")
    play.restart("D")
    got = play.perform("D", op.Wait("answer", SECOND))
    play.run(999)
    assert got == []
    play.run(1)
    assert got == [op.NO_ANSWER]


def test_waiting_does_not_keep_a_run_from_settling():
    play = alone()
    play.perform("D", op.Wait("answer", SECOND))
    assert play.world.settled()


def test_a_spawned_activity_runs_beside_its_parent_and_behind_its_next_op():
    play = alone()
    order = []

    async def child(actor):
        order.append("child")
        await actor.perform(op.Sleep(SECOND))
        order.append("child again")

    async def parent(actor):
        await actor.perform(op.Spawn("child", child(actor)))
        order.append("parent")
        await actor.perform(op.Save("k", 1))
        order.append("parent again")

    play.tell("D", parent)
    play.run()
    assert order == ["parent", "parent again", "child", "child again"]


def test_notes_and_rows_stand_in_the_trace_in_order():
    play = alone()

    async def work(actor):
        await actor.perform(op.Save("k", 1))
        await actor.perform(op.Note("fact", {"a": 1}))
        await actor.perform(op.Erase("k"))
        await actor.perform(op.Erase("k"))

    play.tell("D", work)
    assert [type(e) for e in play.events(Saved, Noted, Erased)] == [Saved, Noted, Erased, Erased]
    assert [(e.what, e.data) for e in play.events(Noted)] == [("fact", {"a": 1})]


def test_rows_are_listed_by_prefix_in_the_order_of_first_saving():
    play = alone()
    store = play.world.hosts["D"].store
    assert (store.get("t/1"), store.items("t/")) == (None, [])
    play.perform("D", op.Erase("t/1"))
    for key, value in (("t/2", "b"), ("x", 0), ("t/1", "a"), ("t/2", "B")):
        play.perform("D", op.Save(key, value))
    assert store.items("t/") == [("t/2", "B"), ("t/1", "a")]
    play.perform("D", op.Erase("t/2"))
    assert store.items("t/") == [("t/1", "a")]


def test_ids_and_draws_of_a_host_come_from_the_seed_and_its_own_name():
    def facts(seed, neighbour):
        play = Play(seed)
        if neighbour:
            play.host("A").new_id()
        host = play.host("D")
        return host.new_id(), host.draw(1, 6), host.new_frame_id(), host.new_frame_id()

    assert facts(1, False) == facts(1, True)
    assert facts(1, False)[:2] != facts(2, False)[:2]
    assert facts(1, False)[2:] == ("D-1", "D-2")


def test_a_handler_that_awaits_something_else_is_told_what_it_may_await():
    play = alone()

    class Foreign:
        def __await__(self):
            yield "a future"

    async def wrong(actor):
        await Foreign()

    with pytest.raises(LocalProtocolError, match=r"awaits str, which is no op") as caught:
        play.tell("D", wrong)
    assert caught.value.__notes__ == ["in D/told at step 1"]


def test_an_activity_does_not_enter_a_section_in_which_it_is_already():
    play = alone()

    async def twice(actor):
        await actor.perform(op.Acquire("door"))
        await actor.perform(op.Acquire("door"))

    with pytest.raises(LocalProtocolError, match="D/told enters section 'door', in which it is"):
        play.tell("D", twice)


def test_a_section_may_be_entered_again_when_it_was_left():
    play = alone()

    async def twice(actor):
        for _ in range(2):
            await actor.perform(op.Acquire("door"))
            await actor.perform(op.Release("door"))
        return "done"

    assert play.tell("D", twice) == ["done"]


@pytest.mark.parametrize("us", [-5, float("nan"), 1.5, "1", None, True])
@pytest.mark.parametrize(
    "make",
    [
        op.Sleep,
        lambda us: op.StartTimer("t", "", us),
        lambda us: op.Wait("answer", us),
        lambda us: op.Call("D", "hi", us),
        lambda us: op.Dial("D", "a", None, us),
    ],
)
def test_time_is_asked_for_in_whole_microseconds(make, us):
    play = alone()
    with pytest.raises(LocalProtocolError, match=r"D/told: \w+ for .*; write whole microseconds"):
        play.perform("D", make(us))


@pytest.mark.parametrize("value", [object(), alone, 1j, Play])
def test_only_what_a_trace_can_hold_is_saved(value):
    play = alone()
    with pytest.raises(LocalProtocolError, match=r"D/told saves a .* under 'k'; save what a trace"):
        play.perform("D", op.Save("k", value))
    assert play.events(Saved) == []


@pytest.mark.parametrize("value", [None, 1, 1.5, "a", b"a", (1,), [1], {"a": 1}, op.NO_ANSWER])
def test_texts_numbers_containers_and_structs_are_saved(value):
    play = alone()
    play.perform("D", op.Save("k", value))
    assert play.world.hosts["D"].store.get("k") == value
