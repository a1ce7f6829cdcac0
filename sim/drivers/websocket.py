"""Real WebSockets; the only module that imports ``trio_websocket``.

Three ways in: ``dial``/``accept`` between two ends of ours on this machine,
``dial_url`` to a server of somebody else's, ``welcome`` for a client of
somebody else's whose HTTP request was read already.
"""

from __future__ import annotations

import os
import socket
import ssl
import struct
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import cast
from urllib.parse import urlsplit

import trio
from trio_websocket import (
    CloseReason,
    ConnectionClosed,
    ConnectionRejected,
    HandshakeError,
    WebSocketConnection,
    WebSocketRequest,
    wrap_server_stream,
)
from wsproto import ConnectionType, WSConnection
from wsproto.connection import ConnectionState
from wsproto.events import AcceptConnection, CloseConnection, Event, Request
from wsproto.utilities import LocalProtocolError, RemoteProtocolError

from sim.drivers import deflate
from sim.drivers.listening import cannot_listen
from sim.drivers.upgrade import Head, ReadBefore, linger

__all__ = ["CloseReason", "ConnectionClosed", "Refused", "Socket", "accept", "bind", "dial"]

LOOPBACK = "127.0.0.1"
LINK_HEADER = b"x-hooktwin-link"
HANDSHAKE_S = 10.0
# Until the other side has answered our Close frame.
CLOSING_S = 2.0
MESSAGE_BYTES = 64 << 20
RECEIVE_BYTES = 64 << 10

# What an endpoint may put into a Close frame; the rest only means "no frame came".
_UNSENDABLE = frozenset({1004, 1005, 1006, 1015})
REASON_BYTES = 123

Stream = trio.SocketStream | trio.SSLStream[trio.SocketStream]


class Refused(Exception):
    """Nobody listens at the address, or what listens is no WebSocket server of ours.

    ``status``: the HTTP status with which it turned us away; 0: none came. ``headers``
    and ``body`` are what it said with it, where somebody asked.
    """

    def __init__(
        self,
        why: str,
        status: int = 0,
        headers: tuple[tuple[bytes, bytes], ...] = (),
        body: bytes = b"",
    ) -> None:
        super().__init__(why)
        self.status = status
        self.headers = headers
        self.body = body


class Socket:
    """One end of a real WebSocket, with the TCP stream that it can break."""

    def __init__(self, connection: WebSocketConnection, stream: Stream) -> None:
        self._connection = connection
        self._stream = stream

    async def send(self, text: str) -> None:
        """Write a text frame. Raises ConnectionClosed."""
        try:
            await self._connection.send_message(text)
        except LocalProtocolError:  # the other end closed it a moment ago
            raise ConnectionClosed(self._connection.closed) from None

    async def receive(self) -> str:
        """Read a text frame. Raises ConnectionClosed when there will be no more."""
        message = await self.receive_any()
        return message if isinstance(message, str) else message.decode(errors="replace")

    async def receive_any(self) -> str | bytes:
        """Read a frame, text or binary. Raises ConnectionClosed when there will be no more."""
        return await self._connection.get_message()

    async def close(self, code: int, reason: str) -> None:
        """Shake hands and close; without a Close frame when the code cannot be sent."""
        if code in _UNSENDABLE or not 1000 <= code < 5000:
            await self.hang_up()
            return
        # A longer reason does not fit into a control frame.
        short = reason.encode()[:REASON_BYTES].decode(errors="ignore")
        with suppress(LocalProtocolError):
            await self._connection.aclose(code, short or None)

    async def leave(self, code: int = 1000, reason: str = "") -> None:
        """Close towards somebody who may not listen: say it, wait a little, hang up."""
        with trio.move_on_after(CLOSING_S):
            await self.close(code, reason)
            if isinstance(self._stream, trio.SocketStream):
                # Busy: somebody is still writing to a client that does not read.
                with suppress(
                    trio.BrokenResourceError, trio.ClosedResourceError, trio.BusyResourceError
                ):
                    await linger(self._stream)
        await self.hang_up()

    async def hang_up(self) -> None:
        """Close the TCP stream (FIN) without a Close frame."""
        await trio.aclose_forcefully(self._stream)

    async def reset(self) -> None:
        """Abort the TCP stream (RST): what was not read yet is gone."""
        linger_not = struct.pack("ii", 1, 0)
        stream = self._stream
        tcp = stream.transport_stream if isinstance(stream, trio.SSLStream) else stream
        with suppress(OSError, trio.ClosedResourceError):
            tcp.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger_not)
        await trio.aclose_forcefully(stream)


