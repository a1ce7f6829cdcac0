"""What is planned: pending items by due time, and the clock that they move.

The heap keeps entries of items that were taken out or moved; an entry counts
only while its sequence number is the item's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

from sim.core.errors import LocalProtocolError
from sim.world.item import Item, Moment

if TYPE_CHECKING:
    from sim.world.helm import Helm

LAST = 1 << 62
MOST_AT_ONE_MOMENT = 1_000_000


class Agenda:
    """``now`` is virtual microseconds, ``cause`` the event that what happens now follows
    from, ``pending`` the number of planned items in the foreground."""

    def __init__(self) -> None:
        self.now = 0
        self.cause = -1
        self.pending = 0
        self._heap: list[tuple[int, int, Item]] = []
        self._stale = 0
        self._seq = 0
        self._standing = 0
        # Who steers the run, where it is not simply the timed one.
        self.helm: Helm | None = None

    def entries(self) -> Iterator[tuple[int, int, Item]]:
        """Due time, rank and item of everything planned, in no order."""
        return (entry for entry in self._heap if entry[2].seq == entry[1])

    def planned(self) -> list[Item]:
        """All planned items, earliest first."""
        return [item for _, _, item in sorted(self.entries(), key=lambda entry: entry[:2])]

    def clear(self) -> None:
        """Plan nothing any more."""
        self._heap.clear()
        self._stale = 0

    def schedule(self, item: Item, due: int, *, last: bool = False) -> None:
        """(Re)plan an item for ``due`` (µs); ``last``: behind all others of that instant."""
        if item.seq != -1:
            item.seq = -1
            self._leave_stale()
        else:
            if self.helm is not None:
                self.helm.planned(item)
            if item.foreground:
                self.pending += 1
        if item.cause == -1:
            item.cause = self.cause
        self._seq = seq = self._seq + 1
        if last:
            seq += LAST
        item.seq = seq
        item.due = due
        heappush(self._heap, (due, seq, item))

    def unschedule(self, item: Item) -> None:
        """Take an item out of the plan; its heap entry becomes stale."""
        if self.helm is not None:
            self.helm.withdrawn(item)
        if item.seq != -1:
            item.seq = -1
            if item.foreground:
                self.pending -= 1
            self._leave_stale()

    def _leave_stale(self) -> None:
        """An entry of the heap means nothing any more; sweep when most are like that.

        Else a time limit that every frame starts over would fill the heap.
        """
        self._stale += 1
        heap = self._heap
        if self._stale > 64 and self._stale * 2 > len(heap):
            heap[:] = [entry for entry in heap if entry[2].seq == entry[1]]
            heapify(heap)
            self._stale = 0

    def at(self, due: int, label: str, run: Callable[[], None], foreground: bool = True) -> Item:
        """Plan a callback (a script's line) under a name of its own.

        It comes behind everything else of that instant, whenever it was
        planned: a script that waits for a frame and a script that waits for
        the frame's time act at the same place of the run.
        """
        item = Moment(label, run, foreground)
        self.schedule(item, max(due, self.now), last=True)
        item.cause = -1
        return item

    def fire_next(self, limit_us: int | None = None) -> bool:
        """Take the timed run's next step; False when none is due up to ``limit_us``.

        The same as ``fire(next_item())``, in the one place that runs hot.
        """
        heap = self._heap
        while heap:
            due, seq, item = heap[0]
            if item.seq != seq:
                heappop(heap)
                self._stale -= 1
                continue
            if limit_us is not None and due > limit_us:
                return False
            if self.helm is not None:
                if self.helm.front(item):
                    self.fire(item)
                return True
            heappop(heap)
            item.seq = -1
            if item.foreground:
                self.pending -= 1
            if due > self.now:
                self.now = due
                self._standing = 0
            else:
                self._stand_still(item)
            self.cause = item.cause
            item.cause = -1
            item.fire(self)
            self.cause = -1
            return True
        return self.helm is not None and self.helm.nothing_left()

    def _stand_still(self, item: Item) -> None:
        """One more step without time passing: no limit of time ever ends a circle of them."""
        self._standing += 1
        if self._standing > MOST_AT_ONE_MOMENT:
            raise LocalProtocolError(
                f"{MOST_AT_ONE_MOMENT:,} steps, and it is still {self.now} µs: something repeats "
                f"itself without time passing (the last one: {item.name()}); "
                "give a timer, a pause or a latency some time"
            )

    def next_item(self) -> Item | None:
        """The earliest pending item, still planned; None when nothing is."""
        heap = self._heap
        while heap:
            _, seq, item = heap[0]
            if item.seq == seq:
                return item
            heappop(heap)
            self._stale -= 1
        return None

    def fire(self, item: Item) -> None:
        """Let a planned item happen; virtual time moves up to it."""
        heap = self._heap
        if heap and heap[0][1] == item.seq:
            heappop(heap)
            item.seq = -1
            if item.foreground:
                self.pending -= 1
        else:
            self.unschedule(item)
        if item.due > self.now:
            self.now = item.due
            self._standing = 0
        else:
            self._stand_still(item)
        if self.helm is not None:
            self.helm.happens(item)
        self.cause = item.cause
        item.cause = -1
        item.fire(self)
        self.cause = -1
