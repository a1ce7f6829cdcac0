"""Nothing that a client or a server does ends a proxy, or makes it grow."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest
import trio
import trio.lowlevel

from sim.drivers.websocket_peer import Ended, PeerGone
from sim.live import proxy_link
from sim.live.proxy_way import QUEUE_BYTES
from tests.live.proxying import HELLO, Bench, bench, fill_the_disk, frame, hear, run

pytestmark = pytest.mark.usefixtures("new_garbage_only")


@pytest.fixture(autouse=True)
def _short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy_link, "CLOSING_S", 0.5)


async def is_well(b: Bench) -> None:
    """The proxy still passes things on."""
    client, server = await b.pair()
    await client.send("still there?")
    assert await hear(server) == "still there?"
    await client.close(1000, "")
    assert await hear(server) == Ended("close", 1000, "")
    await server.close(1000, "")
    assert await hear(client) == Ended("close", 1000, "")
    await client.hang_up()


async def raw(b: Bench, data: bytes) -> trio.SocketStream:
    """A client that says this, upgraded first."""
    client = await b.dial()
    stream = b.streams[-1]
    await stream.send_all(data)
    del client
    return stream


def masked(opcode: int, payload: bytes, *, fin: bool = True, length: int | None = None) -> bytes:
    """A client's frame with a mask of zeros; ``length`` may lie."""
    size = len(payload) if length is None else length
    short = size if size < 126 else 126 if size < 1 << 16 else 127
    rest = {126: size.to_bytes(2, "big"), 127: size.to_bytes(8, "big")}.get(short, b"")
    return bytes([(0x80 if fin else 0) | opcode, 0x80 | short]) + rest + bytes(4) + payload


def test_two_hundred_connections_at_once_each_pass_on_their_own() -> None:
    async def play() -> None:
        async with bench() as b:

            async def one(n: int) -> None:
                client = await b.dial(f"/{n}")
                await client.send(f"up {n}")
                assert await hear(client) == f"down {n}"

            async def echo(n: int) -> None:
                server = await b.server.peer(n)
                said = await hear(server)
                assert isinstance(said, str)
                await server.send(said.replace("up", "down"))

            async with trio.open_nursery() as nursery:
                for n in range(200):
                    nursery.start_soon(one, n)
                    nursery.start_soon(echo, n)
            assert len(b.proxy.links) == 200
            assert b.book.connections == 200

    run(play)


def test_a_client_that_never_reads_stops_only_its_own_server_and_memory_is_bounded() -> None:
    async def play() -> None:
        async with bench() as b:
            client, server = await b.pair()
            await client.send("I will read nothing")
            await hear(server)
            piece, sent = "x" * 300_000, 0
            with trio.move_on_after(0.5):
                while True:
                    await server.send(piece)
                    sent += 1
            [link] = b.proxy.links
            assert link.down._weight <= QUEUE_BYTES + 300_000 + 1_000
            assert sent < 100
            await is_well(b)
            with trio.fail_after(5):
                await b.proxy.leave()
                while b.proxy.links:
                    await trio.lowlevel.checkpoint()

    run(play)


def test_half_a_frame_and_then_nothing_hurts_nobody() -> None:
    async def play() -> None:
        async with bench() as b:
            stream = await raw(b, masked(1, b"half", length=4_000))
            await is_well(b)
            await trio.aclose_forcefully(stream)
            assert await hear(await b.server.peer(0)) == Ended("fin")

    run(play)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (masked(1, b"\xff\xfe"), 1007),
        (masked(1, b"\xed\xa0\x80"), 1007),
        (masked(3, b"?"), 1002),
        (masked(0, b"no beginning"), 1002),
        (b"\x81\x03abc", 1002),
        (masked(8, b"\x03"), 1002),
        (masked(9, b"x", fin=False), 1002),
    ],
    ids=["no UTF-8", "surrogate", "opcode 3", "continuation", "no mask", "short close", "ping"],
)
def test_who_breaks_the_websocket_protocol_is_told_so_and_the_other_side_too(
    data: bytes, code: int
) -> None:
    async def play() -> None:
        async with bench() as b:
            stream = await raw(b, data)
            ended = await hear(await b.server.peer(0))
            assert isinstance(ended, Ended)
            assert (ended.how, ended.code) == ("close", code)
            answer = bytes(await stream.receive_some(1000))
            assert answer[0] == 0x88
            assert int.from_bytes(answer[2:4], "big") == code
            await is_well(b)

    run(play)


def test_fragments_make_one_message() -> None:
    async def play() -> None:
        async with bench() as b:
            pieces = (
                masked(1, "ü".encode()[:1], fin=False)
                + masked(9, b"")
                + masked(0, "ü".encode()[1:])
            )
            await raw(b, pieces)
            assert await hear(await b.server.peer(0)) == "ü"

    run(play)


