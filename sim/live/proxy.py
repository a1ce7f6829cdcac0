"""Stand between a real desktop and a real server: pass on, record, judge, strike."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import trio

from sim.drivers import upgrade as http
from sim.drivers.upgrade import Answer
from sim.drivers.websocket import Refused
from sim.drivers.websocket_peer import Peer, PeerGone, Upgrade, meet
from sim.live.proxy_book import Book
from sim.live.proxy_http import pass_on
from sim.live.proxy_link import Director, Link
from sim.live.proxy_upstream import Upstream, passed_on
from sim.live.secrets import Secrets

GOING_AWAY = 1001
BAD_GATEWAY = 502
ANSWER_S = 5.0


class Proxy:
    """Accepts clients, and makes for each a connection of its own upstream.

    ``say`` gets sentences for whoever watches. Nothing that a client or the server does
    ends the proxy.
    """

    def __init__(
        self,
        upstream: Upstream,
        book: Book,
        director: Director,
        say: Callable[[str], None],
        secrets: Secrets | None = None,
    ) -> None:
        self.upstream = upstream
        self.book = book
        self.director = director
        self.links: list[Link] = []
        self.is_leaving = False
        self._say = say
        self._secrets = secrets or Secrets()
        self._roll = book.manner.roll()

    async def serve(self, listeners: list[trio.SocketListener]) -> None:
        """Accept until cancelled; what was accepted ends with it, see :meth:`leave`."""
        async with trio.open_nursery() as nursery:
            await trio.serve_listeners(self._client, listeners, handler_nursery=nursery)

    async def leave(self) -> None:
        """Close both sides of each connection with 1001; none is left after."""
        self.is_leaving = True
        async with trio.open_nursery() as nursery:
            for link in list(self.links):
                nursery.start_soon(link.shut, GOING_AWAY, "the proxy is going away")

    # -- one client ------------------------------------------------------------------------

    async def _client(self, stream: trio.SocketStream) -> None:
        try:
            await self._receive(stream)
        except Exception as error:  # whatever it was, the others go on
            self._say(f"a connection failed within the proxy ({_place(error)}); please report it")
        finally:
            await trio.aclose_forcefully(stream)

    async def _receive(self, stream: trio.SocketStream) -> None:
        api = "" if self.is_leaving else self.book.manner.api
        head = await http.read_head(stream, lambda method, path: self._door(method), api)
        if head is None:
            return
        if isinstance(head, http.Head):
            self._secrets.shown(head.headers.get("authorization", ""), head.query)
            if head.plain:
                await pass_on(stream, head, self.upstream, self._say)
                return
        met = meet(stream, head) if isinstance(head, http.Head) else head
        if isinstance(met, Answer):
            self._say(f"turned a client away with {met.status}: {met.text}")
            await http.answer(stream, met)
            return
        client, asked = met
        try:
            server = await self.upstream.connect(asked)
        except Refused as refused:
            await self._turn_away(client, asked, refused)
            await _linger(stream)
            return
        try:
            await self._join(client, server, asked)
        finally:
            await server.hang_up()

    def _door(self, method: str) -> Answer | None:
        if self.is_leaving:
            return Answer(503, "the proxy is going away")
        if method != "GET":
            return Answer(405, "only WebSockets live here", (("Allow", "GET"),))
        return None

    async def _join(self, client: Peer, server: Peer, asked: Upgrade) -> None:
        """Accept as the server did, and pass on until it is over."""
        try:
            with trio.fail_after(ANSWER_S):
                await client.accept(asked, server.subprotocol, passed_on(server.headers))
        except (PeerGone, trio.TooSlowError):
            return
        name = partial(self._roll.name, asked.target)
        link = Link(client, server, self.book, self.director, name)
        self.links.append(link)
        try:
            await link.run()
        finally:
            self.links.remove(link)
            self._roll.left(link.named)

    async def _turn_away(self, client: Peer, asked: Upgrade, refused: Refused) -> None:
        """Say to the client what the server said."""
        named = self._roll.stranger(asked.target)
        self.book.refused(named, refused.status)
        status, headers, body = refused.status, passed_on(refused.headers), refused.body
        if not 200 <= status < 600:
            status, headers = BAD_GATEWAY, ((b"content-type", b"text/plain; charset=utf-8"),)
            body = f"hooktwin proxy: {refused}\n".encode()
        self._say(f"{named.link}: the server said no: {refused}; the client got {status}")
        with suppress(PeerGone), trio.move_on_after(ANSWER_S):
            await client.refuse(status, headers, body)


async def _linger(stream: trio.SocketStream) -> None:
    with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
        await http.linger(stream)


def _place(error: BaseException) -> str:
    """What failed where. Not the error's own words: they may quote a header."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    name = type(error).__name__
    if trace is None:
        return name
    return f"{name} at {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
