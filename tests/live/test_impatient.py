"""Clients that do not wait: frames behind the request, floods of frames whose answers they read."""

from __future__ import annotations

import json
import struct

import pytest
import trio
import trio.testing

from sim.live.outbox import Outbox
from tests.live.proxying import HELLO, bench, run
from tests.live.strangers import served

REQUEST = (
    b"GET /slack HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
    b"sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)


def masked(text: str) -> bytes:
    """A text frame of a client whose mask changes nothing."""
    data = text.encode()
    size = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data))
    return b"\x81" + size + bytes(4) + data


async def dialled(port: int) -> trio.SocketStream:
    return await trio.open_tcp_stream("127.0.0.1", port)


async def heard_of(stream: trio.SocketStream, word: bytes) -> bytes:
    """What comes until a word is in it."""
    data = b""
    with trio.fail_after(20):
        while word not in data:
            data += await stream.receive_some()
    return data


@pytest.mark.trio
@pytest.mark.parametrize("split", [0, 3])
async def test_a_hello_in_the_same_packet_as_the_request_is_heard(split: int) -> None:
    frame = masked(HELLO)
    async with served() as session, await dialled(session.port) as stream:
        await stream.send_all(REQUEST + frame[: len(frame) - split])
        if split:
            await heard_of(stream, b"101")
            await stream.send_all(frame[len(frame) - split :])
        assert b"serverName" in await heard_of(stream, b'"type":"welcome"')


def test_a_proxy_passes_on_what_came_with_the_request() -> None:
    async def play() -> None:
        async with bench() as b, await trio.open_tcp_stream("127.0.0.1", b.port) as stream:
            await stream.send_all(REQUEST + masked(HELLO))
            server = await b.server.peer()
            assert await server.receive() == HELLO

    run(play)


@pytest.mark.trio
async def test_who_reads_is_not_cut_off_however_fast_it_sends() -> None:
    count, ping = 2_500, {"v": 1, "type": "ping", "ts": 1, "payload": {}}
    async with (
        served() as session,
        await dialled(session.port) as stream,
        trio.open_nursery() as nursery,
    ):
        await stream.send_all(REQUEST + masked(HELLO))

        async def flood() -> None:
            for start in range(0, count, 500):
                frames = ({**ping, "id": str(n)} for n in range(start, start + 500))
                await stream.send_all(b"".join(masked(json.dumps(one)) for one in frames))

        nursery.start_soon(flood)
        pongs, rest = 0, b""
        with trio.fail_after(60):
            while pongs < count:
                more = await stream.receive_some()
                assert more, "cut off"
                rest += more
                pongs += rest.count(b'"pong"')
                rest = rest[-5:]
    assert not any("does not read" in line for line in session.log)


class Deaf:
    """A socket of a program that takes some frames, and then no more."""

    def __init__(self, takes: int) -> None:
        self.left = takes

    async def send(self, text: str) -> None:
        if not self.left:
            await trio.sleep_forever()
        self.left -= 1


async def asks_for_room(takes: int) -> tuple[bool, bool]:
    """(has room, was given up) of an outbox of 10, in which 8 frames wait."""
    given_up = trio.Event()
    outbox = Outbox(Deaf(takes), given_up.set, most_frames=10)
    for n in range(8):
        outbox.put(str(n))
    with trio.move_on_after(60):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(outbox.run)
            await outbox.room()
            nursery.cancel_scope.cancel()
    return len(outbox._texts) <= 5, given_up.is_set()


@pytest.mark.parametrize(("takes", "given_up"), [(8, False), (2, False), (1, True), (0, True)])
def test_who_takes_nothing_while_it_is_waited_for_is_given_up(takes: int, given_up: bool) -> None:
    clock = trio.testing.MockClock(autojump_threshold=0)
    has_room, was_given_up = trio.run(asks_for_room, takes, clock=clock)
    assert (has_room, was_given_up) == (True, given_up)
