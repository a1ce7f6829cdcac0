"""Connections: order, latency, generations, and the two ways to close one."""

import msgspec

from sim.core import op
from sim.core.actor import Actor
from sim.core.event import BadFrame, ConnectionClosed, FrameDelivered, FrameLost, FrameSent, Noted
from sim.core.trace import encode_event
from tests.world.play import Play, Word, pair


def arrivals(play, sender):
    return [(e.at, e.type) for e in play.events() if getattr(e, "sender", "") == sender]


def test_frames_of_one_direction_arrive_in_the_order_in_which_they_were_sent():
    for seed in range(20):
        play, end = pair(seed)
        play.say(end, *"abcdefgh")
        play.run()
        assert play.heard("S") == list("abcdefgh")


def test_the_two_directions_do_not_wait_for_each_other():
    play, end = pair()
    play.say(end, "ask")
    play.say(end.other, "tell")
    assert [n for n in play.names() if n.startswith("deliver")] == [
        "deliver D.a#1 D>S 1",
        "deliver D.a#1 S>D 1",
    ]
    play.take("deliver D.a#1 S>D 1")
    assert (play.heard("D"), play.heard("S")) == (["tell"], [])


def test_only_the_head_of_a_queue_may_be_chosen():
    play, end = pair()
    play.say(end, "first", "second")
    assert [n for n in play.names() if n.startswith("deliver")] == ["deliver D.a#1 D>S 1"]


def test_another_link_does_not_shift_the_latencies_of_the_first():
    def arrival_times(with_neighbour):
        play = Play(7)
        for name in ("S", "D", "E"):
            play.host(name)
        end = play.connect("D", "S")
        if with_neighbour:
            play.say(play.connect("E", "S"), "noise")
        start = play.world.now
        play.say(end, "one", "two")
        due = [flight.due - start for flight in end.flight]
        play.run()
        return due

    assert arrival_times(False) == arrival_times(True)


def test_latencies_stay_within_the_bounds_of_their_direction():
    play = Play(3)
    play.host("S")
    play.host("D")
    play.world.latencies["D", "S"] = (5, 9)
    end = play.connect("D", "S")
    play.world.latencies["D", "S"] = (1, 1)  # too late for this connection
    for _ in range(50):
        sent = play.world.now
        play.say(end, "x")
        assert 5 <= end.flight[-1].due - sent <= 9
        play.run()


def test_a_lane_dialled_again_is_the_next_generation_of_its_link():
    play = Play()
    play.host("S")
    play.host("D")
    assert play.connect("D", "S", "a").name == "D.a#1"
    assert play.connect("D", "S", "a").name == "D.a#2"
    assert play.connect("D", "S", "b").name == "D.b#1"


def test_what_the_client_said_when_it_dialled_is_shown_to_the_server():
    seen = []

    async def on_open(actor, conn):
        seen.append((conn.peer, conn.lane, conn.info, conn.name, conn.is_open))

    play = Play()
    play.host("S", on_open=on_open)
    play.host("D")
    play.perform("D", op.Dial("S", "a", info={"token": "t"}))
    play.run()
    assert seen == [("D", "a", {"token": "t"}, "D.a#1", True)]


def test_an_orderly_close_arrives_behind_the_frames_and_with_its_code():
    closed = []

    async def on_close(actor, conn, close):
        closed.append((play.heard("S"), close.code, close.reason, conn.is_open))

    play, end = pair(on_close=on_close)
    play.say(end, "last words")
    play.perform("D", op.Close(end, 4001, "going"))
    play.run()
    assert closed == [(["last words"], 4001, "going", False)]
    assert [(e.host, e.by) for e in play.events(ConnectionClosed)] == [("D", "D"), ("S", "D")]


def test_the_server_may_close_too_and_the_client_is_told():
    closed = []

    async def on_close(actor, conn, close):
        closed.append((actor.port.name, close.code, close.by))

    play = Play()
    play.host("S")
    play.host("D", on_close=on_close)
    end = play.connect("D", "S")
    play.perform("S", op.Close(end.other, 4002))
    play.run()
    assert closed == [("D", 4002, "S")]


def test_both_ends_may_close_at_once_and_nobody_is_told_twice():
    play, end = pair()
    play.perform("D", op.Close(end))
    play.perform("S", op.Close(end.other))
    play.run()
    assert [e.host for e in play.events(ConnectionClosed)] == ["D", "S"]
    assert play.world.links == {}


def test_closing_twice_is_as_good_as_once():
    play, end = pair()
    play.perform("D", op.Close(end))
    play.perform("D", op.Close(end))
    play.run()
    assert len(play.events(ConnectionClosed)) == 2


def test_a_write_to_a_closed_end_fails_and_leaves_no_trace():
    play, end = pair()
    play.perform("D", op.Close(end))
    assert play.perform("D", op.Send(end, Word("late"))) == [False]
    assert play.events(FrameSent) == []


def test_a_frame_that_meets_a_closed_end_is_lost():
    play, end = pair()
    play.say(end.other, "crossing")
    play.perform("D", op.Close(end))
    play.run()
    assert [(e.type, e.why) for e in play.events(FrameLost)] == [("crossing", "closed")]


def test_the_world_forgets_a_link_when_both_ends_are_closed_and_nothing_flies():
    play, end = pair()
    play.say(end.other, "crossing", "crossing too")
    play.perform("D", op.Close(end))
    play.run()
    assert play.world.links == {}
    assert not list(play.world.links_of("D"))
    assert not list(play.world.links_of("S"))


def test_frames_are_counted_per_direction_from_one():
    play, end = pair()
    play.say(end, "a", "b")
    play.say(end.other, "c")
    assert [(e.sender, e.nth) for e in play.events(FrameSent)] == [("D", 1), ("D", 2), ("S", 1)]


def test_ends_and_links_say_who_they_are():
    play, end = pair()
    assert repr(end) == "<D end of D.a#1>"
    assert end.link.end_of("S") is end.other
    assert end.link.end_of("D") is end
    assert end.link.is_open
    play.perform("D", op.Close(end))
    assert repr(end) == "<D end of D.a#1, closed>"


def test_a_frame_is_shown_to_whoever_stops_frames_as_they_are_sent():
    play, end = pair()
    seen = []
    play.world.on_flight = lambda flight: seen.append(flight.name())
    play.say(end, "a")
    assert seen == ["deliver D.a#1 D>S 1"]


def test_a_text_that_no_parser_takes_is_dropped_where_it_arrives():
    play, end = pair()
    play.perform("D", op.Send(end, op.OpaqueFrame("not json", "no JSON", "$.type")))
    play.run()
    (bad,) = play.events(BadFrame)
    assert (bad.host, bad.error, bad.path) == ("S", "no JSON", "$.type")
    assert type(play.world.events[bad.cause]) is FrameDelivered
    sent = msgspec.json.decode(encode_event(play.world.events[bad.sent]))
    assert sent["frame"] == {"type": "(bad)", "text": "not json"}


def test_an_actor_that_reads_texts_gets_even_those():
    class Reader(Actor):
        READS_TEXT = True

        async def on_frame(self, conn, frame):
            await self.perform(op.Note("read", frame.text))

    play = Play()
    play.world.add_host("S", "node", Reader)
    play.world.boot("S")
    play.host("D")
    end = play.connect("D", "S")
    play.perform("D", op.Send(end, op.OpaqueFrame("not json", "no JSON")))
    play.run()
    assert [e.data for e in play.events(Noted)] == ["not json"]