@pytest.mark.parametrize(
    ("said", "status"),
    [
        (b"GET / HTTP/1.1\r\nHost: h\r\n\r\n", b"426"),
        (b"POST / HTTP/1.1\r\nHost: h\r\n\r\n", b"405"),
        (b"\x16\x03\x01 TLS?\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * 70_000, b"431"),
        (b"GET /\xff HTTP/1.1\r\nHost: h\r\n\r\n", b"4"),
    ],
)
def test_what_is_no_websocket_gets_an_http_answer(said: bytes, status: bytes) -> None:
    async def play() -> None:
        async with bench() as b:
            stream = await trio.open_tcp_stream("127.0.0.1", b.port)
            b.streams.append(stream)
            await stream.send_all(said)
            with trio.fail_after(5):
                answer = bytes(await stream.receive_some(1000))
            assert answer.split()[1].startswith(status)
            assert not b.server.got
            await is_well(b)

    run(play)


def test_three_hundred_connections_leave_no_task_and_no_file_behind() -> None:
    async def play() -> None:
        async with bench() as b:
            await is_well(b)
            gc.collect()
            tasks, files = _tasks(), _files()
            for n in range(300):
                client, server = await b.pair()
                await client.send(HELLO)
                await hear(server)
                if n % 3 == 0:
                    await client.close(1000, "")
                    await hear(server)
                    await server.close(1000, "")
                else:
                    await (client.hang_up() if n % 3 == 1 else client.reset())
                    await hear(server)
                await client.hang_up()
                await server.hang_up()
                b.streams.clear()
            with trio.fail_after(10):
                await b.no_links()
            # The test's own server keeps a sleeping task for each connection.
            kept = len(b.server.got) - 1
            assert _tasks() - kept <= tasks + 1
            assert _files() <= files + 2

    run(play)


def _tasks() -> int:
    return trio.lowlevel.current_statistics().tasks_living


def _files() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_what_was_recorded_is_in_the_file_before_the_other_side_has_it(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"

    async def play() -> None:
        async with bench(recording=file) as b:
            client, server = await b.pair()
            await client.send(HELLO)
            await hear(server)
            assert '"type":"hello"' in file.read_text()
            await client.reset()
            assert await hear(server) == Ended("rst")

    run(play)
    from sim.core.trace import read_trace

    kinds = [type(event).__name__ for event in read_trace(file).events]
    assert kinds == [
        "HostStarted", "HostStarted", "ConnectionOpened", "FrameSent", "FrameDelivered",
        "ConnectionClosed", "ConnectionClosed",
    ]  # fmt: skip


def test_a_recording_says_of_a_bad_frame_too_whether_it_arrived(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"

    async def play() -> None:
        async with bench("lose:text#1", recording=file) as b:
            client, server = await b.pair()
            await client.send(HELLO)
            assert await hear(server) == HELLO
            await client.send("lost")
            await client.send("arrives")
            assert await hear(server) == "arrives"

    run(play)
    from sim.core.trace import read_trace

    kinds = [type(event).__name__ for event in read_trace(file).events]
    assert kinds[5:-2] == [
        "FrameSent", "FaultInjected", "FrameLost", "FrameSent", "FrameDelivered", "BadFrame",
    ]  # fmt: skip


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a disk that is full")
def test_a_full_disk_ends_the_recording_and_not_the_connections(tmp_path: Path) -> None:
    async def play() -> None:
        async with bench(recording=tmp_path / "run.jsonl") as b:
            assert b.book.recording is not None
            fill_the_disk(b.book.recording)
            await is_well(b)
            await is_well(b)
            told = [said for said in b.said if "cannot record" in said]
            assert len(told) == 1
            assert "run.jsonl" in told[0]
            assert b.book.unrecorded == told[0]

    run(play)


def test_a_doubled_frame_that_no_receiver_takes_leaves_its_fault_in_the_recording(
    tmp_path: Path,
) -> None:
    file = tmp_path / "run.jsonl"

    async def play() -> None:
        async with bench("duplicate:text", recording=file) as b:
            client, server = await b.pair()
            await client.send("twice")
            assert [await hear(server), await hear(server)] == ["twice", "twice"]

    run(play)
    assert '"fault":"duplicate D.slack#1 D>S 1"' in file.read_text()


def test_frames_of_any_depth_pass_and_are_recorded(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    depths = [*range(880, 1000, 4), 5_000]

    async def play() -> None:
        async with bench(recording=file) as b:
            client, server = await b.pair()
            for depth in depths:
                text = HELLO.replace('"features": []', f'"deep": {"[" * depth}{"]" * depth}')
                await client.send(text)
                assert await hear(server) == text
                await server.send('{"a":' * depth + "1" + "}" * depth)
                await hear(client)

    run(play)
    assert file.read_text().count('"kind":"FrameSent"') == 2 * len(depths)


def test_leaving_closes_both_sides_with_1001_and_refuses_new_clients() -> None:
    async def play() -> None:
        async with bench() as b:
            client, server = await b.pair()
            async with trio.open_nursery() as nursery:
                nursery.start_soon(b.proxy.leave)
                for peer in (client, server):
                    ended = await hear(peer)
                    assert isinstance(ended, Ended)
                    assert ended.code == 1001
                    await peer.close(1001, "")
            with pytest.raises(Exception, match="503"):
                await b.dial()

    run(play)


def test_a_flood_of_pings_from_who_reads_nothing_keeps_one_answer_in_mind() -> None:
    async def play() -> None:
        async with bench() as b:
            client, server = await b.pair()
            stream = b.streams[-1]
            with trio.move_on_after(0.3):
                await stream.send_all(masked(9, b"x" * 100) * 20_000)
            [link] = b.proxy.links
            assert len(link._pings) <= 1
            assert len(link._ponging) <= 1
            await server.send(frame("pong"))
            await is_well(b)
            await client.hang_up()
            with pytest.raises(PeerGone):
                await client.send("gone")

    run(play)
