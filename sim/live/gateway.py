"""Between sockets and connections: the carrier of a world with outside programs.

What comes out of a socket is written by the host that stands for its program,
and goes through the world's own queue: so a cut, a held or a lost frame means
the same as in a simulation. What the twin sends is handed to the socket's
outbox and has arrived with that. Nobody waits for anybody: a program that does
not read is cut off when its outbox is full, one that sends faster than the
world handles, or than it takes the answers, is not read for a while.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import trio

from sim.core.event import HostCrashed
from sim.core.op import Frame, OpaqueFrame
from sim.drivers.codec import Codec, frame_text
from sim.drivers.wall import WallDriver
from sim.drivers.websocket import ConnectionClosed, Socket
from sim.live.outbox import Outbox
from sim.world.dial import DialRequest
from sim.world.link import CloseFlight, End, FrameFlight, close_end
from sim.world.perform import shut, write

# So many frames of one connection may be on their way in the world.
MOST_IN_FLIGHT = 64
BROKEN = 1006

Tell = Callable[[str], None]


class Seat:
    """A real socket, the outside end that it stands for, and what waits to be written."""

    def __init__(self, socket: Socket, tell: Tell) -> None:
        self.socket = socket
        self.end: End | None = None
        self.scope = trio.CancelScope()
        self.outbox = Outbox(socket, self._overflow)
        self.room = trio.Event()
        self.frames = 0
        self._tell = tell

    def _overflow(self) -> None:
        """The program does not read: it is cut off."""
        name = self.end.name if self.end is not None else "a connection"
        self._tell(f"{name} does not read what it is sent: cut off")
        self.scope.cancel()


class Gateway:
    """Implements :class:`sim.world.carrier.Carrier`; install it as ``world.carrier``."""

    def __init__(self, driver: WallDriver, codec: Codec, tell: Tell) -> None:
        self.driver = driver
        self.world = driver.world
        self.codec = codec
        self.tell = tell
        self.seats: dict[End, Seat] = {}
        self.frames = 0
        self._emptier = trio.Event()
        # Makes the connections that twins dial, where the server is outside.
        self.dialler: Callable[[DialRequest], None] | None = None
        # Sees each frame from outside before the world does.
        self.on_frame: Callable[[Seat, Frame], None] | None = None
        self.world.carrier = self
        self.world.watch(HostCrashed, self._crashed)

    # -- the carrier ---------------------------------------------------------------

    def connect(self, dial: DialRequest) -> None:
        """A dial is due."""
        if self.dialler is None:
            dial.arrive(self.world)
        else:
            self.dialler(dial)

    def carry(self, frame: FrameFlight) -> None:
        """A frame is due."""
        to = self.seats.get(frame.end.other)
        if to is not None:
            to.outbox.put(frame_text(frame.frame, self.codec.encode))
            self._count(to)
        sender = self.seats.get(frame.end)
        if sender is not None and len(frame.end.flight) < MOST_IN_FLIGHT:
            sender.room.set()
        frame.arrive(self.world, frame.frame)

    def close(self, close: CloseFlight) -> None:
        """The news of an end is due."""
        seat = self.seats.get(close.end.other)
        if seat is not None:
            on_purpose = close.by == close.end.host
            seat.outbox.finish(partial(_farewell, on_purpose, close.code, close.reason))
        close.arrive(self.world)

    # -- sockets ---------------------------------------------------------------------

    def take(self, seat: Seat, end: End) -> None:
        """The socket stands for this end from now on."""
        seat.end = end
        self.seats[end] = seat

    async def serve(self, seat: Seat, first: str | bytes | None = None) -> None:
        """Read and write a socket until it is over, then tell the world."""
        code, reason = BROKEN, "socket closed"
        try:
            with seat.scope:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(_write, seat, nursery.cancel_scope)
                    try:
                        await self._read(seat, first)
                    except ConnectionClosed as closed:
                        if closed.reason is not None:
                            code, reason = closed.reason.code, closed.reason.reason or ""
                    if not seat.outbox.is_ending:
                        nursery.cancel_scope.cancel()
        finally:
            self._gone(seat, code, reason)
            with trio.CancelScope(shield=True):
                await _hung_up(seat, code)

    async def _read(self, seat: Seat, first: str | bytes | None) -> None:
        end = seat.end
        assert end is not None
        message = first if first is not None else await seat.socket.receive_any()
        while True:
            self._heard(seat, message)
            while len(end.flight) >= MOST_IN_FLIGHT:
                seat.room = trio.Event()
                await seat.room.wait()
            await seat.outbox.room()
            message = await seat.socket.receive_any()

    def _heard(self, seat: Seat, message: str | bytes) -> None:
        """A frame from outside, good or bad."""
        assert seat.end is not None
        world = self.world
        if isinstance(message, str):
            frame = self.codec.decode(message)
        else:
            frame = OpaqueFrame(f"({len(message)} bytes)", "a binary frame; frames are text", None)
        self.driver.nudge()
        world.cause = -1
        if self.on_frame is not None:
            self.on_frame(seat, frame)
        write(world, seat.end, frame)
        self._count(seat)

    def _count(self, seat: Seat) -> None:
        seat.frames += 1
        self.frames += 1

    def _gone(self, seat: Seat, code: int, reason: str) -> None:
        """The socket is over. Without a Close frame it is a cut, by the network's doing."""
        end = seat.end
        if end is None:
            return
        self.seats.pop(end, None)
        self._emptier.set()
        if self.world.carrier is not self:
            return
        self.driver.nudge()
        world = self.world
        world.cause = -1
        if not end.is_open:
            end.link.forget_if_over(world)
        elif code == BROKEN:
            close_end(world, end, code, "socket closed", "network", tell=True)
            end.put(world, CloseFlight(end, code, "socket closed", "network"))
        else:
            shut(world, end, code, reason)

    def _crashed(self, event: HostCrashed) -> None:
        """The process that an outside program stands for has ended: so its sockets break."""
        for end, seat in self.seats.items():
            if end.host == event.host:
                seat.outbox.finish(partial(_farewell, False, BROKEN, "rst"))

    async def close_all(self, code: int, reason: str) -> None:
        """The twin goes away: tell every program, behind what it was sent before."""
        world = self.world
        world.carrier = None
        self.driver.nudge()
        for end, seat in self.seats.items():
            world.cause = -1
            shut(world, end.other, code, reason)
            seat.outbox.finish(partial(_farewell, True, code, reason))
        while self.seats:
            self._emptier = trio.Event()
            await self._emptier.wait()


async def _write(seat: Seat, reading: trio.CancelScope) -> None:
    """Write what is to be written; behind a farewell there is nothing to read either."""
    await seat.outbox.run()
    if seat.outbox.is_ending:
        reading.cancel()


async def _farewell(on_purpose: bool, code: int, reason: str, socket: Socket) -> None:
    """Let a connection end as it ended in the world."""
    if on_purpose and code != BROKEN:
        await socket.leave(code, reason)
    elif reason == "rst":
        await socket.reset()
    else:
        await socket.hang_up()


async def _hung_up(seat: Seat, code: int) -> None:
    """Nothing of the socket is left; who was told why it ends may read that first."""
    if code in (1007, 1009, 1002):
        await seat.socket.leave(code)
    await seat.socket.hang_up()
