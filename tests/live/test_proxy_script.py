"""A scenario beside a proxy: its faults strike at their place in the diagram."""

from __future__ import annotations

import pytest
import trio

from sim.drivers.websocket_peer import Ended
from sim.live import proxy_link
from sim.live.proxy_script import Script
from sim.play import vocabularies
from sim.scenario.parse import parse_scenario
from tests.live.proxying import HELLO, Bench, bench, frame, hear, run


@pytest.fixture(autouse=True)
def _short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy_link, "CLOSING_S", 0.05)


def script(text: str, b: Bench, told: list[str] | None = None) -> Script:
    def later(wait_s, do):  # type: ignore[no-untyped-def]
        async def wait() -> None:
            await trio.sleep(wait_s)
            do()

        b.nursery.start_soon(wait)

    read = parse_scenario("sequenceDiagram\n" + text, "test.mmd", vocabularies())
    made = Script(read, later, ([] if told is None else told).append)
    b.director.others = (made,)
    return made


HEAD = """
    participant D as desktop
    participant S as server
    D->>S: hello
    S->>D: welcome
"""
ACK = frame("task.ack", requestId="r1", result="accepted")


def test_a_cut_strikes_behind_the_arrow_before_it_and_only_there() -> None:
    async def play() -> None:
        async with bench() as b:
            text = HEAD + "    D->>S: task.ack (accepted)\n    %% @cut D rst\n    D->>S: hello\n"
            made = script(text, b)
            client, server = await b.pair()
            for sent in [HELLO, ACK]:  # this ack comes before its place
                await client.send(sent)
                assert await hear(server) == sent
            await server.send(frame("welcome"))
            assert await hear(client) == frame("welcome")
            assert made.awaited() == ["line 7: task.ack (accepted)"]
            await client.send(frame("task.ack", requestId="r1", result="rejected"))
            await hear(server)
            await client.send(ACK)
            assert await hear(server) == ACK
            assert await hear(server) == Ended("rst")
            assert await hear(client) == Ended("rst")
            again, server = await b.pair()
            await again.send(HELLO)
            assert await hear(server) == HELLO
            assert made.awaited() == []

    run(play)


def test_lost_duplicated_and_delayed_frames_are_those_of_the_diagram() -> None:
    async def play() -> None:
        async with bench() as b:
            script(
                HEAD
                + "    D-xS: turn.progress\n    %% @duplicate next\n    D->>S: turn.progress\n"
                + "    %% @delay next 50ms\n    D->>S: turn.end\n",
                b,
            )
            client, server = await b.pair()
            await client.send(HELLO)
            await hear(server)
            await server.send(frame("welcome"))
            await hear(client)
            one, two = frame("turn.progress", 1), frame("turn.progress", 2)
            began = trio.current_time()
            for sent in [one, two, frame("turn.end"), one]:
                await client.send(sent)
            got = [await hear(server) for _ in range(4)]
            assert got == [two, two, frame("turn.end"), one]
            assert trio.current_time() - began >= 0.05

    run(play)


def test_what_stands_before_the_first_arrow_strikes_the_first_connection() -> None:
    async def play() -> None:
        async with bench() as b:
            script("    %% @hold D->S\n    %% @after 50ms\n    %% @release D->S\n" + HEAD, b)
            client, server = await b.pair()
            began = trio.current_time()
            await client.send(HELLO)
            assert await hear(server) == HELLO
            assert trio.current_time() - began >= 0.05

    run(play)


def test_branches_of_par_are_followed_in_any_order() -> None:
    async def play() -> None:
        async with bench() as b:
            made = script(
                HEAD
                + "    par one\n    D->>S: turn.progress\n    D->>S: turn.end\n"
                + "    and two\n    D-xS: task.ack\n    end\n    D-xS: ping\n",
                b,
            )
            client, server = await b.pair()
            await client.send(HELLO)
            await hear(server)
            await server.send(frame("welcome"))
            await hear(client)
            kinds = ["ping", "turn.progress", "task.ack", "turn.end", "ping", "ping"]
            for n, kind in enumerate(kinds):
                await client.send(frame(kind, n))
            got = [await hear(server) for _ in range(4)]
            assert got == [frame(kinds[n], n) for n in (0, 1, 3, 5)]
            assert made.awaited() == []

    run(play)


def test_lines_that_nobody_can_play_on_a_wire_are_told() -> None:
    async def play() -> None:
        async with bench() as b:
            made = script(
                HEAD
                + "    %% @crash S\n    %% @count posts 1\n    alt a\n    D->>S: ping\n    end\n",
                b,
            )
            assert [line for line, _ in made.left_out] == [7, 8, 9]
            assert made.left_out[0][1].startswith("@crash S: ")

    run(play)


def test_strikes_of_a_search_and_faults_of_a_trace_name_their_frames() -> None:
    async def play() -> None:
        async with bench() as b:
            text = (
                '    %% @strike "lose deliver D.slack#1 D>S turn.progress ~2" after "start"\n'
                '    %% @strike "cut D.slack#1 fin" after "deliver D.slack#1 D>S turn.end"\n'
                '    %% @late "deliver D.slack#1 D>S turn.end" until "start"\n'
                + HEAD
                + "    %% @fault duplicate D.slack#1 D>S 2\n"
            )
            made = script(text, b)
            assert len(made.left_out) == 1
            client, server = await b.pair()
            progress = [frame("turn.progress", n) for n in range(3)]
            for sent in [HELLO, *progress, frame("turn.end")]:
                await client.send(sent)
            got = [await hear(server) for _ in range(6)]
            assert got == [
                HELLO, progress[0], progress[0], progress[2], frame("turn.end"), Ended("fin"),
            ]  # fmt: skip

    run(play)


def test_traffic_that_departs_from_the_diagram_is_told_at_once_and_once() -> None:
    async def play() -> None:
        async with bench() as b:
            text = HEAD + (
                "    D->>S: task.ack (accepted)\n"
                "    D->>S: turn.progress\n"
                "    D->>S: turn.end (ok)\n"
            )
            told: list[str] = []
            made = script(text, b, told)
            client, server = await b.pair()
            await client.send(HELLO)
            await hear(server)
            await server.send(frame("welcome"))
            await hear(client)
            rejected = frame("task.ack", requestId="r1", result="rejected")
            end = frame("turn.end", requestId="r1", status="ok")
            for sent in [rejected, rejected, frame("ping"), ACK, end, end]:
                await client.send(sent)
                assert await hear(server) == sent
            assert [line.partition(": at")[0] for line in told] == [
                "line 7 still waits for task.ack (accepted)",
                "line 8 still waits for turn.progress",
            ]
            assert told[0].endswith('it came, but result was "rejected"')
            assert told[1].endswith("line 9 came first: turn.end (ok)")
            assert made.awaited() == ["line 8: turn.progress"]

    run(play)
