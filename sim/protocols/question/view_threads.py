"""Which handler of a host a call belongs to: followed from cause to cause.

A handler waits for each of its calls, so that each call follows from the answer to the
one before. What a poll brings is handled side by side: there the ways part. A handler
that has claimed an entry is at that entry, whatever it did before.
"""

from __future__ import annotations

from typing import Final

import attrs

KEPT: Final = 4_096


@attrs.define(eq=False)
class Thread:
    """A handler. ``entry``: the uniqueId that it has claimed last; ``removed``: those that it
    has taken out of the store; ``before``: the number of the tool call that it serves."""

    host: str
    entry: str = ""
    claim: str = ""
    removed: list[str] = attrs.field(factory=list)
    before: int = -1


class Threads:
    """Handlers by the events that they have caused or seen."""

    def __init__(self) -> None:
        self._by_event: dict[int, Thread] = {}
        self._forks: dict[int, None] = {}

    def issued(self, n: int, cause: int, host: str) -> Thread:
        """A host calls another. → the handler that does."""
        found = self.of(cause, host)
        if found is None or cause in self._forks:
            found = Thread(host)
        self._keep(n, found)
        return found

    def answered(self, n: int, call: int, *, forks: bool) -> None:
        """The answer to a call is there; ``forks``: several handlers may follow from it."""
        found = self._by_event.get(call)
        if found is not None:
            self._keep(n, found)
            if forks:
                self._forks[n] = None

    def began(self, n: int, host: str, before: int) -> None:
        """An event begins a handler that serves a tool call."""
        self._keep(n, Thread(host, before=before))

    def of(self, n: int, host: str) -> Thread | None:
        """The handler of a host that an event belongs to."""
        found = self._by_event.get(n)
        return found if found is not None and found.host == host else None

    def _keep(self, n: int, thread: Thread) -> None:
        self._by_event[n] = thread
        if len(self._by_event) > KEPT:
            oldest = next(iter(self._by_event))
            del self._by_event[oldest]
            self._forks.pop(oldest, None)
