"""The oracles that watch frames: the view that they ask, and who is asked of which event."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sim.check.protocols import Judged, invariants_of
from sim.core.dispatch import Judges, Row, plan_for
from sim.core.event import Event, FrameDelivered, FrameSent
from sim.core.invariant import Handler, Invariant, Monitor
from sim.wire.result import ParseResult

Heard = tuple[tuple[Handler, Invariant], ...]
Broken = Callable[[Invariant, int, str], None]


class _Findings(Monitor):
    """Tells of every break, not only of the first."""

    def __init__(self, invariants: list[Invariant], tell: Broken) -> None:
        super().__init__(invariants)
        self._tell = tell

    def _break(self, invariant: Invariant, step: int, text: str) -> None:
        self._tell(invariant, step, text)


class Oracles:
    """Those that judge some ``sides`` by frames. ``broken`` is told of each break."""

    def __init__(
        self, protocol: Judged, sides: frozenset[str], without: frozenset[str], broken: Broken
    ) -> None:
        self.view: Any = protocol.view()
        self.invariants = [
            one for one in invariants_of(protocol, self.view, sides) if one.name not in without
        ]
        self._broken = broken
        self._read = protocol.readers
        self._watchers: dict[type[Event], list[Callable[[Any], None]]] = {}
        for kind in self.view.kinds:
            self._watch(kind, self.view.on)
        self._monitor = _Findings(self.invariants, broken)
        self._monitor.attach(self._watch)
        # These two kinds come by the million: no watcher stands between.
        self._of_sent = self._judges_of(FrameSent)
        self._of_delivered = self._judges_of(FrameDelivered)

    def _judges_of(self, kind: type[Event]) -> Judges:
        return Judges(plan_for(self.invariants).get(kind, Row()), self.invariants)

    def _watch(self, kind: type[Event], watcher: Callable[[Any], None]) -> None:
        self._watchers.setdefault(kind, []).append(watcher)

    def of_sent(self, kind: str) -> Heard:
        """Who wants to hear that a frame of this type was written, with whose function it is."""
        return self._of_sent.owned(kind)

    def of_delivered(self, kind: str) -> Heard:
        """Likewise, that it has arrived."""
        return self._of_delivered.owned(kind)

    def sent(self, event: FrameSent, verdict: ParseResult) -> None:
        """A frame that the parser takes was written."""
        if not self.invariants:
            return
        message: Any = event.frame
        kind = message.type
        message.verdict = verdict  # nobody needs to ask the parser again
        if message._body is None:
            read = self._read.get(kind)  # a view that asks for no typed payloads has none
            message._body = None if read is None else read(message.wire["payload"])
        self.view.on(event)
        for handler in self._of_sent[kind]:
            fault = handler(event)
            if fault is not None:
                self._broken(self._of_sent.owner(kind, handler), event.n, fault)

    def delivered(self, event: FrameDelivered) -> None:
        """It has arrived."""
        if not self.invariants:
            return
        self.view.on(event)
        for handler in self._of_delivered[event.type]:
            fault = handler(event)
            if fault is not None:
                self._broken(self._of_delivered.owner(event.type, handler), event.n, fault)

    def on(self, event: Event) -> None:
        """Anything else."""
        for watcher in self._watchers.get(type(event), ()):
            watcher(event)

    def ask(self, step: int) -> None:
        """What never came true until now?"""
        self._monitor.finish(step)
