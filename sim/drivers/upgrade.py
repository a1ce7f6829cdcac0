"""The HTTP request in front of a WebSocket: read within bounds, judged, answered cleanly.

A server that speaks nothing but WebSocket still meets browsers, port scanners
and clients that never finish their request. They get an HTTP answer that says
what is wrong, and no more time and memory than the bounds here allow.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from http import HTTPStatus

import attrs
import h11
import trio

# Seconds for a whole request head, and its size; what a desktop sends has 1 KiB.
HEAD_S = 10.0
HEAD_BYTES = 16 << 10
# Seconds and bytes for which a client that was answered may go on talking.
LINGER_S = 1.0
LINGER_BYTES = 4 << 20
BODILESS = (204, 304)
"""Statuses whose answers never carry a body (RFC 9110 15.3.5, 15.4.5)."""


@attrs.frozen
class Head:
    """A request for a WebSocket: its path, its headers (names in lower case), its raw bytes,
    and the query behind the path. ``early`` is what came behind it: frames of a client that
    did not wait for its answer, as RFC 6455, section 4.1, demands. ``plain`` is the method of
    a request that is for no WebSocket ("": it is for one); its body may have begun in ``early``.
    """

    path: str
    headers: Mapping[str, str]
    raw: bytes
    query: str = ""
    early: bytes = b""
    plain: str = ""


@attrs.frozen
class Answer:
    """What is said instead of a WebSocket. ``is_head``: to a HEAD, which is told the length of
    the body and not the body (RFC 9110 9.3.2)."""

    status: int
    text: str
    headers: tuple[tuple[str, str], ...] = ()
    is_head: bool = False

    def _headers(self) -> tuple[tuple[str, str], ...]:
        if any(name == "Content-Type" for name, _ in self.headers):
            return self.headers
        return (("Content-Type", "text/plain; charset=utf-8"), *self.headers)

    def encode(self) -> bytes:
        """The whole HTTP response; the connection ends behind it."""
        body = f"{self.text}\n".encode()
        is_empty = self.status in BODILESS
        upgrades = any(name == "Upgrade" for name, _ in self.headers)
        lines = [
            f"HTTP/1.1 {self.status} {phrase(self.status)}",
            *(f"{name}: {value}" for name, value in self._headers()),
            *([] if is_empty else [f"Content-Length: {len(body)}"]),
            f"Connection: {'close, Upgrade' if upgrades else 'close'}",
        ]
        head = "\r\n".join(lines).encode() + b"\r\n\r\n"
        return head if is_empty or self.is_head else head + body


class ReadBefore(trio.abc.Stream):
    """A stream of which the request was read already: that comes first again.

    What is behind it comes when it was answered, see :meth:`answered`: the library forgets
    frames that come before. Once somebody else has the stream, to :func:`linger` on it, nothing
    comes any more, and whoever still writes finds it broken.
    """

    def __init__(self, stream: trio.SocketStream, head: Head) -> None:
        self._stream = stream
        self._request, self._early = head.raw, head.early
        self._answered = trio.Event()

    def answered(self) -> None:
        """The request has its answer: frames may come."""
        self._answered.set()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        """What was read before, then the rest."""
        if self._request:
            taken, self._request = self._request, b""
            return taken
        await self._answered.wait()
        if self._early:
            taken, self._early = self._early, b""
            return taken
        try:
            return await self._stream.receive_some(max_bytes)
        except trio.BusyResourceError:
            await trio.sleep_forever()

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Straight through. Raises BrokenResourceError."""
        try:
            await self._stream.send_all(data)
        except trio.BusyResourceError:
            raise trio.BrokenResourceError("the connection is being ended") from None

    async def wait_send_all_might_not_block(self) -> None:
        """Straight through."""
        await self._stream.wait_send_all_might_not_block()

    async def aclose(self) -> None:
        """Straight through."""
        await self._stream.aclose()


async def read_head(
    stream: trio.SocketStream, check: Callable[[str, str], Answer | None], api: str = ""
) -> Head | Answer | None:
    """The request of a client; what is wrong with it; or None: it went away.

    ``check(method, path)`` may refuse before the WebSocket's own headers are looked at.
    Paths that begin with ``api`` ("": none do) are for plain requests.
    """
    data = bytearray()
    found = await _head(stream, data, check, api)
    if isinstance(found, Answer):
        return attrs.evolve(found, is_head=data.startswith(b"HEAD "))
    return found


