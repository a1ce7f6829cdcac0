"""Whoever comes, and however they behave: the server stays, and serves the others."""

from __future__ import annotations

import gc
import json
import os
import tracemalloc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from wsproto import ConnectionType, WSConnection
from wsproto import events as ws
from wsproto.extensions import PerMessageDeflate

from sim.live import outbox
from sim.live.house import Plan
from sim.live.session import Running
from sim.live.tail import Tail
from sim.protocols.hook.oracles.frames import FrameIdsAreUnique
from tests.live.strangers import Served, eventually, raw, served, status_of, stranger, upgrade

pytestmark = [pytest.mark.trio, pytest.mark.usefixtures("new_garbage_only")]

REQUESTS = {
    "another path": (upgrade("/nothing"), 404),
    "no path": (upgrade("/"), 404),
    "POST": (b"POST /slack HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n", 405),
    "HEAD": (b"HEAD /slack HTTP/1.1\r\nhost: x\r\n\r\n", 405),
    "a browser": (b"GET /slack HTTP/1.1\r\nhost: x\r\n\r\n", 426),
    "HTTP/1.0": (upgrade("/slack").replace(b"1.1", b"1.0"), 426),
    "another upgrade": (upgrade("/slack", upgrade="h2c"), 426),
    "an old WebSocket": (upgrade("/slack", sec_websocket_version="8"), 426),
    "no key": (upgrade("/slack", sec_websocket_key=""), 400),
    "half a key": (upgrade("/slack", sec_websocket_key="abcd"), 400),
    "no base64": (upgrade("/slack", sec_websocket_key="!" * 24), 400),
    "TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 40 + b"\r\n\r\n", 400),
    "noise": (bytes(range(1, 128)) + b"\r\n\r\n", 400),
    "two hosts": (upgrade("/slack").replace(b"host: localhost", b"host: a\r\nhost: b"), 400),
    "a long head": (upgrade("/slack", cookie="x" * 20_000), 431),
    "an endless head": (b"GET /slack HTTP/1.1\r\n" + b"a: b\r\n" * 5_000, 431),
}


async def test_every_wrong_request_gets_a_clean_answer() -> None:
    async with served() as session:
        for name, (request, status) in REQUESTS.items():
            got, told = await status_of(session.port, request)
            assert got == status, name
            assert "content-length" in told.lower(), name
        async with stranger(session.slack) as desktop:
            await desktop.hello()


async def test_who_does_not_finish_a_handshake_is_sent_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sim.drivers.upgrade.HEAD_S", 0.1)
    async with served() as session:
        for start in (b"", b"GET /sl", upgrade("/slack")[:-2]):
            assert (await status_of(session.port, start))[0] == 408


class Wire:
    """A client byte by byte: it may do what no library does."""

    def __init__(self, stream: trio.SocketStream, extensions: list[Any]) -> None:
        self.stream = stream
        self.ws = WSConnection(ConnectionType.CLIENT)
        self.extensions = extensions

    async def send(self, event: ws.Event) -> None:
        await self.stream.send_all(self.ws.send(event))

    async def hear(self, kind: type[Any]) -> Any:
        """The next event of this kind."""
        while True:
            for event in self.ws.events():
                if isinstance(event, kind):
                    return event
            data = await self.stream.receive_some(1 << 16)
            self.ws.receive_data(bytes(data) or None)


@asynccontextmanager
async def wire(session: Served, *extensions: Any) -> AsyncIterator[Wire]:
    async with await trio.open_tcp_stream("127.0.0.1", session.port) as stream:
        one = Wire(stream, list(extensions))
        await one.send(ws.Request("localhost", "/slack", extensions=one.extensions))
        accepted = await one.hear(ws.AcceptConnection)
        assert [type(e) for e in accepted.extensions] == [type(e) for e in extensions]
        yield one


PING = '{"v":1,"type":"ping","id":"p","ts":1,"payload":{}}'


@pytest.mark.parametrize("takeover", [False, True])
async def test_compressed_frames_are_read_and_written(takeover: bool) -> None:
    async with served() as session:
        deflate = PerMessageDeflate(client_no_context_takeover=takeover)
        async with wire(session, deflate) as client:
            for _ in range(3):
                await client.send(ws.TextMessage(PING))
                assert '"pong"' in (await client.hear(ws.TextMessage)).data


