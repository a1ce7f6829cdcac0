"""One direction of a link through the proxy: what has come in and is not written yet."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import attrs
import trio

from sim.drivers.websocket_peer import Ended, Peer
from sim.live.proxy_book import Seen

QUEUE_BYTES = 1 << 20
"""How much may wait before the sender is not read any more (one larger frame may)."""
PARCEL_BYTES = 200


@attrs.define(eq=False)
class Parcel:
    """A message, the end of a side, or only something to do at this place.

    ``due``: not before this moment of Trio's clock; ``then``: what happens behind it.
    """

    message: str | bytes | None = None
    seen: Seen | None = None
    ended: Ended | None = None
    due: float = 0.0
    then: list[Callable[[], None]] = attrs.Factory(list)

    @property
    def weight(self) -> int:
        """Bytes, roughly."""
        return PARCEL_BYTES + (len(self.message) if self.message is not None else 0)


class Way:
    """A queue between two ends, in order. ``source`` is read, ``target`` written."""

    def __init__(self, by_client: bool, source: Peer, target: Peer) -> None:
        self.by_client = by_client
        self.source = source
        self.target = target
        self.is_held = False
        self.is_closed = False
        """Nothing more is put into it."""
        self.has_ended = trio.Event()
        """Its source will say no more."""
        self._waiting: deque[Parcel] = deque()
        self._weight = 0
        self._changed = trio.Event()

    def put(self, parcel: Parcel) -> None:
        """Behind everything that waits."""
        self._waiting.append(parcel)
        self._weight += parcel.weight
        self.nudge()

    async def room(self) -> None:
        """Wait until another message may be read."""
        while self._weight >= QUEUE_BYTES:
            await self._changed.wait()

    async def take(self) -> Parcel:
        """The next that is due and not held."""
        while True:
            head = self._waiting[0] if self._waiting and not self.is_held else None
            if head is not None and head.due <= trio.current_time():
                self._waiting.popleft()
                self._weight -= head.weight
                self.nudge()
                return head
            with trio.move_on_at(head.due if head is not None else float("inf")):
                await self._changed.wait()

    def hold(self) -> None:
        """Let nothing out."""
        self.is_held = True

    def release(self) -> None:
        """Let all out again, in order."""
        self.is_held = False
        self.nudge()

    def clear(self) -> list[Parcel]:
        """Give up what waits."""
        dropped = list(self._waiting)
        self._waiting.clear()
        self._weight = 0
        self.nudge()
        return dropped

    def nudge(self) -> None:
        """Something has changed: whoever waits looks again."""
        self._changed.set()
        self._changed = trio.Event()

    @property
    def waiting(self) -> int:
        """How many messages wait."""
        return sum(parcel.message is not None for parcel in self._waiting)
