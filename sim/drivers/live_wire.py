"""The real wire of a live run: listeners, sockets, and what is crossing them.

One listener per server host, opened at the first dial and closed when the host
crashes; one transport per link, with a socket at each end and a task that reads
it. One thing crosses at a time: the driver fires an item, the world hands it
over (:class:`sim.world.carrier.Carrier`), ``cross`` puts it on the wire, and
the reading task at the other end lets it arrive.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import attrs
import trio

from sim.core.errors import SimInternalError
from sim.core.event import HostCrashed
from sim.drivers import websocket
from sim.drivers.codec import Codec, frame_text
from sim.drivers.websocket import ConnectionClosed, Socket
from sim.world.dial import DialRequest
from sim.world.link import CloseFlight, End, FrameFlight, Link, close_end
from sim.world.world import World

# Real seconds within which loopback has to bring anything across.
CROSSING_S = 10.0


@attrs.define(eq=False)
class Transport:
    """The real connection of one link; ``is_over`` when we have ended it on purpose.

    ``status``: the HTTP status with which the server refuses it; 0: it does not.
    """

    link: Link
    status: int = 0
    sockets: dict[End, Socket] = attrs.Factory(dict)
    has_both: trio.Event = attrs.Factory(trio.Event)
    is_over: bool = False

    def put(self, end: End, socket: Socket) -> None:
        """An end's handshake is done."""
        self.sockets[end] = socket
        if len(self.sockets) == 2:
            self.has_both.set()


@attrs.define(eq=False)
class Listener:
    """Where a server host can be reached; still known when it is closed."""

    port: int
    scope: trio.CancelScope


@attrs.define(eq=False)
class Crossing:
    """What is on the wire right now.

    ``arrived`` when the other end has it, ``is_over`` when this end is done too.
    """

    flight: FrameFlight | CloseFlight
    cause: int
    arrived: trio.Event = attrs.Factory(trio.Event)
    is_over: trio.Event = attrs.Factory(trio.Event)