@pytest.mark.parametrize(
    "offer",
    [
        "permessage-deflate; server_max_window_bits=8",
        "permessage-deflate; client_max_window_bits=x",
        "permessage-deflate; foo",
        "permessage-deflate; a=b; a=b",
        "permessage-deflate=",
        "x-unknown",
        ";",
    ],
)
async def test_an_odd_offer_is_passed_over(offer: str) -> None:
    async with served() as session:
        request = upgrade("/slack", sec_websocket_extensions=offer)
        async with await trio.open_tcp_stream("127.0.0.1", session.port) as stream:
            await stream.send_all(request)
            answer = await stream.receive_some(4096)
            assert answer.startswith(b"HTTP/1.1 101")
            assert b"extensions" not in answer.lower()


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        (b"\x81\x82\0\0\0\0\xff\xfe", 1007),  # a text that is no UTF-8
        (b"\x83\x80\0\0\0\0", 1002),  # an opcode that there is not
        (b"\xf1\x80\0\0\0\0", 1002),  # bits that nobody agreed on
        (b"\x81\x02hi", 1002),  # not masked
        (b"\x89\xfe\x00\x80\0\0\0\0" + b"x" * 128, 1002),  # a ping of 128 bytes
        (b"\x80\x82\0\0\0\0hi", 1002),  # a continuation of nothing
    ],
)
async def test_what_breaks_the_websocket_protocol_is_closed_with_its_code(
    frame: bytes, code: int
) -> None:
    async with served() as session:
        async with wire(session) as client:
            await client.send(ws.TextMessage(PING))
            await client.hear(ws.TextMessage)
            await client.stream.send_all(frame)
            assert (await client.hear(ws.CloseConnection)).code == code
        async with stranger(session.slack) as desktop:
            await desktop.hello()
        assert not [line for line in session.log if "broke" in line]


