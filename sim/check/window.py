"""Entries in order of time, though their log is a little out of order."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator

import attrs

from sim.check.entry import Entry

WIDTH = 512
"""Entries that are held back at most: who is later than that keeps his place."""


@attrs.define
class Disorder:
    """What had to be put in order: how many entries, by how much at most (µs), the first line."""

    moved: int = 0
    late: int = 0
    by_us: int = 0
    line: int = 0


class Window:
    """Sorts by time within a bounded number of entries; equal times keep their order."""

    def __init__(self, width: int = WIDTH) -> None:
        self.disorder = Disorder()
        self._width = width
        self._heap: list[tuple[int, int, Entry]] = []
        self._count = 0
        self._newest = 0
        self._gone = 0

    def push(self, at_us: int, entry: Entry) -> Iterator[tuple[int, Entry]]:
        """The next entry of the log. → those that nothing can overtake any more."""
        if at_us < self._newest:
            self._note(at_us, entry)
        else:
            self._newest = at_us
        self._count += 1
        heapq.heappush(self._heap, (at_us, self._count, entry))
        if len(self._heap) > self._width:
            yield self._pop()

    def flush(self) -> Iterator[tuple[int, Entry]]:
        """All that is left."""
        while self._heap:
            yield self._pop()

    def _pop(self) -> tuple[int, Entry]:
        at, _, entry = heapq.heappop(self._heap)
        self._gone = max(self._gone, at)
        return self._gone, entry

    def _note(self, at_us: int, entry: Entry) -> None:
        disorder = self.disorder
        if at_us < self._gone:
            disorder.late += 1
        else:
            disorder.moved += 1
        disorder.by_us = max(disorder.by_us, self._newest - at_us)
        disorder.line = disorder.line or entry.line


def in_order(entries: Iterable[tuple[int, Entry]], window: Window) -> Iterator[tuple[int, Entry]]:
    """A whole log, sorted."""
    for at_us, entry in entries:
        yield from window.push(at_us, entry)
    yield from window.flush()
