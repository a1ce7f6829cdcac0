"""Which handler of a host a call belongs to: followed from cause to cause.

A handler waits for each of its calls, so that each call follows from the answer to the
one before; a second call that follows from one answer is that of a handler that began
there. A handler that says which update it handles is at that one until it says that it
has ended; else who has claimed an entry is at that entry, whatever it did before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import attrs

if TYPE_CHECKING:
    from sim.protocols.question.view_records import Attempt

KEPT: Final = 4_096


@attrs.define(eq=False)
class Thread:
    """A handler, numbered by its first call.

    ``entry``: the uniqueId that it has claimed last, ``claim`` under which name; ``root``:
    the answer to getUpdates with which it began, -1 for none; ``is_loop``: it is the loop
    that asks for them; ``removed``: the entries that it has since taken out of the store;
    ``before``: the number of the tool call that it serves, -1 for none; ``toasted``: the
    press that it has answered last; ``update``: the one that it says it handles, -1 where
    it does not say so.
    """

    host: str
    number: int = 0
    entry: str = ""
    claim: str = ""
    removed: list[str] = attrs.field(factory=list)
    before: int = -1
    root: int = -1
    is_loop: bool = False
    toasted: Attempt | None = None
    update: int = -1

    def begins(self, update: int) -> None:
        """With an update (-1: with none). What was before is over."""
        self.update = update
        self.entry = self.claim = ""
        self.removed.clear()


class _At(NamedTuple):
    """What a handler was at, when something happened in it."""

    thread: Thread
    update: int


class Threads:
    """Handlers by the events that they have caused or seen."""

    def __init__(self) -> None:
        self._by_event: dict[int, _At] = {}
        self._gone_on: dict[int, None] = {}
        self._begun: dict[str, tuple[int, int]] = {}

    def handles(self, cause: int, host: str, update: int) -> None:
        """A handler of a host begins with an update: what follows next from ``cause`` is
        its doing."""
        self._begun[host] = (cause, update)

    def handled(self, cause: int, host: str) -> None:
        """The handler that has gone on from an event is through with its update."""
        self._begun.pop(host, None)
        found = self.of(cause, host)
        if found is not None:
            found.begins(-1)

    def issued(self, n: int, cause: int, host: str) -> Thread:
        """A host calls another. → the handler that does.

        One handler goes on from an answer; what else follows from it is another's, which
        was begun there.
        """
        before, update = self._by_event.get(cause, (None, -1))
        if before is None or before.host != host:
            found = Thread(host, n)
        elif cause in self._gone_on:
            found = Thread(host, n, before=before.before, root=before.root, update=update)
        else:
            found = before
        began_at, begun = self._begun.pop(host, (cause, -1))
        if began_at == cause and begun >= 0:
            found.begins(begun)
        self._gone_on[cause] = None
        self._keep(n, found)
        return found

    def polls(self, n: int, host: str) -> None:
        """A listener's loop asks for updates. A handler that has ended may have woken it;
        what comes of the updates is none of that handler's doing."""
        self._keep(n, Thread(host, n, is_loop=True))

    def answered(self, n: int, call: int) -> None:
        """The answer to a call is there."""
        found, update = self._by_event.get(call, (None, -1))
        if found is not None:
            if found.is_loop and found.number == call:
                found.root = n
            self._by_event[n] = _At(found, update)
            self._forget()

    def began(self, n: int, host: str, before: int) -> None:
        """An event begins a handler that serves a tool call."""
        self._keep(n, Thread(host, n, before=before))

    def of(self, n: int, host: str) -> Thread | None:
        """The handler of a host that an event belongs to."""
        found, _ = self._by_event.get(n, (None, -1))
        return found if found is not None and found.host == host else None

    def _keep(self, n: int, thread: Thread) -> None:
        self._by_event[n] = _At(thread, thread.update)
        self._forget()

    def _forget(self) -> None:
        if len(self._by_event) > KEPT:
            oldest = next(iter(self._by_event))
            del self._by_event[oldest]
            self._gone_on.pop(oldest, None)
