"""Which frames were said at all: what no receiver takes is no statement of anybody's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sim.check.protocols import Judged
from sim.core.event import Event, FrameDelivered, FrameLost, FrameSent
from sim.core.op import OpaqueFrame

KEPT = 4_096


class Said:
    """Keeps frames that are refused, or that only the other side may send, from oracles that
    judge real programs by their frames.

    ``kind_of`` gives the kind of a host (``desktop``, ``server``). ``rereads``: the events
    come from a file, so only the parser knows which frames are good.
    """

    def __init__(
        self, protocol: Judged, kind_of: Callable[[str], str | None], *, rereads: bool = False
    ) -> None:
        self._rereads = rereads
        self._protocol = protocol
        self._kind_of = kind_of
        self._unsaid: dict[int, None] = {}

    def only(self, watcher: Callable[[Any], Any]) -> Callable[[Any], None]:
        """The same watcher, for what was said."""

        def watch(event: Any) -> None:
            if self.is_said(event):
                watcher(event)

        return watch

    def is_said(self, event: Event) -> bool:
        """Whether an oracle may hear of this event."""
        kind = type(event)
        if kind is FrameSent:
            return self._is_statement(event)  # type: ignore[arg-type]
        if kind is FrameDelivered or kind is FrameLost:
            return event.sent not in self._unsaid  # type: ignore[attr-defined]
        return True

    def is_misled(self, event: FrameSent) -> bool:
        """Whether only the other side may send such a frame."""
        by_client = self._kind_of(event.sender) in self._protocol.clients
        return self._protocol.wrong_way.get(event.frame.type) is by_client

    def _is_bad(self, frame: Any) -> bool:
        if type(frame) is OpaqueFrame:
            return True
        return self._rereads and self._protocol.parse(frame.wire).message is None

    def _is_statement(self, event: FrameSent) -> bool:
        if event.n in self._unsaid:
            return False
        if not (self._is_bad(event.frame) or self.is_misled(event)):
            return True
        self._unsaid[event.n] = None
        if len(self._unsaid) > KEPT:
            del self._unsaid[next(iter(self._unsaid))]
        return False