class _Guest(WebSocketConnection):
    """A connection with somebody else's program: compresses if asked to, and says why it closes."""

    async def _accept(
        self, request: Request, subprotocol: str | None, extra_headers: list[tuple[bytes, bytes]]
    ) -> None:
        self._subprotocol = subprotocol
        self._path = request.target
        accepted = AcceptConnection(
            subprotocol=subprotocol,
            extra_headers=extra_headers,
            extensions=list(deflate.extensions(cast(list[str], request.extensions))),
        )
        await self._send(accepted)
        self._open_handshake.set()

    async def _handle_close_connection_event(self, event: CloseConnection) -> None:
        """What cannot be read (no UTF-8, a broken frame) is answered with the reason."""
        if self._wsproto.state == ConnectionState.OPEN:
            self._close_reason = CloseReason(event.code, event.reason or None)
            await self._send(CloseConnection(code=event.code, reason=event.reason))
            await self._recv_channel.aclose()
            self._reader_running = False
            return
        await super()._handle_close_connection_event(event)


class _Caller(WebSocketConnection):
    """A connection to somebody else's server, which need not be a WebSocket server at all.

    ``refusal`` is there when the handshake is over without a connection. Left to itself the
    library takes what is no handshake for a defect of ours, and waits on when the server hangs up.
    """

    refusal: Refused | None = None
    _is_taken = False

    async def _reader_task(self) -> None:
        why = "it hung up during the handshake"
        try:
            await super()._reader_task()
        except ConnectionRejected:
            raise
        except (RemoteProtocolError, ValueError):
            if self._is_taken:
                raise
            why = "it is no WebSocket server"
        if not self._is_taken:
            status = self._reject_status or 0
            self.refusal = Refused(f"turned away with {status}" if status else why, status)
            self._open_handshake.set()

    async def _handle_accept_connection_event(self, event: AcceptConnection) -> None:
        self._is_taken = True
        await super()._handle_accept_connection_event(event)

    async def _send(self, event: Event) -> None:
        if not self._is_taken and not isinstance(event, Request):
            raise RemoteProtocolError("there is nobody to tell before the handshake")
        await super()._send(event)


async def dial(nursery: trio.Nursery, port: int, link: str) -> Socket:
    """Connect to a listener of ours on this machine, for the named link.

    Raises Refused when nobody listens there, or nobody answers in time. That the server
    turns us away comes out of ``nursery``: see :func:`rejection_in`.
    """
    try:
        with trio.fail_after(HANDSHAKE_S):
            stream = await trio.open_tcp_stream(LOOPBACK, port)
            headers = [(LINK_HEADER, link.encode())]
            return await _shake_hands(nursery, stream, f"{LOOPBACK}:{port}", "/", headers)
    except (OSError, HandshakeError, ConnectionClosed, trio.TooSlowError) as error:
        raise Refused(f"port {port} on {LOOPBACK}: {reason_of(error)}") from error


