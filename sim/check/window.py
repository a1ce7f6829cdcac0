"""Entries in order of time, though their log is a little out of order."""

from __future__ import annotations

from collections.abc import Sequence
from operator import gt, itemgetter
from typing import Final

import attrs

from sim.check.entry import Entry

WIDTH: Final = 512
"""Entries that are held back at least: who is later than that keeps his place."""

STEP_US: Final = 3_600_000_000

Timed = tuple[int, Entry]
_TIME: Final = itemgetter(0)
_NOTHING: Final[list[Timed]] = []


@attrs.define
class Disorder:
    """What had to be put in order: how many entries, by how much at most (µs), the first line.

    ``late`` are those that came too late to be put in order.
    """

    moved: int = 0
    late: int = 0
    by_us: int = 0
    line: int = 0


class Window:
    """Sorts by time within a bounded number of entries; equal times keep their order."""

    def __init__(self, width: int = WIDTH) -> None:
        self.disorder = Disorder()
        self._width = width
        self._held: list[Timed] = []
        self._is_sorted = True
        self._newest = 0
        self._gone = 0
        self._shift = 0

    def push(self, at_us: int, entry: Entry) -> list[Timed]:
        """The next entry of the log. → those that nothing can overtake any more."""
        at_us += self._shift
        if at_us < self._newest:
            at_us = self._note(at_us, entry)
        else:
            self._newest = at_us
        held = self._held
        held.append((at_us, entry))
        if len(held) < 2 * self._width:
            return _NOTHING
        return self._take(self._width)

    def push_all(self, times: list[int], entries: Sequence[Entry]) -> list[Timed]:
        """The same for several, with their times (µs)."""
        if self._shift or times[0] < self._newest or any(map(gt, times, times[1:])):
            return [
                one
                for at, entry in zip(times, entries, strict=True)
                for one in self.push(at, entry)
            ]
        self._newest = times[-1]
        held = self._held
        held.extend(zip(times, entries, strict=True))
        ready: list[Timed] = []
        while len(self._held) >= 2 * self._width:
            ready += self._take(self._width)
        return ready

    def flush(self) -> list[Timed]:
        """All that is left."""
        return self._take(len(self._held))

    def _take(self, count: int) -> list[Timed]:
        held = self._held
        if not self._is_sorted:
            held.sort(key=_TIME)
            self._is_sorted = True
        ready, self._held = held[:count], held[count:]
        if ready:
            self._gone = ready[-1][0]
        return ready

    def _note(self, at_us: int, entry: Entry) -> int:
        """An entry that is older than one before it. → the time that it gets."""
        disorder = self.disorder
        disorder.by_us = max(disorder.by_us, self._newest - at_us)
        disorder.line = disorder.line or entry.line
        self._is_sorted = False
        if at_us >= self._gone:
            disorder.moved += 1
            return at_us
        disorder.late += 1
        if self._newest - at_us > STEP_US:
            self._shift += self._newest - at_us  # the clock was set back, or a time is absurd
        return self._newest
