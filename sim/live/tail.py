"""The events of a live run in memory: the newest ones only, the rest is in the recording."""

from __future__ import annotations

from collections.abc import Callable, Iterable, MutableSequence
from typing import overload

from sim.core.event import Event

KEPT = 5_000
"""Events that stay in memory when nobody says otherwise."""


class Tail(MutableSequence[Event]):
    """The events of a run by number, of which only the newest ``kept`` can be had.

    ``first`` is the oldest of them, ``len`` counts all that ever were.
    """

    def __init__(self, kept: int = KEPT, sink: Callable[[Event], None] | None = None) -> None:
        self.first = 0
        self._kept = kept
        self._sink = sink
        self._events: list[Event] = []

    def append(self, value: Event) -> None:
        """The next event; it goes to the file first."""
        if self._sink is not None:
            self._sink(value)
        self._events.append(value)
        # In large steps: a list that loses its head one by one moves all the rest each time.
        if len(self._events) >= 2 * self._kept:
            gone = len(self._events) - self._kept
            del self._events[:gone]
            self.first += gone

    def after(self, n: int) -> list[Event]:
        """The kept events behind number ``n``."""
        return self._events[max(0, n + 1 - self.first) :]

    def __len__(self) -> int:
        return self.first + len(self._events)

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> MutableSequence[Event]: ...
    def __getitem__(self, index: int | slice) -> Event | MutableSequence[Event]:
        if isinstance(index, slice):
            return [self[n] for n in range(*index.indices(len(self)))]
        n = index + len(self) if index < 0 else index
        if not self.first <= n < len(self):
            raise IndexError(
                f"event {index} is not kept; there are {self.first} to {len(self) - 1}"
            )
        return self._events[n - self.first]

    def insert(self, index: int, value: Event) -> None:
        """A trace only grows at its end."""
        raise TypeError("events happen at the end of a trace: append them")

    def __setitem__(self, index: int | slice, value: Event | Iterable[Event]) -> None:
        raise TypeError("what has happened stays as it is")

    def __delitem__(self, index: int | slice) -> None:
        raise TypeError("what has happened stays as it is")
