"""Faults that a proxy injects: the frame that is named is struck, and no other."""

from __future__ import annotations

import pytest
import trio

from sim.core.errors import UsageError
from sim.drivers.websocket_peer import Ended, Peer
from sim.live import proxy_link
from sim.live.proxy_faults import FrameWord, Rule, Rules, Strike, parse_rule
from sim.protocols.hook.frames import MESSAGES
from tests.live.proxying import HELLO, bench, frame, hear, run

PROGRESS = [frame("turn.progress", n) for n in range(1, 5)]
END = frame("turn.end", 9)


@pytest.fixture(autouse=True)
def _short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy_link, "CLOSING_S", 0.05)


def rule(text: str) -> Rule:
    return parse_rule(text, MESSAGES)


# -- the words ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "frame_word", "strike", "before"),
    [
        ("lose:turn.progress#2", FrameWord("turn.progress", nth=2), Strike("lose"), False),
        ("lose:ping", FrameWord("ping"), Strike("lose"), False),
        ("lose:D2:S->D:*", FrameWord("*", "D2", False), Strike("lose"), False),
        ('lose:D.x:"my own"#1', FrameWord("my own", "D.x", nth=1), Strike("lose"), False),
        ("duplicate:next", FrameWord("next"), Strike("duplicate"), False),
        ("duplicate:turn.end=1s", FrameWord("turn.end"), Strike("duplicate", wait_s=1), False),
        ("delay:task.ack=200ms", FrameWord("task.ack"), Strike("delay", wait_s=0.2), False),
        ("cut:after=turn.end", FrameWord("turn.end", nth=1), Strike("cut"), False),
        ("cut:rst:before=turn.end#3", FrameWord("turn.end", nth=3), Strike("cut", "rst"), True),
        ("half-open:after=welcome=2m", FrameWord("welcome", nth=1),
         Strike("cut", "silent", wait_s=120), False),
        ("hold:D->S:after=S->D:pong#3", FrameWord("pong", by_client=False, nth=3),
         Strike("hold", way=True), False),
        ("release:S->D:after=binary", FrameWord("binary", nth=1),
         Strike("release", way=False), False),
        ("heal:after=hello#2", FrameWord("hello", nth=2), Strike("heal"), True),
    ],
)  # fmt: skip
def test_a_rule_is_read_as_it_is_meant(
    text: str, frame_word: FrameWord, strike: Strike, before: bool
) -> None:
    read = rule(text)
    assert (read.frame, read.strike, read.before) == (frame_word, strike, before)


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("drop:turn.end", "half-open"),
        ("lose:turn.ends", "turn.end"),
        ("lose:", "D->S:TYPE"),
        ("lose:turn.end#0", "turn.end#1"),
        ("lose:turn.end=1s", "lose:FRAME"),
        ("lose:S->X:turn.end", "S->D"),
        ("delay:turn.end", "delay:FRAME=3s"),
        ("delay:turn.end=soon", "200ms"),
        ("cut", "cut:after=FRAME"),
        ("cut:turn.end", "cut:before=FRAME"),
        ("cut:hard:after=turn.end", "rst"),
        ("cut:after=turn.end=3s", "half-open"),
        ("hold:after=turn.end", "D->S"),
        ("hold:up:after=turn.end", "D->S"),
        ("half-open:rst:after=welcome", "half-open:after=FRAME"),
    ],
)
def test_a_rule_that_cannot_be_read_names_the_allowed_words(text: str, allowed: str) -> None:
    with pytest.raises(UsageError) as error:
        rule(text)
    assert repr(text) in str(error.value)
    assert allowed in str(error.value).partition("allowed here: ")[2]


def test_frames_are_counted_per_host_lane_and_direction_over_all_connections() -> None:
    rules = Rules([rule("lose:ping#2")])
    tracks = ["D.slack", "D2.slack", "D.x", "D.slack", "D.slack", "D2.slack"]
    met = [bool(rules.met_by(track, True, "ping")) for track in tracks]
    assert met == [False, False, False, True, False, True]
    assert not rules.met_by("D.slack", False, "ping")
    assert rules.met_by("D.slack", False, "ping")


def test_next_means_one_frame_on_any_connection_and_no_ping() -> None:
    rules = Rules([rule("lose:next")])
    assert not rules.met_by("D.slack", True, "ping")
    assert not rules.met_by("D.slack", False, "pong")
    assert rules.met_by("D2.x", False, "welcome")
    assert not rules.met_by("D2.x", False, "welcome")
    assert rules.rules == []


# -- what they do ------------------------------------------------------------------------


async def _all(peer: Peer, count: int) -> list[object]:
    return [await hear(peer) for _ in range(count)]


def test_the_frame_that_is_lost_is_the_only_one_that_does_not_arrive() -> None:
    async def play() -> None:
        async with bench("lose:turn.progress#2") as b:
            client, server = await b.pair()
            for text in [HELLO, *PROGRESS]:
                await client.send(text)
            assert await _all(server, 4) == [HELLO, PROGRESS[0], *PROGRESS[2:]]
            assert [s.fate for s in b.book.frames] == ["delivered"] * 2 + ["lost"] + [
                "delivered"
            ] * 2
            assert b.book.faults == {"lose": 1}

    run(play)


def test_a_copy_arrives_at_once_or_later_behind_what_was_sent_meanwhile() -> None:
    async def play() -> None:
        async with bench("duplicate:turn.end#1", "duplicate:turn.progress#1=50ms") as b:
            client, server = await b.pair()
            for text in [HELLO, END, PROGRESS[0], PROGRESS[1]]:
                await client.send(text)
            assert await _all(server, 6) == [
                HELLO, END, END, PROGRESS[0], PROGRESS[1], PROGRESS[0],
            ]  # fmt: skip

    run(play)