async def dial_url(
    nursery: trio.Nursery, url: str, headers: Sequence[tuple[bytes, bytes]], limit_s: float
) -> Socket:
    """Connect to somebody else's server, by ``ws://`` or ``wss://``.

    Raises Refused as :func:`dial` does; what the server says comes out of ``nursery``.
    """
    parts = urlsplit(url)
    host, secure = parts.hostname or "", parts.scheme == "wss"
    port = parts.port or (443 if secure else 80)
    resource = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        with trio.fail_after(limit_s):
            tcp = await trio.open_tcp_stream(host, port)
            stream: Stream = await _secured(tcp, host) if secure else tcp
            return await _shake_hands(nursery, stream, parts.netloc, resource, list(headers))
    except trio.TooSlowError:
        raise Refused(f"{host}:{port} did not answer within {limit_s:g} s") from None
    except UnicodeError:
        raise Refused(f"{host}:{port}: this is no name of a host") from None
    except Refused as refused:
        raise Refused(f"{host}:{port}: {refused}", refused.status) from None
    except (OSError, trio.BrokenResourceError, HandshakeError, ConnectionClosed) as error:
        raise Refused(f"{host}:{port}: {reason_of(error)}") from error


async def _secured(tcp: trio.SocketStream, host: str) -> Stream:
    """TLS on a connection. Raises BrokenResourceError for a certificate that nobody trusts."""
    context = ssl.create_default_context()
    stream = trio.SSLStream(tcp, context, server_hostname=host, https_compatible=True)
    try:
        await stream.do_handshake()
    except BaseException:
        await trio.aclose_forcefully(tcp)
        raise
    return stream


def reason_of(error: BaseException) -> str:
    """Why a dial failed, in the words of the system: ``connection refused``.

    The library tries each address of a host, and hides their errors behind one of its own.
    """
    while isinstance(error, BaseExceptionGroup) or error.__cause__ is not None:
        inner = error.exceptions[0] if isinstance(error, BaseExceptionGroup) else error.__cause__
        assert inner is not None
        error = inner
    if isinstance(error, socket.gaierror):
        return str(error.strerror).lower()
    if isinstance(error, OSError) and not isinstance(error, ssl.SSLError) and error.errno:
        # The library's sockets put the address before the system's words.
        return os.strerror(error.errno).lower()
    return str(error) or type(error).__name__


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
    nursery: trio.Nursery,
    stream: Stream,
    host: str,
    resource: str,
    headers: list[tuple[bytes, bytes]],
) -> Socket:
    try:
        connection = _Caller(
            stream,
            WSConnection(ConnectionType.CLIENT),
            host=host,
            path=resource,
            client_extra_headers=headers,
            max_message_size=MESSAGE_BYTES,
            receive_buffer_size=RECEIVE_BYTES,
        )
        nursery.start_soon(connection._reader_task)
        await connection._open_handshake.wait()
        if connection.refusal is not None:
            raise connection.refusal
    except BaseException:
        await trio.aclose_forcefully(stream)
        raise
    return Socket(connection, stream)


async def bind(port: int, who: str, host: str = LOOPBACK) -> tuple[int, list[trio.SocketListener]]:
    """Listen on this machine; gives the port (0 asks for any free one) and what listens.

    Raises UsageError when the port is taken or may not be used, or the host is none.
    """
    try:
        listeners = await trio.open_tcp_listeners(port, host=host)
    except (OSError, UnicodeError) as error:
        raise cannot_listen(who, host, port, error) from error
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


async def welcome(nursery: trio.Nursery, stream: trio.SocketStream, head: Head) -> Socket | None:
    """Make the WebSocket that a client's request asks for; None if it went away meanwhile.

    Frames of up to 64 Mi characters are read, a longer one closes with 1009; whoever
    offers permessage-deflate gets it. A client that sends the next frame is not heard
    before the last one was taken.
    """
    source = ReadBefore(stream, head)
    guest = _Guest(
        source,
        WSConnection(ConnectionType.SERVER),
        max_message_size=MESSAGE_BYTES,
        receive_buffer_size=RECEIVE_BYTES,
    )
    nursery.start_soon(guest._reader_task)
    with trio.move_on_after(HANDSHAKE_S), suppress(ConnectionClosed):
        request = await guest._get_request()
        connection = await request.accept()
        source.answered()
        return Socket(connection, stream)
    return None
