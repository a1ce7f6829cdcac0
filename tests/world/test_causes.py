"""Every event knows the event without which it would not be."""

from sim.core import op
from sim.core.event import (
    Acted,
    CallAnswered,
    CallApplied,
    CallIssued,
    CallLost,
    ConnectionClosed,
    ConnectionOpened,
    FaultInjected,
    FrameDelivered,
    FrameSent,
    HostCrashed,
    HostStarted,
    Noted,
    Saved,
    TimerFired,
)
from tests.world.play import SECOND, Play, Word, pair


def story(play, event):
    """The kinds of an event and of its causes, back to the first."""
    found = []
    while True:
        found.append(type(event))
        if event.cause == -1:
            return found
        event = play.world.events[event.cause]


def last(play, kind):
    return play.events(kind)[-1]


def test_an_answer_to_a_frame_leads_back_to_the_start_of_its_sender():
    async def on_frame(actor, conn, frame):
        await actor.perform(op.Send(conn, Word("pong")))

    async def on_start(actor):
        conn = await actor.perform(op.Dial("S", "a"))
        await actor.perform(op.Send(conn, Word("ping")))

    play = Play()
    play.host("S", on_frame=on_frame)
    play.host("D", on_start=on_start)
    play.run()
    assert story(play, last(play, FrameDelivered)) == [
        FrameDelivered,
        FrameSent,
        FrameDelivered,
        FrameSent,
        ConnectionOpened,
        HostStarted,
    ]


def test_a_timer_leads_back_to_the_event_whose_handler_started_it():
    async def on_act(actor, act):
        await actor.perform(op.StartTimer("t", "", SECOND))

    async def on_timer(actor, kind, key):
        await actor.perform(op.Note("rang"))

    play = Play()
    play.host("D", on_act=on_act, on_timer=on_timer)
    play.driver.drain()
    play.world.act("D", "start")
    play.run()
    assert story(play, last(play, Noted)) == [Noted, TimerFired, Acted]


def test_a_timer_of_a_sleeper_keeps_its_cause():
    async def on_act(actor, act):
        await actor.perform(op.StartTimer("t", "", SECOND))

    play = Play()
    play.host("D", on_act=on_act)
    play.driver.drain()
    play.world.act("D", "start")
    play.driver.drain()
    play.sleep("D", 5_000)
    play.run()
    assert story(play, last(play, TimerFired)) == [TimerFired, Acted]


def test_an_answered_call_leads_back_over_the_callees_work():
    async def on_call(actor, caller, request):
        await actor.perform(op.Save("k", request))
        return "done"

    play = Play()
    play.host("S", on_call=on_call)
    play.host("D")
    play.perform("D", op.Call("S", "x"))
    play.run()
    assert story(play, last(play, CallAnswered)) == [CallAnswered, CallApplied, CallIssued]
    assert story(play, last(play, Saved)) == [Saved, CallIssued]


def test_a_lost_call_and_its_time_out_lead_back_to_the_call():
    play = Play()
    play.host("S", up=False)
    play.host("D")
    play.perform("D", op.Call("S", "x"))
    play.run()
    assert story(play, last(play, CallLost)) == [CallLost, CallIssued]
    assert story(play, last(play, CallAnswered)) == [CallAnswered, CallIssued]


def test_what_follows_a_fault_leads_back_to_the_fault():
    play, _end = pair()
    play.crash("D")
    play.run()
    assert story(play, last(play, HostCrashed)) == [HostCrashed, FaultInjected]
    assert story(play, last(play, ConnectionClosed)) == [ConnectionClosed, FaultInjected]
    play.restart("D")
    assert story(play, last(play, HostStarted)) == [HostStarted, FaultInjected]


def test_what_comes_from_outside_has_no_cause():
    play, end = pair()
    play.say(end, "hello")
    play.run()
    play.world.act("D", "jump")
    assert last(play, Acted).cause == -1
    play.cut("D.a#1")
    assert last(play, FaultInjected).cause == -1


def test_events_are_numbered_by_position_and_no_cause_lies_ahead():
    play, end = pair()
    play.say(end, *"abc")
    play.cut("D.a#1", "rst")
    play.run()
    for position, event in enumerate(play.world.events):
        assert event.n == position
        assert -1 <= event.cause < position


def test_watchers_see_the_events_of_their_kind_only_at_once():
    play, end = pair()
    seen = []
    play.world.watch(FrameSent, lambda e: seen.append(e.frame.type))
    play.world.watch(FrameSent, lambda e: seen.append(e.n == len(play.world.events) - 1))
    play.say(end, "a")
    play.run()
    assert seen == ["a", True]
