"""A proxy between a client and a server that say what a test tells them to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import attrs
import trio

from sim.check.judge import Finding
from sim.core.trace import Header
from sim.drivers import upgrade as http
from sim.drivers.websocket import bind
from sim.drivers.websocket_peer import Ended, Peer, PeerGone, Pinged, Upgrade, meet, reach
from sim.live.proxy import Proxy
from sim.live.proxy_book import Book
from sim.live.proxy_director import RuleDirector
from sim.live.proxy_faults import Rules, parse_rule
from sim.live.proxy_upstream import Upstream
from sim.live.recording import Recording
from sim.live.secrets import Secrets
from sim.protocols.hook.frames import MESSAGES

PATIENCE_S = 10.0


@attrs.define(eq=False)
class Server:
    """The real server: every connection that it got, in order."""

    port: int = 0
    got: list[tuple[Peer, Upgrade]] = attrs.Factory(list)
    status: int = 0
    headers: tuple[tuple[bytes, bytes], ...] = ()
    subprotocol: str | None = None
    arrived: trio.Event = attrs.Factory(trio.Event)

    async def serve(self, listeners: list[trio.SocketListener]) -> None:
        await trio.serve_listeners(self._meet, listeners)

    async def _meet(self, stream: trio.SocketStream) -> None:
        try:
            await self._receive(stream)
        finally:
            await trio.aclose_forcefully(stream)

    async def _receive(self, stream: trio.SocketStream) -> None:
        head = await http.read_head(stream, lambda method, path: None)
        assert isinstance(head, http.Head)
        met = meet(stream, head)
        assert isinstance(met, tuple)
        peer, asked = met
        if self.status:
            self.got.append(met)
            with suppress(PeerGone):
                await peer.refuse(self.status, self.headers, b"no")
            await http.linger(stream)
            await peer.hang_up()
            return
        await peer.accept(asked, self.subprotocol, self.headers)
        self.got.append(met)
        self.arrived.set()
        self.arrived = trio.Event()
        await trio.sleep_forever()

    async def peer(self, nth: int = 0) -> Peer:
        """The connection of that number, when it is there."""
        with trio.fail_after(PATIENCE_S):
            while len(self.got) <= nth:
                await self.arrived.wait()
        return self.got[nth][0]


@attrs.define(eq=False)
class Bench:
    """The whole arrangement."""

    port: int
    proxy: Proxy
    book: Book
    server: Server
    director: RuleDirector
    said: list[str]
    recording: Path | None
    nursery: trio.Nursery
    streams: list[trio.SocketStream] = attrs.Factory(list)

    async def dial(self, target: str = "/slack", **asked: object) -> Peer:
        """A client of the proxy."""
        stream = await trio.open_tcp_stream("127.0.0.1", self.port)
        self.streams.append(stream)
        upgrade = Upgrade(target, **asked)  # type: ignore[arg-type]
        return await reach(stream, f"127.0.0.1:{self.port}", upgrade)

    async def no_links(self) -> None:
        """Wait until every connection is over, soon."""
        with trio.fail_after(PATIENCE_S):
            while self.proxy.links:  # noqa: ASYNC110 - nobody tells when the last one goes
                await trio.sleep(0.01)

    async def pair(self, target: str = "/slack", **asked: object) -> tuple[Peer, Peer]:
        """A client, and the connection that the server got for it."""
        nth = len(self.server.got)
        return await self.dial(target, **asked), await self.server.peer(nth)


@asynccontextmanager
async def bench(
    *faults: str, recording: Path | None = None, upstream: str | None = None, **server: object
) -> AsyncIterator[Bench]:
    """A proxy with these rules, before a server of a test; all is over at the end."""
    real = Server(**server)  # type: ignore[arg-type]
    said: list[str] = []

    def tell(finding: Finding | str) -> None:
        said.append(finding if isinstance(finding, str) else f"{finding.n} {finding.rule}")

    async with trio.open_nursery() as nursery:
        real.port, listeners = await bind(0, "the server")
        nursery.start_soon(real.serve, listeners)
        header, secrets = Header(protocol="hook", driver="live"), Secrets()
        recorder = Recording(recording, header, secrets) if recording else None
        began = trio.current_time()
        book = Book(lambda: round((trio.current_time() - began) * 1e6), tell, recorder)
        director = RuleDirector(Rules(parse_rule(text, MESSAGES) for text in faults))
        url = upstream or f"ws://127.0.0.1:{real.port}"
        proxy = Proxy(Upstream.parse(url), book, director, said.append, secrets)
        port, listeners = await bind(0, "the proxy")
        nursery.start_soon(proxy.serve, listeners)
        made = Bench(port, proxy, book, real, director, said, recording, nursery)
        try:
            yield made
        finally:
            with trio.CancelScope(shield=True):
                for stream in made.streams:
                    await trio.aclose_forcefully(stream)
            nursery.cancel_scope.cancel()
    book.finish()


async def hear(peer: Peer) -> str | bytes | Pinged | Ended:
    """The next thing that comes out of a socket, soon."""
    with trio.fail_after(PATIENCE_S):
        return await peer.receive()


def frame(kind: str, n: int = 1, **payload: object) -> str:
    """The text of a frame; nobody says that it is a good one."""
    import json

    return json.dumps({"v": 1, "type": kind, "id": f"f{n}", "ts": n, "payload": payload})


HELLO = frame("hello", deviceId="dev-1", deviceName="Mac", workspaces=["chat"],
              agents=["claude"], features=[], protocolVersion=1)  # fmt: skip


def run(play: Callable[[], Awaitable[None]]) -> None:
    """A test's own event loop, with real time."""
    trio.run(play)


def fill_the_disk(recording: Recording) -> None:
    """Nothing more can be written to this file."""
    recording.close()
    recording._file = Path("/dev/full").open("ab")  # noqa: SIM115 - the recording closes it