def test_a_delayed_frame_keeps_back_what_comes_behind_it_and_nothing_on_the_way_back() -> None:
    async def play() -> None:
        async with bench("delay:turn.progress#1=250ms") as b:
            client, server = await b.pair()
            began = trio.current_time()
            for text in [HELLO, PROGRESS[0], PROGRESS[1]]:
                await client.send(text)
            assert await hear(server) == HELLO
            await server.send(frame("pong"))
            assert await hear(client) == frame("pong")
            assert [seen.fate for seen in b.book.frames][1:3] == ["on its way"] * 2
            assert await _all(server, 2) == PROGRESS[:2]
            assert trio.current_time() - began >= 0.25

    run(play)


def test_a_cut_after_a_frame_lets_that_frame_arrive_and_ends_both_sides_with_a_fin() -> None:
    async def play() -> None:
        async with bench("cut:after=turn.end#1") as b:
            client, server = await b.pair()
            for text in [HELLO, END]:
                await client.send(text)
            assert await _all(server, 3) == [HELLO, END, Ended("fin")]
            assert await hear(client) == Ended("fin")
            again, server = await b.pair()
            for text in [HELLO, END]:
                await again.send(text)
            assert await _all(server, 2) == [HELLO, END]
            await again.send(PROGRESS[0])
            assert await hear(server) == PROGRESS[0]

    run(play)


def test_a_reset_before_a_frame_takes_the_frame_with_it() -> None:
    async def play() -> None:
        async with bench("cut:rst:before=turn.end#1") as b:
            client, server = await b.pair()
            for text in [HELLO, END]:
                await client.send(text)
            heard = [await hear(server)]
            if heard[-1] == HELLO:
                heard.append(await hear(server))
            assert heard[-1] == Ended("rst")
            assert await hear(client) == Ended("rst")
            assert b.book.frames[-1].fate == "reset"

    run(play)


def test_half_open_is_silent_both_ways_until_it_heals_and_then_nothing_is_missing() -> None:
    async def play() -> None:
        async with bench("half-open:after=hello") as b:
            client, server = await b.pair()
            await client.send(HELLO)
            assert await hear(server) == HELLO
            await client.send(PROGRESS[0])
            await server.send(frame("welcome"))
            await client.send(PROGRESS[1])
            for peer in (client, server):
                with trio.move_on_after(0.05) as scope:
                    await peer.receive()
                assert scope.cancelled_caught
            [link] = b.proxy.links
            assert (link.up.waiting, link.down.waiting) == (2, 1)
            link.strike(Strike("heal"))
            assert await _all(server, 2) == PROGRESS[:2]
            assert await hear(client) == frame("welcome")

    run(play)


def test_half_open_ends_by_itself_or_with_a_frame_that_comes_in() -> None:
    async def play() -> None:
        for faults in (
            ["half-open:after=hello=60ms"],
            ["half-open:after=hello", "heal:after=turn.progress#2"],
        ):
            async with bench(*faults) as b:
                client, server = await b.pair()
                for text in [HELLO, *PROGRESS]:
                    await client.send(text)
                assert await _all(server, 5) == [HELLO, *PROGRESS]

    run(play)


def test_half_open_hides_that_one_side_has_gone() -> None:
    async def play() -> None:
        async with bench("half-open:after=hello") as b:
            client, server = await b.pair()
            await client.send(HELLO)
            assert await hear(server) == HELLO
            await client.close(1000, "bye")
            with trio.move_on_after(0.05) as scope:
                await server.receive()
            assert scope.cancelled_caught
            [link] = b.proxy.links
            link.strike(Strike("heal"))
            assert await hear(server) == Ended("close", 1000, "bye")

    run(play)


def test_a_half_open_connection_that_both_have_left_is_over() -> None:
    async def play() -> None:
        async with bench("half-open:after=hello") as b:
            client, server = await b.pair()
            await client.send(HELLO)
            assert await hear(server) == HELLO
            await client.hang_up()
            await server.send("for nobody")
            await server.reset()
            await b.no_links()
            assert b.book.frames[0].fate == "delivered"
            assert {seen.fate for seen in list(b.book.frames)[1:]} <= {"closed"}

    run(play)


def test_held_frames_wait_and_are_released_in_order_by_another_frame() -> None:
    async def play() -> None:
        async with bench("hold:D->S:after=hello", "release:D->S:after=welcome") as b:
            client, server = await b.pair()
            for text in [HELLO, *PROGRESS]:
                await client.send(text)
            assert await hear(server) == HELLO
            with trio.move_on_after(0.05) as scope:
                await server.receive()
            assert scope.cancelled_caught
            await server.send(frame("welcome"))
            assert await hear(client) == frame("welcome")
            assert await _all(server, 4) == PROGRESS

    run(play)


def test_binary_and_unknown_frames_can_be_struck_too() -> None:
    async def play() -> None:
        async with bench("lose:binary", 'lose:"my.own"#1', "lose:text") as b:
            client, server = await b.pair()
            own = frame("my.own")
            for message in [b"1", own, "no json", own, HELLO]:
                await client.send(message)
            assert await _all(server, 2) == [own, HELLO]

    run(play)


def test_findings_are_told_at_once_with_the_number_of_the_event() -> None:
    async def play() -> None:
        async with bench() as b:
            client, server = await b.pair()
            await client.send(frame("task.ack"))
            assert await hear(server) == frame("task.ack")
            [seen] = b.book.frames
            assert f"{seen.n} desktop-frames-pass-the-parser" in b.said

    run(play)
