"""Real WebSockets; the only module that imports ``trio_websocket``."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable

import trio
from trio_websocket import (
    CloseReason,
    ConnectionClosed,
    ConnectionRejected,
    HandshakeError,
    WebSocketConnection,
    WebSocketRequest,
    wrap_client_stream,
    wrap_server_stream,
)

from sim.core.errors import UsageError

__all__ = ["CloseReason", "ConnectionClosed", "Refused", "Socket", "accept", "bind", "dial"]

LOOPBACK = "127.0.0.1"
LINK_HEADER = b"x-hooktwin-link"
HANDSHAKE_S = 10.0
MESSAGE_BYTES = 64 << 20

# What an endpoint may put into a Close frame; the rest only means "no frame came".
_UNSENDABLE = frozenset({1004, 1005, 1006, 1015})


class Refused(Exception):
    """Nobody listens at the address, or what listens is no WebSocket server of ours.

    ``status``: the HTTP status with which it turned us away; 0: none came.
    """

    def __init__(self, why: str, status: int = 0) -> None:
        super().__init__(why)
        self.status = status


class Socket:
    """One end of a real WebSocket, with the TCP stream that it can break."""

    def __init__(self, connection: WebSocketConnection, stream: trio.SocketStream) -> None:
        self._connection = connection
        self._stream = stream

    async def send(self, text: str) -> None:
        """Write a text frame. Raises ConnectionClosed."""
        await self._connection.send_message(text)

    async def receive(self) -> str:
        """Read a text frame. Raises ConnectionClosed when there will be no more."""
        message = await self._connection.get_message()
        return message if isinstance(message, str) else message.decode(errors="replace")

    async def close(self, code: int, reason: str) -> None:
        """Shake hands and close; without a Close frame when the code cannot be sent."""
        if code in _UNSENDABLE or not 1000 <= code < 5000:
            await self.hang_up()
        else:
            await self._connection.aclose(code, reason or None)

    async def hang_up(self) -> None:
        """Close the TCP stream (FIN) without a Close frame."""
        await trio.aclose_forcefully(self._stream)

    async def reset(self) -> None:
        """Abort the TCP stream (RST): what was not read yet is gone."""
        linger_not = struct.pack("ii", 1, 0)
        self._stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger_not)
        await trio.aclose_forcefully(self._stream)


async def dial(nursery: trio.Nursery, port: int, link: str) -> Socket:
    """Connect to a listener of ours on this machine, for the named link.

    Raises Refused when nobody listens there, or nobody answers in time. That the server
    turns us away comes out of ``nursery``: see :func:`rejection_in`.
    """
    try:
        with trio.fail_after(HANDSHAKE_S):
            stream = await trio.open_tcp_stream(LOOPBACK, port)
            return await _shake_hands(nursery, stream, port, link)
    except (OSError, HandshakeError, ConnectionClosed, trio.TooSlowError) as error:
        raise Refused(f"port {port} on {LOOPBACK}: {error}") from error


def rejection_in(errors: BaseExceptionGroup[BaseException]) -> Refused | None:
    """The HTTP status with which a server turned us away, if that is what went wrong.

    The library learns of it in the task that reads the socket.
    """
    rejected, rest = errors.split(ConnectionRejected)
    if rejected is None or rest is not None:
        return None
    first: BaseException = rejected
    while isinstance(first, BaseExceptionGroup):
        first = first.exceptions[0]
    assert isinstance(first, ConnectionRejected)
    return Refused(f"turned away with {first.status_code}", first.status_code)


async def _shake_hands(
    nursery: trio.Nursery, stream: trio.SocketStream, port: int, link: str
) -> Socket:
    try:
        connection = await wrap_client_stream(
            nursery,
            stream,
            f"{LOOPBACK}:{port}",
            "/",
            extra_headers=[(LINK_HEADER, link.encode())],
            max_message_size=MESSAGE_BYTES,
        )
    except BaseException:
        await trio.aclose_forcefully(stream)
        raise
    return Socket(connection, stream)


async def bind(port: int, who: str) -> tuple[int, list[trio.SocketListener]]:
    """Listen on this machine; gives the port (0 asks for any free one) and what listens.

    Raises UsageError when the port is taken or may not be used.
    """
    try:
        listeners = await trio.open_tcp_listeners(port, host=LOOPBACK)
    except OSError as error:
        raise UsageError(
            f"{who} cannot listen on {LOOPBACK}:{port}: {error.strerror or error}; "
            "give it another port, or 0 for any free one"
        ) from error
    chosen: int = listeners[0].socket.getsockname()[1]
    return chosen, listeners


async def accept(
    nursery: trio.Nursery, stream: trio.SocketStream, verdict: Callable[[str], int]
) -> tuple[str, Socket] | None:
    """Answer a client's handshake; gives the link that it names, and our end.

    ``verdict`` gives the HTTP status with which a link is turned away (None); 0: it
    is taken.
    """
    with trio.move_on_after(HANDSHAKE_S):
        request: WebSocketRequest = await wrap_server_stream(
            nursery, stream, max_message_size=MESSAGE_BYTES
        )
        link = dict(request.headers).get(LINK_HEADER, b"").decode(errors="replace")
        status = verdict(link)
        if not status:
            return link, Socket(await request.accept(), stream)
        await request.reject(status, body=b"this world does not take this link")
    return None
