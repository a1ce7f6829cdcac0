"""One end of a WebSocket for whoever stands between two programs.

``websocket.Socket`` is a participant: its library answers pings and Close frames
by itself, and joins both ends of the TCP stream. Somebody in the middle must not
do either behind one's back (a half-open connection answers nothing), has to tell
a FIN from an RST, and passes on what it does not like. So this stands on the lower
of the two libraries, which only understands bytes.
"""

from __future__ import annotations

import socket
import struct
from collections import deque
from collections.abc import Callable
from typing import Any, Literal

import attrs
import trio
from wsproto import ConnectionType, WSConnection
from wsproto import events as seen
from wsproto.connection import ConnectionState
from wsproto.extensions import Extension, PerMessageDeflate
from wsproto.frame_protocol import CloseReason
from wsproto.utilities import LocalProtocolError, RemoteProtocolError

from sim.drivers import deflate
from sim.drivers.upgrade import Answer, Head
from sim.drivers.websocket import MESSAGE_BYTES, Refused

CHUNK_BYTES = 1 << 16
REFUSAL_BYTES = 1 << 16

Headers = tuple[tuple[bytes, bytes], ...]


@attrs.frozen
class Upgrade:
    """What a client asks for: ``target`` is path and query; ``headers`` are as they came,
    those of the handshake among them; ``extensions`` what it offers."""

    target: str
    headers: Headers = ()
    subprotocols: tuple[str, ...] = ()
    extensions: tuple[str, ...] = ()


@attrs.frozen
class Pinged:
    """A ping came; a living end answers with :meth:`Peer.pong`."""

    payload: bytes


@attrs.frozen
class Ended:
    """There will be no more. ``how``: ``close`` (a Close frame came), ``fin`` or ``rst``
    (the TCP stream ended), ``fault`` (the other side broke the WebSocket protocol, and is
    to be told ``code`` and ``reason``)."""

    how: Literal["close", "fin", "rst", "fault"]
    code: int = 1006
    reason: str = ""


class PeerGone(Exception):
    """Nothing can be written to this end any more."""


class Peer:
    """One end of a WebSocket, message by message."""

    def __init__(self, stream: trio.abc.Stream, ws: WSConnection, early: bytes = b"") -> None:
        """``early`` is what was read of the stream already, behind the handshake."""
        self._stream = stream
        self._early = early
        self._ws = ws
        self._lock = trio.StrictFIFOLock()
        self._heard: deque[seen.Event] = deque()
        self._parts: list[Any] = []
        self._size = 0
        self._ended: Ended | None = None
        self.subprotocol: str | None = None
        self.headers: Headers = ()

    # -- reading -----------------------------------------------------------------

    async def receive(self) -> str | bytes | Pinged | Ended:
        """The next message, whole, or what else came; after an Ended always that one."""
        while self._ended is None:
            self._heard.extend(self._ws.events())
            while self._heard:
                news = self._understand(self._heard.popleft())
                if isinstance(news, Ended):
                    self._ended = news
                if news is not None:
                    return news
            await self._read()
        return self._ended

    async def _read(self) -> None:
        if self._early:
            data, self._early = self._early, b""
            self._ws.receive_data(data)
            return
        try:
            data = bytes(await self._stream.receive_some(CHUNK_BYTES))
        except trio.BrokenResourceError:
            self._ended = Ended("rst")
            return
        except trio.ClosedResourceError:
            data = b""
        if data:
            self._ws.receive_data(data)
        else:
            self._ended = Ended("fin")

    def _understand(self, event: seen.Event) -> str | bytes | Pinged | Ended | None:
        match event:
            case seen.Ping():
                return Pinged(bytes(event.payload))
            case seen.CloseConnection():
                # What the parser refuses looks the same, but no Close frame has come.
                over = (ConnectionState.REMOTE_CLOSING, ConnectionState.CLOSED)
                how: Literal["close", "fault"] = "close" if self._ws.state in over else "fault"
                return Ended(how, int(event.code), event.reason or "")
            case seen.TextMessage() | seen.BytesMessage():
                return self._collect(event)
            case _:
                return None

    def _collect(self, piece: seen.Message[Any]) -> str | bytes | Ended | None:
        """A message, when its last piece is there."""
        if piece.data:  # empty pieces without end must not fill the memory
            self._parts.append(piece.data)
        self._size += len(piece.data)
        if self._size > MESSAGE_BYTES:
            self._parts.clear()
            return Ended("fault", 1009, f"a message of more than {MESSAGE_BYTES} bytes")
        if not piece.message_finished:
            return None
        parts, self._parts, self._size = self._parts, [], 0
        return "".join(parts) if isinstance(piece, seen.TextMessage) else b"".join(parts)

    # -- writing -----------------------------------------------------------------

    async def send(self, message: str | bytes, leaving: Callable[[], None] | None = None) -> None:
        """Write one message. ``leaving`` is called before its last byte leaves: the other
        side may answer before we come to take down that it is written. Raises PeerGone.
        """
        event: seen.Event = (
            seen.TextMessage(data=message)
            if isinstance(message, str)
            else seen.BytesMessage(data=message)
        )
        await self.write(event, leaving)

    async def pong(self, payload: bytes) -> None:
        """Answer a ping. Raises PeerGone."""
        await self.write(seen.Pong(payload=payload))

    async def close(self, code: int, reason: str) -> None:
        """Write a Close frame, or the answer to one; 1005 is one without a code.

        Raises PeerGone.
        """
        if code == CloseReason.NO_STATUS_RCVD:
            await self.write(seen.CloseConnection(CloseReason.NO_STATUS_RCVD))
        else:
            await self.write(seen.CloseConnection(code, reason or None))

    async def accept(self, upgrade: Upgrade, subprotocol: str | None, headers: Headers) -> None:
        """The server's end says yes. Raises PeerGone."""
        extensions = list(deflate.extensions(upgrade.extensions))
        await self.write(seen.AcceptConnection(subprotocol, extensions, list(headers)))

    async def refuse(self, status: int, headers: Headers, body: bytes) -> None:
        """The server's end says no, with an HTTP status. Raises PeerGone."""
        length = (b"content-length", str(len(body)).encode())
        await self.write(seen.RejectConnection(status, [*headers, length], has_body=True))
        await self.write(seen.RejectData(data=body, body_finished=True))

    async def write(self, event: seen.Event, leaving: Callable[[], None] | None = None) -> None:
        """Write one thing of the library's vocabulary; for ``leaving`` see :meth:`send`.

        Raises PeerGone.
        """
        async with self._lock:
            try:
                data = self._ws.send(event)
                if leaving is not None:
                    if len(data) > CHUNK_BYTES:  # it may take its time
                        await self._stream.send_all(data[:-1])
                        data = data[-1:]
                    leaving()
                await self._stream.send_all(data)
            except (LocalProtocolError, trio.BrokenResourceError, trio.ClosedResourceError):
                raise PeerGone from None

    # -- ending ------------------------------------------------------------------

    async def finish(self) -> None:
        """Say nothing more (FIN), without a Close frame, but still read. Raises PeerGone."""
        async with self._lock:
            try:
                if isinstance(self._stream, trio.SocketStream):
                    await self._stream.send_eof()
                else:
                    await self._stream.aclose()
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                raise PeerGone from None

    async def hang_up(self) -> None:
        """End the TCP stream without a Close frame."""
        await trio.aclose_forcefully(self._stream)

    async def reset(self) -> None:
        """Abort the TCP stream (RST): what was not read yet is gone."""
        stream = self._stream
        while isinstance(stream, trio.SSLStream):
            stream = stream.transport_stream
        if isinstance(stream, trio.SocketStream) and stream.socket.fileno() >= 0:
            linger_not = struct.pack("ii", 1, 0)
            stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger_not)
        await trio.aclose_forcefully(self._stream)