async def _head(
    stream: trio.SocketStream,
    data: bytearray,
    check: Callable[[str, str], Answer | None],
    api: str,
) -> Head | Answer | None:
    try:
        with trio.fail_after(HEAD_S):
            while (end := data.find(b"\r\n\r\n")) < 0 and len(data) <= HEAD_BYTES:
                more = await stream.receive_some(4096)
                if not more:
                    return None
                data += more
    except trio.TooSlowError:
        return Answer(408, f"the request head did not come within {HEAD_S:g} s")
    except trio.BrokenResourceError:
        return None
    if not 0 <= end <= HEAD_BYTES:
        return Answer(431, f"the request head is longer than {HEAD_BYTES} bytes")
    return _judged(bytes(data[: end + 4]), bytes(data[end + 4 :]), check, api)


def _judged(
    raw: bytes, early: bytes, check: Callable[[str, str], Answer | None], api: str
) -> Head | Answer:
    request = _request(raw)
    if request is None:
        return Answer(400, "this is no HTTP request; connect with a WebSocket client")
    method, target = request.method.decode("ascii"), request.target.decode("ascii")
    path, _, query = path_of(target).partition("?")
    is_plain = bool(api) and path.startswith(api)
    refused = None if is_plain else check(method, path)
    if refused is not None:
        return refused
    headers: dict[str, str] = {}
    for name, value in request.headers:
        key = name.decode("ascii").lower()
        text = value.decode("latin-1")
        headers[key] = f"{headers[key]}, {text}" if key in headers else text
    if is_plain:
        return Head(path, headers, raw, query, early, method)
    return _no_websocket(request.http_version, headers) or Head(path, headers, raw, query, early)


def path_of(target: str) -> str:
    """Path and query of a request line, which may name the server too (RFC 9112 3.2.2)."""
    scheme, mark, rest = target.partition("://")
    if not mark or scheme.lower() != "http":
        return target
    authority = rest.partition("?")[0].partition("/")[0]
    path = rest[len(authority) :]
    return path if path.startswith("/") else f"/{path}"


def _request(raw: bytes) -> h11.Request | None:
    parser = h11.Connection(h11.SERVER)
    try:
        parser.receive_data(raw)
        event = parser.next_event()
    except h11.RemoteProtocolError:
        return None
    return event if isinstance(event, h11.Request) else None


def _no_websocket(version: bytes, headers: Mapping[str, str]) -> Answer | None:
    """Why this is no WebSocket handshake (RFC 6455, section 4.2.1)."""
    words = [word.strip().lower() for word in headers.get("connection", "").split(",")]
    upgrade = headers.get("upgrade", "").lower()
    if upgrade != "websocket" or "upgrade" not in words or version != b"1.1":
        told = "only WebSockets live here: ask for an upgrade to websocket over HTTP/1.1"
        return Answer(426, told, (("Upgrade", "websocket"),))
    if headers.get("sec-websocket-version") != "13":
        told = "only version 13 of the WebSocket protocol is spoken here"
        return Answer(426, told, (("Sec-WebSocket-Version", "13"), ("Upgrade", "websocket")))
    try:
        key = base64.b64decode(headers.get("sec-websocket-key", ""), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) != 16:
        return Answer(400, "Sec-WebSocket-Key has to be 16 bytes in base64")
    return None


async def answer(stream: trio.SocketStream, said: Answer) -> None:
    """Say it, and let the client read it before the connection ends."""
    try:
        with trio.move_on_after(HEAD_S):
            await stream.send_all(said.encode())
            await linger(stream)
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        pass
    finally:
        await trio.aclose_forcefully(stream)


async def linger(stream: trio.SocketStream) -> None:
    """Stop writing and read on for a moment.

    A socket that is closed over unread bytes resets, and what was said last is lost.
    """
    taken = 0
    with trio.move_on_after(LINGER_S):
        await stream.send_eof()
        while taken < LINGER_BYTES:
            more = await stream.receive_some(65_536)
            if not more:
                return
            taken += len(more)


def phrase(status: int) -> str:
    """The words behind a status in its line."""
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Refused"
