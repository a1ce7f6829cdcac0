"""Hosts that users write in Trio, standing in the simulated world.

``trio_host(MyDesktop, codec, dial=DialTo("S", "slack"))`` is an actor factory
for ``world.add_host``; ``MyDesktop`` has ``async def main(self, connection)``,
where ``connection`` is a :class:`GuestConnection`, made like trio-websocket's.
With ``dial`` the host is a client; without, ``main`` is called for each
accepted connection. Each life of the host makes a new ``MyDesktop``; a crash
cancels its tasks.

``main`` may end by ConnectionClosed, and leaves a closed connection behind
whichever way it ends. Its tasks sleep in virtual time (``trio.sleep``) and see
the link's latencies and faults; a closed lid holds back what it sends and
gets, not its own sleeps. Runs under TrioDriver only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Protocol

import attrs
import trio

from sim.core.actor import Actor, CloseReason, Port
from sim.core.errors import HostDown, SimInternalError, UsageError
from sim.core.op import Connection, Dial, Frame, Sleep, UpgradeRefused
from sim.drivers.codec import Codec, frame_text
from sim.drivers.trio_guests import Guests, what_matters
from sim.drivers.websocket import CloseReason as SocketCloseReason
from sim.drivers.websocket import ConnectionClosed as ConnectionClosed
from sim.world.host import Host
from sim.world.link import End
from sim.world.perform import shut, write


class TrioProgram(Protocol):
    """What a user writes."""

    async def main(self, connection: GuestConnection) -> None:
        """Talk over one connection until it is over."""


@attrs.frozen
class DialTo:
    """Which server a client connects to, and on which of its lanes.

    ``info`` is what it says when it dials (headers, token). With ``redial_us``
    it dials again that many virtual µs after a refusal, or after ``main`` ended.
    """

    to: str
    lane: str
    info: Any = None
    redial_us: int | None = None


def trio_host(
    make: Callable[[], TrioProgram], codec: Codec, *, dial: DialTo | None = None
) -> Callable[[Port], Actor]:
    """An actor factory for a host whose behaviour is a Trio program."""

    def factory(port: Port) -> Actor:
        return GuestActor(port, make, codec, dial)

    return factory


class GuestActor(Actor):
    """Stands in the world for a Trio program: hands over connections and texts."""

    READS_TEXT: ClassVar[bool] = True

    __slots__ = ("_codec", "_connections", "_dial", "_host", "_make", "_program")

    def __init__(
        self, port: Port, make: Callable[[], TrioProgram], codec: Codec, dial: DialTo | None
    ) -> None:
        super().__init__(port)
        if not isinstance(port, Host):
            raise SimInternalError(f"a Trio program needs a world's host, not {port!r}")
        self._host: Host = port
        self._make = make
        self._codec = codec
        self._dial = dial
        self._connections: dict[Connection, GuestConnection] = {}

    @property
    def _guests(self) -> Guests:
        guests: Guests | None = self._host.world.guests
        if guests is None:
            raise UsageError(
                f"host {self.port.name!r} is written in Trio: it runs under TrioDriver only "
                "(hooktwin run --driver trio); searches need an actor"
            )
        return guests

    async def on_start(self) -> None:
        self._program = self._make()
        if self._dial is not None:
            await self._connect(self._dial)

    async def _connect(self, dial: DialTo) -> None:
        while True:
            conn = await self.perform(Dial(dial.to, dial.lane, dial.info))
            if conn is not None and not isinstance(conn, UpgradeRefused):
                self._begin(conn)
                return
            if dial.redial_us is None:
                return
            await self.perform(Sleep(dial.redial_us))

    async def _connect_again(self, dial: DialTo) -> None:
        await self.perform(Sleep(dial.redial_us or 0))
        await self._connect(dial)

    def _begin(self, conn: Any) -> None:
        connection = GuestConnection(conn, self._host, self._codec, self._guests)
        self._connections[conn] = connection

        async def live() -> None:
            try:
                await self._program.main(connection)
            except (Exception, BaseExceptionGroup) as error:
                if what_matters(error) is not None:
                    raise
            self._end(connection)

        self._guests.start(self._host, live)

    def _end(self, connection: GuestConnection) -> None:
        """``main`` is over; in another life of the host nobody cares any more."""
        self._connections.pop(connection.end, None)
        if connection.is_of_this_life():
            connection.shut(1000, "")
            dial = self._dial
            if dial is not None and dial.redial_us is not None:
                again = self._connect_again(dial)
                self._host.world.start(self._host, again, "redial", connection.cause)

    async def on_open(self, conn: Connection) -> None:
        self._begin(conn)

    async def on_frame(self, conn: Connection, frame: Frame) -> None:
        connection = self._connections.get(conn)
        if connection is not None:
            connection.feed(frame_text(frame, self._codec.encode))

    async def on_close(self, conn: Connection, close: CloseReason) -> None:
        connection = self._connections.get(conn)
        if connection is not None:
            connection.hang_up(close.code, close.reason)


class GuestConnection(trio.abc.AsyncResource):
    """One end of a simulated connection, used like ``trio_websocket.WebSocketConnection``.

    ``cause`` is the event that its reader has got to, for the trace.
    """

    def __init__(self, end: End, host: Host, codec: Codec, guests: Guests) -> None:
        self.end = end
        self.cause = host.world.cause
        self._host = host
        self._epoch = host.epoch
        self._codec = codec
        self._guests = guests
        self._reason: SocketCloseReason | None = None
        send, receive = trio.open_memory_channel[tuple[str, int]](float("inf"))
        self._feed, self._inbox = send, receive

    # -- what the program uses ---------------------------------------------------

    @property
    def closed(self) -> SocketCloseReason | None:
        """Why the connection was closed; None while it is open."""
        return self._reason

    @property
    def info(self) -> Any:
        """What the client said when it dialled."""
        return self.end.info

    @property
    def lane(self) -> str:
        """Which of the client's lanes this is."""
        return self.end.lane

    async def send_message(self, message: str) -> None:
        """Send a text. Raises ConnectionClosed when the connection is closed."""
        if not isinstance(message, str):
            raise ValueError(f"message must be str, not {type(message).__name__}")
        await self._stand_in_line()
        if self._reason is not None:
            raise ConnectionClosed(self._reason)
        world = self._host.world
        self._guests.catch_up()
        world.cause = self.cause
        write(world, self.end, self._codec.decode(message))
        self._guests.nudge()

    async def get_message(self) -> str:
        """The next text, once it is there. Raises ConnectionClosed after the last one."""
        try:
            message, self.cause = await self._inbox.receive()
        except (trio.ClosedResourceError, trio.EndOfChannel):
            raise ConnectionClosed(self._reason) from None
        return message

    async def aclose(self, code: int = 1000, reason: str | None = None) -> None:
        """Close it; what came and was not read is discarded. Again is fine."""
        if self.is_of_this_life():
            self.shut(code, reason or "")
        await trio.lowlevel.checkpoint()

    async def _stand_in_line(self) -> None:
        """A checkpoint, and as long as the host's lid is closed."""
        await trio.lowlevel.checkpoint()
        world = self._host.world
        self._guests.catch_up()
        while self.is_of_this_life() and world.asleep(self._host):
            await trio.sleep((self._host.asleep_until - world.now) / 1_000_000)
            self._guests.catch_up()
        if not self.is_of_this_life():
            raise HostDown(f"{self._host.name} has crashed")

    # -- what the world does -------------------------------------------------------

    def is_of_this_life(self) -> bool:
        """Whether the host has not crashed since, and the run is still going on."""
        host = self._host
        return self._guests.are_driven and host.up and host.epoch == self._epoch

    def feed(self, text: str) -> None:
        """A text arrived."""
        if self._reason is None:
            self._feed.send_nowait((text, self._host.world.cause))

    def hang_up(self, code: int, reason: str) -> None:
        """The connection ended, by the peer's doing or the network's."""
        if self._reason is None:
            self._reason = SocketCloseReason(code, reason or None)
            self._feed.close()

    def shut(self, code: int, reason: str) -> None:
        """This side closes it."""
        if self._reason is None:
            self._reason = SocketCloseReason(1000, None)
            self._feed.close()
            self._inbox.close()
            world = self._host.world
            self._guests.catch_up()
            world.cause = self.cause
            shut(world, self.end, code, reason)
            self._guests.nudge()
