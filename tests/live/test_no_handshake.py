"""Servers that are no WebSocket servers, or hang up: a dial that fails, and no defect of ours."""

from __future__ import annotations

from functools import partial

import pytest
import trio

from sim.drivers.websocket import Refused, dial_url

pytestmark = pytest.mark.trio


@pytest.mark.parametrize(
    ("answer", "why", "status"),
    [
        (b"", "hung up during the handshake", 0),
        (b"SSH-2.0-OpenSSH\r\n", "hung up during the handshake", 0),
        (b"SSH-2.0-OpenSSH\r\n\r\n", "is no WebSocket server", 0),
        (b"HTTP/1.1 101 Yes\r\n\r\n", "is no WebSocket server", 0),
        (b"\x00" * 100, "is no WebSocket server", 0),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", "turned away with 200", 200),
    ],
)
async def test_what_is_no_handshake_is_a_refused_dial_at_once(
    answer: bytes, why: str, status: int
) -> None:
    async def speak(stream: trio.SocketStream) -> None:
        await stream.receive_some(4096)
        await stream.send_all(answer)

    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(partial(trio.serve_tcp, speak, 0, host="127.0.0.1"))
        url = f"ws://127.0.0.1:{listeners[0].socket.getsockname()[1]}/"
        with trio.fail_after(5), pytest.raises(Refused, match=why) as told:
            await dial_url(nursery, url, [], 60)
        nursery.cancel_scope.cancel()
    assert told.value.status == status