# -- handshakes ----------------------------------------------------------------------


def meet(stream: trio.abc.Stream, head: Head) -> tuple[Peer, Upgrade] | Answer:
    """The server's end for a request that was read; whoever calls this accepts or refuses.

    Gives the answer to a request that the library does not take.
    """
    ws = WSConnection(ConnectionType.SERVER)
    try:
        ws.receive_data(head.raw)
        for event in ws.events():
            if isinstance(event, seen.Request):
                headers = tuple((bytes(name), bytes(value)) for name, value in event.extra_headers)
                offers = tuple(map(str, event.extensions))
                asked = Upgrade(event.target, headers, tuple(event.subprotocols), offers)
                return Peer(stream, ws, head.early), asked
    except (RemoteProtocolError, UnicodeError):
        pass
    return Answer(400, "this is no handshake of a WebSocket client")


async def reach(stream: trio.abc.Stream, host: str, upgrade: Upgrade) -> Peer:
    """Shake hands with a server; ``host`` is the Host header.

    Raises Refused with the status, the headers and the body with which it says no.
    """
    ws = WSConnection(ConnectionType.CLIENT)
    peer = Peer(stream, ws)
    compress = any(deflate.extensions(upgrade.extensions))
    extensions: list[Extension] = [PerMessageDeflate()] if compress else []
    request = seen.Request(
        host, upgrade.target, extensions, list(upgrade.headers), list(upgrade.subprotocols)
    )
    no = Refused("it hung up during the handshake")
    try:
        await peer.write(request)
        while data := await stream.receive_some(CHUNK_BYTES):
            ws.receive_data(bytes(data))
            for event in ws.events():
                if isinstance(event, seen.AcceptConnection):
                    peer.subprotocol, peer.headers = event.subprotocol, tuple(event.extra_headers)
                    return peer
                no = _refusal(no, event)
            if no.status and (ws.state is ConnectionState.CLOSED or _is_long(no)):
                break
    except (PeerGone, trio.BrokenResourceError):
        pass
    except RemoteProtocolError as error:
        no = Refused(f"no WebSocket handshake: {error}")
    raise no


def _refusal(so_far: Refused, event: seen.Event) -> Refused:
    if isinstance(event, seen.RejectConnection):
        why = f"turned away with {event.status_code}"
        return Refused(why, event.status_code, tuple(event.headers))
    if isinstance(event, seen.RejectData):
        so_far.body += event.data
    return so_far


def _is_long(no: Refused) -> bool:
    return len(no.body) > REFUSAL_BYTES