async def test_a_frame_that_is_too_long_is_closed_with_1009(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sim.drivers.websocket.MESSAGE_BYTES", 1 << 16)
    async with served() as session, wire(session) as client:
        await client.send(ws.TextMessage("x" * (1 << 16)))
        await client.send(ws.TextMessage(PING))
        assert '"pong"' in (await client.hear(ws.TextMessage)).data
        await client.send(ws.TextMessage("x" * ((1 << 16) + 1)))
        assert (await client.hear(ws.CloseConnection)).code == 1009


@pytest.mark.deep
async def test_frames_of_48_mi_pass_and_those_above_64_mi_do_not() -> None:
    async with served() as session:
        async with stranger(session.slack) as desktop:
            await desktop.hello()
            await desktop.send("ping", fill="x" * (48 << 20))
            await desktop.send("ping")
            await desktop.hear("pong")
        async with wire(session) as client:
            await client.send(ws.TextMessage("x" * (65 << 20)))
            assert (await client.hear(ws.CloseConnection)).code == 1009
        async with stranger(session.slack) as desktop:
            await desktop.hello()


async def test_half_a_frame_and_then_nothing_stops_nobody() -> None:
    async with served() as session, wire(session) as client:
        await client.stream.send_all(b"\x81\xfe\x10\x00\0\0\0\0half of it")
        async with stranger(session.slack) as desktop:
            await desktop.hello()
            await desktop.send("ping")
            await desktop.hear("pong")


async def test_who_never_reads_is_cut_off_and_the_others_do_not_notice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bounds = {"most_frames": 50, "most_chars": 1 << 20}
    monkeypatch.setattr(outbox.Outbox.__init__, "__kwdefaults__", bounds)
    async with served() as session, wire(session) as deaf:
        hello = json.loads(PING) | {"type": "hello", "payload": hello_of("deaf")}
        await deaf.send(ws.TextMessage(json.dumps(hello)))
        async with stranger(session.slack, "good") as good:
            await good.hello()
            assert await eventually(partial(_is_written_to_and_cut_off, session))
            await good.send("ping")
            await good.hear("pong")


async def _is_written_to_and_cut_off(session: Served) -> bool:
    """Much is written to the first desktop, until it is told that it does not read."""
    await session.post("/message", text="x" * 500_000, person="P")
    return any("does not read" in line for line in session.log)


def hello_of(device: str) -> dict[str, Any]:
    return {"protocolVersion": 1, "deviceId": device, "deviceName": "d", "workspaces": ["chat"],
            "agents": []}  # fmt: skip


async def _says_hello(port: int, number: int, done: list[int]) -> None:
    """By hand: 500 clients of the library's would cost more than the server does."""
    hello = {"v": 1, "type": "hello", "id": "h", "ts": 1, "payload": hello_of(f"d{number}")}
    text = json.dumps(hello).encode()
    frame = b"\x81\xfe" + len(text).to_bytes(2, "big") + b"\0\0\0\0" + text
    async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
        await stream.send_all(upgrade("/slack"))
        heard = await stream.receive_some(4096)
        assert b" 101 " in heard
        await stream.send_all(frame)
        while b'"welcome"' not in heard:
            more = await stream.receive_some(4096)
            assert more, heard
            heard += more
        done.append(number)
        await trio.sleep_forever()


async def _are_all(done: list[int], count: int) -> bool:
    return len(done) == count


async def test_many_desktops_at_once_are_all_welcomed() -> None:
    count = 500
    done: list[int] = []
    async with served() as session, trio.open_nursery() as nursery:
        for number in range(count):
            nursery.start_soon(_says_hello, session.port, number, done)
        await eventually(lambda: _are_all(done, count), 40)
        assert len(await session.get("/links")) == count
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("cycles", [60, pytest.param(1_000, marks=pytest.mark.deep)])
async def test_connections_that_come_and_go_leave_nothing_behind(cycles: int) -> None:
    async with served() as session:
        async with stranger(session.slack) as desktop:
            await desktop.hello()
        before = _open_things()
        for number in range(cycles):
            if number % 3 == 0:
                await status_of(session.port, upgrade("/nothing"))
            elif number % 3 == 1:
                await raw(session.port, upgrade("/slack"), then_wait=False)
            else:
                async with stranger(session.slack) as desktop:
                    await desktop.hello()
        assert await eventually(partial(_is_calm, before))
        assert await session.get("/links") == []


def _open_things() -> tuple[int, int]:
    gc.collect()
    return len(os.listdir("/proc/self/fd")), trio.lowlevel.current_statistics().tasks_living


async def _is_calm(before: tuple[int, int]) -> bool:
    files, tasks = _open_things()
    return files <= before[0] and tasks <= before[1]


async def test_memory_does_not_grow_with_the_frames(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Tail.__init__, "__defaults__", (200, None))
    monkeypatch.setattr(FrameIdsAreUnique, "REMEMBERED", 100)
    record = tmp_path / "run.jsonl"
    async with served(record=record) as session, stranger(session.slack) as desktop:
        await desktop.hello()
        await _ping_pong(desktop, 200)
        tracemalloc.start()
        try:
            await _ping_pong(desktop, 200)
            middle = tracemalloc.get_traced_memory()[0]
            await _ping_pong(desktop, 200)
            growth = tracemalloc.get_traced_memory()[0] - middle
        finally:
            tracemalloc.stop()
    assert growth < 150_000
    assert session.summary is not None
    assert session.summary.frames >= 1_200


@pytest.mark.deep
async def test_a_hundred_thousand_frames_take_no_more_memory_than_a_third_of_them(
    tmp_path: Path,
) -> None:
    plan = Plan(running=Running(tmp_path / "run.jsonl"))
    async with served(plan, within_s=500) as session, stranger(session.slack) as desktop:
        await desktop.hello()
        await _ping_pong(desktop, 20_000)
        before = _resident_bytes()
        await _ping_pong(desktop, 30_000)
        growth = _resident_bytes() - before
    assert session.summary is not None
    assert session.summary.frames >= 100_000
    assert growth < 16 << 20


def _resident_bytes() -> int:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


async def _ping_pong(desktop: Any, times: int) -> None:
    for _ in range(times // 20):
        for _ in range(20):
            await desktop.send("ping")
        for _ in range(20):
            await desktop.hear("pong")
