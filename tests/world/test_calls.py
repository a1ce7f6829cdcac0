"""Calls: a request, a gap, a reply, and what may become of each."""

import msgspec
import pytest

from sim.core import op
from sim.core.errors import LocalProtocolError
from sim.core.event import CallAnswered, CallApplied, CallIssued, CallLost
from sim.world import fault
from tests.world.play import SECOND, Play


class Ask(msgspec.Struct, frozen=True, tag="ask"):
    what: str


async def echo(actor, caller, request):
    return f"{caller} wants {request}"


async def slow_echo(actor, caller, request):
    await actor.perform(op.Sleep(5 * SECOND))
    return request


def calling(on_call=echo, timeout=10 * SECOND, ms=100, request="x"):
    """D has just called S, which answers 100 ms later than a link's latency of 10."""
    play = Play()
    play.steady(10, "D>S")
    del play.world.latencies["D", "S"]
    play.host("S", latency=(ms * 1000, ms * 1000), on_call=on_call)
    play.host("D")
    return play, play.perform("D", op.Call("S", request, timeout_us=timeout))


def test_a_call_is_applied_after_the_callees_latency_and_answered_a_link_later():
    play, answer = calling()
    play.run()
    assert answer == ["D wants x"]
    assert [(type(e), e.at) for e in play.events(CallIssued, CallApplied, CallAnswered)] == [
        (CallIssued, 0),
        (CallApplied, 100_000),
        (CallAnswered, 110_000),
    ]


def test_other_handlers_run_in_the_gap_of_a_call():
    play, answer = calling()
    assert play.perform("D", op.Save("k", 1)) == [None]
    assert answer == []


def test_a_lost_answer_is_no_answer_at_the_deadline_and_only_once():
    async def swallow(actor, caller, request):
        return op.NO_ANSWER

    play, answer = calling(swallow)
    play.run(9_999)
    assert answer == []
    play.run()
    assert answer == [op.NO_ANSWER]
    assert play.world.now == 10 * SECOND
    assert [e.why for e in play.events(CallLost)] == ["answer lost"]
    assert len(play.events(CallAnswered)) == 1


def test_a_call_to_a_host_that_is_down_ends_at_the_deadline():
    play, answer = calling()
    play.crash("S")
    play.run()
    assert answer == [op.NO_ANSWER]
    assert play.world.now == 10 * SECOND
    assert [e.why for e in play.events(CallLost)] == ["host is down"]


def test_a_callee_that_crashes_in_the_middle_never_answers():
    play, answer = calling(slow_echo)
    play.run(1_000)
    play.crash("S")
    play.restart("S")
    play.run()
    assert answer == [op.NO_ANSWER]
    assert [e.why for e in play.events(CallLost)] == ["host crashed"]
    assert play.events(CallApplied) == []


def test_an_answer_behind_the_deadline_comes_too_late():
    play, answer = calling(slow_echo, timeout=2 * SECOND)
    play.run(2_000)
    assert answer == [op.NO_ANSWER]
    play.run()
    assert answer == [op.NO_ANSWER]
    assert len(play.events(CallApplied)) == 1
    assert len(play.events(CallAnswered)) == 1


def test_a_slow_handler_that_answers_in_time_takes_the_time_out_back():
    play, answer = calling(slow_echo)
    play.run()
    assert answer == ["x"]
    assert play.world.now == 100_000 + 5 * SECOND + 10_000


def test_a_request_that_travels_longer_than_the_deadline_ends_at_the_deadline():
    play, answer = calling(timeout=50_000)
    play.run(50)
    assert answer == [op.NO_ANSWER]
    play.run()
    assert len(play.events(CallApplied)) == 1


def test_a_reply_that_travels_past_the_deadline_ends_at_the_deadline():
    play, answer = calling(timeout=105_000)
    play.run(105)
    assert answer == [op.NO_ANSWER]
    play.run()
    assert len(play.events(CallAnswered)) == 1


def test_a_caller_that_crashed_gets_no_answer_and_the_call_is_still_applied():
    play, answer = calling()
    play.crash("D")
    play.restart("D")
    play.run()
    assert answer == []
    assert len(play.events(CallApplied)) == 1
    assert play.events(CallAnswered) == []


def test_a_sleeping_callee_applies_when_it_wakes_unless_the_caller_gave_up():
    play, answer = calling()
    play.sleep("S", 20_000)
    play.run(10_000)
    assert answer == [op.NO_ANSWER]
    play.run()
    assert [e.at for e in play.events(CallApplied)] == [20 * SECOND]
    assert len(play.events(CallAnswered)) == 1


def test_a_sleeping_caller_hears_the_reply_when_it_wakes():
    play, answer = calling()
    play.sleep("D", 3_000)
    play.run(2_999)
    assert answer == []
    play.run()
    assert answer == ["D wants x"]


def test_a_sleeping_caller_gives_up_when_it_wakes():
    play, answer = calling()
    play.crash("S")
    play.sleep("D", 30_000)
    play.run(29_999)
    assert answer == []
    play.run(1)
    assert answer == [op.NO_ANSWER]


def test_a_call_to_nobody_is_the_actors_mistake():
    play = Play()
    play.host("D")
    with pytest.raises(LocalProtocolError, match="'nobody', which is no host"):
        play.perform("D", op.Call("nobody", "x"))


def test_a_host_without_that_api_says_so():
    play = Play()
    play.host("S")
    play.host("D")
    play.perform("D", op.Call("S", "x"))
    with pytest.raises(LookupError, match="S has no API for 'x' from D"):
        play.run()


def test_a_host_without_any_actor_loses_its_calls():
    play, answer = calling()
    play.world.hosts["S"].actor = None
    play.run()
    assert answer == [op.NO_ANSWER]
    assert [e.why for e in play.events(CallLost)] == ["host has no API"]


def test_the_steps_of_a_call_are_named_after_the_request_and_counted_per_route():
    play, _ = calling(slow_echo, request=Ask("a"))
    play.perform("D", op.Call("S", "b"))
    assert play.names() == ["apply S.ask D/1", "apply S.str D/2"]
    play.take("apply S.ask D/1")
    assert play.names() == ["apply S.str D/2", "wake S on_call", "give up S.ask D/1"]
    play.take("wake S on_call")
    assert "finish S.ask D/1" in play.names()


def test_a_search_may_let_the_caller_give_up_before_a_slow_callee_answers():
    play, answer = calling(slow_echo)
    play.take("apply S.str D/1")
    play.take("give up S.str D/1")
    assert answer == [op.NO_ANSWER]
    play.run()
    assert answer == [op.NO_ANSWER]


def test_latencies_of_a_route_do_not_depend_on_calls_of_others():
    def times(with_neighbour):
        play = Play(5)
        play.host("S", on_call=echo)
        play.host("D")
        play.host("E")
        if with_neighbour:
            play.perform("E", op.Call("S", "noise"))
        play.perform("D", op.Call("S", "x"))
        play.run()
        return [e.at for e in play.events(CallAnswered) if e.caller == "D"]

    assert times(False) == times(True)


def test_a_call_may_be_delayed_by_nothing_but_its_route():
    play = Play()
    play.host("S", on_call=echo)
    play.host("D")
    play.world.latencies["D", "S"] = (7, 7)
    play.world.latencies["S", "D"] = (9, 9)
    play.perform("D", op.Call("S", "x"))
    fault.skew(play.world, "D", 1_000_000)
    play.run()
    assert play.world.now == 16