class LiveWire:
    """Carries what is due over real WebSockets on this machine."""

    def __init__(
        self,
        world: World,
        codec: Codec,
        nursery: trio.Nursery,
        ports: dict[str, int],
        catch_up: Callable[[], None],
    ) -> None:
        self._world = world
        self._codec = codec
        self._nursery = nursery
        self._ports = ports
        self._catch_up = catch_up
        self._failure: Exception | None = None
        self._listeners: dict[str, Listener] = {}
        self._transports: dict[str, Transport] = {}
        self._task: Callable[[], Awaitable[None]] | None = None
        self._crossing: Crossing | None = None
        self._is_attached = True
        world.carrier = self
        world.watch(HostCrashed, self._crashed)

    async def open(self) -> None:
        """Listen on the fixed ports, and connect what an earlier run left open."""
        for host in self._ports:
            await self._listen(host)
        for link in list(self._world.links.values()):
            if link.server.is_open or link.client.is_open:
                await self._connect(link)

    def detach(self) -> None:
        """The run is over."""
        self._world.carrier = None
        self._is_attached = False

    # -- the carrier ---------------------------------------------------------------

    def connect(self, dial: DialRequest) -> None:
        """A dial is due."""
        cause = self._world.cause
        self._task = lambda: self._dial(dial, cause)

    def carry(self, frame: FrameFlight) -> None:
        """A frame is due."""
        crossing = Crossing(frame, self._world.cause)
        self._task = lambda: self._send(frame, crossing)

    def close(self, close: CloseFlight) -> None:
        """The end of a connection is due."""
        crossing = Crossing(close, self._world.cause)
        self._task = lambda: self._close(close, crossing)

    async def cross(self) -> None:
        """Bring across what the last item has handed over, if it has.

        Raises SimInternalError when loopback does not deliver.
        """
        task, self._task = self._task, None
        if task is None:
            return
        try:
            with trio.fail_after(CROSSING_S):
                await task()
        except trio.TooSlowError:
            raise SimInternalError(
                f"nothing came out of a loopback socket within {CROSSING_S:g} s: {self._crossing}"
            ) from None
        finally:
            self._world.cause = -1
            if self._crossing is not None:
                self._crossing.is_over.set()
                self._crossing = None
        self.check()

    def check(self) -> None:
        """Raise what a reading task ran into."""
        error, self._failure = self._failure, None
        if error is not None:
            raise error

    # -- one crossing each ------------------------------------------------------------

    async def _dial(self, dial: DialRequest, cause: int) -> None:
        refused = await self._connect(dial.end.link, dial.verdict(self._world))
        self._world.cause = cause
        if refused is None:
            dial.accept(self._world)
        else:
            dial.refuse(self._world, refused.status)

    async def _send(self, frame: FrameFlight, crossing: Crossing) -> None:
        transport = self._transports.get(frame.end.link.name)
        self._crossing = crossing
        if transport is None or transport.is_over:
            self._lose(crossing)
            return
        text = frame_text(frame.frame, self._codec.encode)
        try:
            await transport.sockets[frame.end].send(text)
        except ConnectionClosed:
            self._lose(crossing)
            return
        await crossing.arrived.wait()

    def _lose(self, crossing: Crossing) -> None:
        """The socket broke under a frame; said once, by whoever notices first."""
        if isinstance(crossing.flight, FrameFlight) and not crossing.arrived.is_set():
            crossing.flight.lost(self._world, "reset")
            crossing.flight.end.link.forget_if_over(self._world)
        crossing.arrived.set()

    async def _close(self, close: CloseFlight, crossing: Crossing) -> None:
        end = close.end
        transport = self._transports.get(end.link.name)
        if transport is None or transport.is_over or _has_more_to_say(end.other):
            self._world.cause = crossing.cause
            close.arrive(self._world)
            return
        transport.is_over = True
        self._crossing = crossing
        socket = transport.sockets[end]
        if close.by == end.host:
            await socket.close(close.code, close.reason)
        elif close.reason == "rst":
            await socket.reset()
        else:
            await socket.hang_up()
        await crossing.arrived.wait()

    # -- connecting ----------------------------------------------------------------------

    async def _connect(self, link: Link, status: int = 0) -> websocket.Refused | None:
        """Make the real connection of a link, or let its server refuse it with a status.

        → None when it is made, else what came instead.
        """
        listener = await self._listen(link.server.host)
        if listener is None:
            return websocket.Refused(f"{link.server.host} was never up")
        self._transports[link.name] = transport = Transport(link, status)
        start = self._nursery.start
        refused: websocket.Refused | None = await start(self._live_client, transport, listener.port)
        if refused is None:
            await transport.has_both.wait()
        else:
            del self._transports[link.name]
        return refused

    def _verdict(self, link: str) -> int:
        """How the server of a link answers its handshake."""
        transport = self._transports.get(link)
        return 404 if transport is None else transport.status

    async def _listen(self, name: str) -> Listener | None:
        """The listener of a host, opened if the host is up; None if it never was."""
        known = self._listeners.get(name)
        host = self._world.hosts.get(name)
        if host is None or not host.up:
            return known
        if known is None or known.scope.cancel_called:
            port, listeners = await websocket.bind(self._ports.get(name, 0), name)
            self._listeners[name] = known = Listener(port, trio.CancelScope())
            self._nursery.start_soon(self._live_listener, known.scope, listeners)
        return known

    async def _live_listener(
        self, scope: trio.CancelScope, listeners: list[trio.SocketListener]
    ) -> None:
        with scope:
            # What was accepted outlives the listener: a crash tells its peers in its own time.
            await trio.serve_listeners(self._live_server, listeners, handler_nursery=self._nursery)

    async def _live_client(
        self,
        transport: Transport,
        port: int,
        task_status: trio.TaskStatus[websocket.Refused | None] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        try:
            await self._meet(transport, port, task_status)
        except BaseExceptionGroup as errors:
            refused = websocket.rejection_in(errors)
            if refused is None:
                raise
            task_status.started(refused)

    async def _meet(
        self,
        transport: Transport,
        port: int,
        task_status: trio.TaskStatus[websocket.Refused | None],
    ) -> None:
        """The client's end of a link, until it is over."""
        link = transport.link
        async with trio.open_nursery() as nursery:
            try:
                socket = await websocket.dial(nursery, port, link.name)
            except websocket.Refused as refused:
                task_status.started(refused)
            else:
                transport.put(link.client, socket)
                task_status.started(None)
                await self._read(transport, link.client, socket)
            nursery.cancel_scope.cancel()

    async def _live_server(self, stream: trio.SocketStream) -> None:
        async with trio.open_nursery() as nursery:
            accepted = await websocket.accept(nursery, stream, self._verdict)
            if accepted is not None:
                transport = self._transports[accepted[0]]
                end = transport.link.server
                transport.put(end, accepted[1])
                await self._read(transport, end, accepted[1])
            nursery.cancel_scope.cancel()

    def _crashed(self, event: HostCrashed) -> None:
        listener = self._listeners.get(event.host)
        if self._is_attached and listener is not None:
            listener.scope.cancel()

    # -- reading ---------------------------------------------------------------------------

    async def _read(self, transport: Transport, end: End, socket: Socket) -> None:
        """The reading task of one end: let arrive what comes out of its socket."""
        try:
            while True:
                self._heard(end, await socket.receive())
        except ConnectionClosed as closed:
            self._heard_close(transport, end, closed)
            if self._crossing is not None:
                await self._crossing.is_over.wait()  # a closing handshake needs both ends
        except Exception as error:
            self._failure = self._failure or error
            if self._crossing is not None:
                self._crossing.arrived.set()
        finally:
            await socket.hang_up()

    def _heard(self, end: End, text: str) -> None:
        crossing = self._crossing
        if not self._is_attached:
            return
        if crossing is None or not isinstance(crossing.flight, FrameFlight):
            raise SimInternalError(f"{end!r} heard what nobody sent: {text[:200]!r}")
        self._world.cause = crossing.cause
        crossing.flight.arrive(self._world, self._codec.decode(text))
        crossing.arrived.set()

    def _heard_close(self, transport: Transport, end: End, closed: ConnectionClosed) -> None:
        crossing = self._crossing
        if crossing is not None and crossing.flight.end is end.other:
            self._world.cause = crossing.cause
            if isinstance(crossing.flight, CloseFlight):
                crossing.flight.arrive(self._world)
                crossing.arrived.set()
            else:
                self._lose(crossing)
        elif not transport.is_over and self._is_attached:
            # The operating system ended it, or somebody between: for the world it is a cut.
            code = closed.reason.code if closed.reason else 1006
            self._catch_up()
            close_end(self._world, end, code, "socket closed", "network", tell=True)


def _has_more_to_say(end: End) -> bool:
    """Whether frames of ``end`` are due to arrive after the other end stopped sending.

    Only a cut leaves such frames: each direction goes on until its own news of
    the cut. A real socket ends in both directions at once, so it has to stay
    until the second news.
    """
    return end.other.is_open and any(isinstance(item, FrameFlight) for item in end.flight)
