"""HTTP/1.1 on a listening socket: requests for a twin, and its answers, network faults included.

One connection may carry many requests, one behind the other; bodies may be chunked. What
is no HTTP, too large or too slow gets an answer that says what is wrong. Parameters of a
form (``application/x-www-form-urlencoded``) count as parameters of the query.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final
from urllib.parse import parse_qsl

import attrs
import h11
import msgspec
import trio

from sim.core.http import HttpRequest, HttpResponse, Unreached
from sim.core.op import NoAnswer
from sim.drivers.upgrade import BODILESS, linger, path_of, phrase

HEAD_BYTES: Final = 16 << 10
BODY_BYTES: Final = 1 << 20
REQUEST_S: Final = 10.0
"""For a request once it has begun."""
IDLE_S: Final = 75.0
"""For the next one on a connection that is kept."""
FORM: Final = "application/x-www-form-urlencoded"
_JSON: Final = re.compile(r"application/([a-z.-]+\+)?json")
KEPT_HEADERS: Final = ("authorization", "x-opencode-directory")
"""What a twin looks at; the rest is nobody's business."""

Reply = HttpResponse | Unreached | NoAnswer
Ask = Callable[[HttpRequest], Awaitable[Reply]]
"""What becomes of a request: an answer, an end of the connection, or nothing at all."""
Judge = Callable[[Mapping[str, str]], HttpResponse | None]
"""May turn a request away by its headers (names in lower case)."""


@attrs.frozen
class Unusable(Exception):
    """A request that is answered without asking anybody; the connection ends with it."""

    status: int
    text: str


def everybody(headers: Mapping[str, str]) -> None:
    """The judge who turns nobody away."""


class Conversation:
    """One connection. ``abort`` ends it as a process that dies would."""

    def __init__(
        self,
        stream: trio.SocketStream,
        ask: Ask,
        abort: Callable[[trio.SocketStream], None],
        judge: Judge = everybody,
    ) -> None:
        self._stream = stream
        self._ask = ask
        self._abort = abort
        self._judge = judge
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD_BYTES)
        self._has_body = True
        """Whether an answer to the request in hand may carry a body (RFC 9110 9.3.2)."""

    async def run(self) -> None:
        """Answer until the client leaves, or one of the two wants no more."""
        try:
            while await self._one():
                self._http.start_next_cycle()
            await linger(self._stream)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass
        finally:
            await trio.aclose_forcefully(self._stream)

    async def _one(self) -> bool:
        """Take a request and answer it; whether there may be another one."""
        try:
            request = await self._read()
        except Unusable as wrong:
            await self._say(HttpResponse(wrong.status, {"error": wrong.text}), last=True)
            return False
        if request is None:
            return False
        reply = request if isinstance(request, HttpResponse) else await self._ask(request)
        if isinstance(reply, NoAnswer):
            await self._until_gone()
            return False
        if isinstance(reply, Unreached):
            self._abort(self._stream)
            return False
        await self._say(reply)
        return self._http.our_state is h11.DONE and self._http.their_state is h11.DONE

    # -- reading -------------------------------------------------------------------------

    async def _read(self) -> HttpRequest | HttpResponse | None:
        """The next request; the answer to one that is turned away; None: the client left."""
        with trio.move_on_after(IDLE_S):
            head = await self._begun()
            if head is None:
                return None
            with trio.move_on_after(REQUEST_S):
                body = await self._body(head)
                return self._read_as(head, body)
            raise Unusable(408, f"the request did not come within {REQUEST_S:g} s")
        return None

    async def _begun(self) -> h11.Request | None:
        # From the first moment: what is turned away or cannot be read is answered, too, and the
        # bytes behind a HEAD belong to a request of their own.
        self._has_body = True
        event = await self._event()
        if not isinstance(event, h11.Request):
            return None
        self._has_body = event.method != b"HEAD"
        if event.method == b"CONNECT":
            raise Unusable(405, "this is a server, not a proxy: ask it with GET or POST")
        return event

    async def _body(self, head: h11.Request) -> bytes:
        if self._http.they_are_waiting_for_100_continue:
            go_on = h11.InformationalResponse(status_code=100, headers=[])
            await self._stream.send_all(self._http.send(go_on) or b"")
        data = bytearray()
        while isinstance(event := await self._event(), h11.Data):
            data += event.data
            if len(data) > BODY_BYTES:
                raise Unusable(413, f"a body of more than {BODY_BYTES} bytes is not read")
        return bytes(data)

    async def _event(self) -> Any:
        while True:
            try:
                event = self._http.next_event()
            except h11.RemoteProtocolError as error:
                raise Unusable(error.error_status_hint, f"this is no HTTP/1.1: {error}") from None
            if event is not h11.NEED_DATA:
                return event
            self._http.receive_data(await self._stream.receive_some(16_384))

    def _read_as(self, head: h11.Request, body: bytes) -> HttpRequest | HttpResponse:
        headers: dict[str, str] = {}
        for name, value in head.headers:
            key, text = name.decode("ascii").lower(), value.decode("latin-1")
            headers[key] = f"{headers[key]}, {text}" if key in headers else text
        turned_away = self._judge(headers)
        if turned_away is not None:
            return turned_away
        method = head.method.decode("ascii")
        path, _, asked = path_of(head.target.decode("ascii")).partition("?")
        query = parse_qsl(asked, keep_blank_values=True)
        decoded: Any = None
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == FORM:
            query += parse_qsl(body.decode("latin-1"), keep_blank_values=True)
        elif body:
            # Real servers do not look into other bodies, so a client's JSON in one is lost.
            if kind and not _JSON.fullmatch(kind):
                told = f"send application/json or {FORM}: a body of {kind} is not read"
                raise Unusable(415, told)
            decoded = _json(body)
        kept = tuple((one, headers[one]) for one in KEPT_HEADERS if one in headers)
        return HttpRequest(method, path, tuple(query), decoded, kept)

    # -- answering -----------------------------------------------------------------------

    async def _say(self, reply: HttpResponse, *, last: bool = False) -> None:
        body = b"" if reply.body is None else msgspec.json.encode(reply.body) + b"\n"
        headers = [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
        if reply.status == 204:
            headers = []
        if reply.status == 405 and last:
            headers.append(("Allow", "GET, HEAD, POST"))
        if last:
            headers.append(("Connection", "close"))
        if self._http.our_state not in (h11.SEND_RESPONSE, h11.IDLE):
            return
        reason = phrase(reply.status).encode()
        head = h11.Response(status_code=reply.status, headers=headers, reason=reason)
        said = self._http.send(head) or b""
        if body and self._has_body and reply.status not in BODILESS:
            said += self._http.send(h11.Data(data=body)) or b""
        said += self._http.send(h11.EndOfMessage()) or b""
        with trio.fail_after(REQUEST_S):
            await self._stream.send_all(said)

    async def _until_gone(self) -> None:
        """Nobody answers: the client waits as long as it likes."""
        while await self._stream.receive_some(16_384):
            pass


def _json(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except (ValueError, RecursionError) as error:
        raise Unusable(400, f"the body is no JSON: {error}") from None
