"""Events made by hand, for the tales of a catalogue: no world, no twin, nothing runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Final

from sim.core.event import Acted, Event, HostStarted, Noted
from sim.core.invariant import Monitor, Violation

SECOND_US: Final = 1_000_000


class Handmade:
    """What is told is folded by a view and judged by one invariant.

    At the end nothing happens for ``CALM_S`` seconds, which ``LAST`` notes.
    """

    CALM_S: ClassVar[float]
    LAST: ClassVar[str]

    def __init__(self, view: Any, invariant: type[Any], hosts: Iterable[str]) -> None:
        self.view = view
        self.now = 0
        self.n = 0
        self.judge = invariant(view)
        self.monitor = Monitor([self.judge])
        self._watchers: dict[type[Event], list[Callable[[Any], None]]] = {}
        self.monitor.attach(lambda kind, watch: self._watchers.setdefault(kind, []).append(watch))
        for host in hosts:
            self.starts(host)

    def tell(self, kind: type[Event], cause: int = -1, **facts: Any) -> int:
        """The next event; its number."""
        event = kind(n=self.n, at=self.now, cause=cause, **facts)
        self.view.on(event)
        for watch in self._watchers.get(kind, ()):
            watch(event)
        self.n += 1
        return event.n

    def starts(self, host: str, epoch: int = 1) -> None:
        """A life of a host begins."""
        self.tell(HostStarted, host=host, epoch=epoch)

    def act(self, host: str, act: Any) -> int:
        """Somebody does something."""
        return self.tell(Acted, host=host, act=act)

    def wait(self, seconds: float) -> None:
        """Time passes."""
        self.now += round(seconds * SECOND_US)

    def finish(self) -> list[Violation]:
        """The end; what was wrong."""
        self.wait(self.CALM_S)
        self.tell(Noted, host=self.LAST, what="the end", data=None)
        self.monitor.finish(self.n - 1)
        return self.monitor.violations
