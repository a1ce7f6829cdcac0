"""What waits to be written to one socket: bounded, so that nobody's deafness stops a world."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress

import trio

from sim.drivers.websocket import ConnectionClosed, Socket

MOST_FRAMES = 2_000
# One frame of the largest size always fits behind another one.
MOST_CHARS = 128 << 20
# Seconds in which a program whose outbox is half full takes at least one frame.
STALL_S = 5.0
# Seconds for what was sent before a close; then the close happens all the same.
FLUSH_S = 5.0

Farewell = Callable[[Socket], Awaitable[None]]


class Outbox:
    """A queue of texts with a task that writes them.

    ``overflow`` is called, once, when more waits than the bounds allow, or when nothing is
    taken although somebody waits for room.
    """

    def __init__(
        self,
        socket: Socket,
        overflow: Callable[[], None],
        *,
        most_frames: int = MOST_FRAMES,
        most_chars: int = MOST_CHARS,
    ) -> None:
        self._socket = socket
        self._overflow = overflow
        self._most_frames = most_frames
        self._most_chars = most_chars
        self._texts: deque[str] = deque()
        self._chars = 0
        self._wake = trio.Event()
        self._written = trio.Event()
        self._farewell: Farewell | None = None
        self._deadline = float("inf")
        self._is_over = False
        self._scope = trio.CancelScope()

    @property
    def is_ending(self) -> bool:
        """Whether the connection is to end behind what waits."""
        return self._farewell is not None

    def put(self, text: str) -> None:
        """Write this behind what waits; without effect once the end is near."""
        if self._is_over or self._farewell is not None:
            return
        self._texts.append(text)
        self._chars += len(text)
        if len(self._texts) > self._most_frames or self._chars > self._most_chars:
            self._give_up()
        self._wake.set()

    async def room(self) -> None:
        """Wait until at most half of what the bounds allow waits.

        Whoever asks more than it takes the answers of is not asked on meanwhile: it may be
        reading, only slower than it writes.
        """
        while self._is_half_full() and not (self._is_over or self.is_ending):
            self._written = trio.Event()
            with trio.move_on_after(STALL_S) as patience:
                await self._written.wait()
            if patience.cancelled_caught:
                self._give_up()

    def _is_half_full(self) -> bool:
        return 2 * len(self._texts) > self._most_frames or 2 * self._chars > self._most_chars

    def _give_up(self) -> None:
        if not self._is_over:
            self._is_over = True
            self._texts.clear()
            self._overflow()
            self._wake.set()

    def finish(self, farewell: Farewell) -> None:
        """Write what waits, then end the connection like this."""
        if self._farewell is None:
            self._farewell = farewell
            self._scope.deadline = trio.current_time() + FLUSH_S
            self._wake.set()
            self._written.set()

    async def run(self) -> None:
        """Write until the farewell, or until the socket is gone."""
        with self._scope, suppress(ConnectionClosed):
            while await self._something():
                text = self._texts.popleft()
                self._chars -= len(text)
                await self._socket.send(text)
                self._written.set()
        self._is_over = True
        self._written.set()
        if self._farewell is not None:
            await self._farewell(self._socket)

    async def _something(self) -> bool:
        while not self._texts:
            if self._farewell is not None or self._is_over:
                return False
            self._wake = trio.Event()
            await self._wake.wait()
        return True
