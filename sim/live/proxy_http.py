"""Plain HTTP requests beside the WebSockets: passed on to the real server, and back.

Only the head is read; bodies go through as they are, and are recorded nowhere.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import h11
import trio

from sim.drivers.upgrade import Answer, Head, answer
from sim.drivers.websocket import Refused
from sim.live.proxy_upstream import Upstream

IDLE_S = 60.0
"""How long neither side may say anything."""
CHUNK_BYTES = 1 << 16
_LEFT_OUT = (b"host", b"connection", b"keep-alive", b"upgrade", b"proxy-connection",
             b"proxy-authorization", b"proxy-authenticate")  # fmt: skip


async def pass_on(
    stream: trio.SocketStream, head: Head, upstream: Upstream, say: Callable[[str], None]
) -> None:
    """Ask the real server, and tell the client what it says; ``say`` hears what goes wrong."""
    request = _again(head, upstream)
    try:
        server = await upstream.dial()
    except Refused as refused:
        say(f"{head.plain} {head.path} could not be passed on: {refused}")
        await answer(stream, Answer(502, f"hooktwin proxy: {refused}", (), head.plain == "HEAD"))
        return
    try:
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            await server.send_all(request + head.early)
            await _exchange(stream, server)
    finally:
        await trio.aclose_forcefully(server)


async def _exchange(client: trio.SocketStream, server: trio.abc.Stream) -> None:
    """Until the server has said everything: the request asks it to hang up then."""
    with trio.CancelScope(deadline=trio.current_time() + IDLE_S) as scope:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_pump, client, server, scope)
            await _pump(server, client, scope)
            nursery.cancel_scope.cancel()
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            await client.send_eof()


async def _pump(source: trio.abc.Stream, target: trio.abc.Stream, scope: trio.CancelScope) -> None:
    with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
        while data := await source.receive_some(CHUNK_BYTES):
            scope.deadline = trio.current_time() + IDLE_S
            await target.send_all(data)


def _again(head: Head, upstream: Upstream) -> bytes:
    """The head of the same request to the real server."""
    connection = h11.Connection(h11.SERVER)
    connection.receive_data(head.raw)
    asked = connection.next_event()
    assert isinstance(asked, h11.Request)
    target = upstream.target(asked.target.decode("ascii"))
    lines = [
        b"%s %s HTTP/1.1" % (bytes(asked.method), target.encode("ascii")),
        b"Host: " + upstream.authority.encode("ascii"),
        *(
            b"%s: %s" % (bytes(name), bytes(value))
            for name, value in asked.headers
            if name not in _LEFT_OUT
        ),
        b"Connection: close",
    ]
    return b"\r\n".join(lines) + b"\r\n\r\n"
