"""What a reader of frames sees of a simulated run, depending on where he stands.

``wire``: each frame when it is written and when it arrives. ``desktop``, ``server``: a log
that one end keeps, of what it writes when it writes it and of what arrives when it arrives.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs

from sim.check.judge import FrameJudge
from sim.core.event import (
    ConnectionClosed,
    ConnectionOpened,
    Event,
    FaultInjected,
    FrameDelivered,
    FrameLost,
    FrameSent,
    HostCrashed,
)
from sim.core.op import OpaqueFrame
from sim.protocols.handmade import Handmade
from sim.wire.encode import encode_json

PLACES = ("wire", "desktop", "server")


def text_of(frame: Any) -> str:
    """What stands on the wire."""
    return frame.text if isinstance(frame, OpaqueFrame) else encode_json(frame.wire)


@attrs.define
class Observer:
    """Shows a run's events to a judge, as seen from one place.

    ``lanes``, ``closings``: whether it is known which channel a connection is for, and when
    it is over.
    """

    judge: FrameJudge
    place: str = "wire"
    lanes: bool = True
    closings: bool = True
    clients: dict[str, str] = attrs.field(factory=dict)
    sent: dict[int, FrameSent] = attrs.field(factory=dict)
    numbers: dict[int, int] = attrs.field(factory=dict)

    def watch(self, events: Iterable[Event]) -> FrameJudge:
        """All of it."""
        for event in events:
            self.on(event)
        self.judge.finish()
        return self.judge

    def on(self, event: Event) -> None:
        judge = self.judge
        if isinstance(event, ConnectionOpened):
            self.clients[event.link] = event.client
            lane = event.lane if self.lanes else ""
            judge.opened(event.at, event.link, event.client, event.server, lane)
        elif isinstance(event, ConnectionClosed) and self.closings:
            here = "desktop" if event.host == self.clients.get(event.link) else "server"
            if self.place in ("wire", here):
                judge.closed(event.at, event.link, event.by, event.code, event.reason)
        elif isinstance(event, HostCrashed) and self.closings and self.place != "wire":
            self._died(event)
        elif isinstance(event, FrameSent):
            self.sent[event.n] = event
            if event.link in judge.links:
                self._written(event)
        elif isinstance(event, FrameDelivered):
            self._arrived(event)
        elif isinstance(event, FrameLost) and self.place == "wire" and event.sent in self.numbers:
            judge.lost(event.at, event.link, self.numbers[event.sent], event.why)
        elif isinstance(event, FaultInjected) and self.place == "wire":
            self._doubled(event)

    def _died(self, event: HostCrashed) -> None:
        """Whoever keeps a log knows that he died: his log ends with the connection."""
        for link in list(self.judge.links.values()):
            here = link.client if self.place == "desktop" else link.server
            if here == event.host:
                self.judge.closed(event.at, link.name)

    def _doubled(self, event: FaultInjected) -> None:
        """``duplicate D.slack#1 D>S 14``: somebody between the two does that, and knows it."""
        verb, *words = event.fault.split()
        for n, sent in self.sent.items():
            is_it = (sent.link, str(sent.nth)) == (words[0], words[-1])
            if verb == "duplicate" and is_it and words[1].startswith(f"{sent.sender}>"):
                self.judge.duplicated(event.at, sent.link, self.numbers.get(n, -1))

    def _is_up(self, event: Any) -> bool:
        return bool(event.sender == self.clients[event.link])

    def _written(self, event: FrameSent) -> None:
        up, text = self._is_up(event), text_of(event.frame)
        if self.place == "wire":
            self.numbers[event.n] = self.judge.sent(event.at, event.link, up, text)
        elif up is (self.place == "desktop"):
            self.judge.passed(event.at, event.link, up, text)

    def _arrived(self, event: FrameDelivered) -> None:
        up = self._is_up(event)
        sent = self.sent.get(event.sent)
        if sent is None or event.link not in self.judge.links:
            return
        if self.place == "wire":
            if event.sent in self.numbers:
                self.judge.delivered(event.at, event.link, self.numbers[event.sent])
        elif up is not (self.place == "desktop"):
            self.judge.passed(event.at, event.link, up, text_of(sent.frame))


class KeepsEvents(Handmade):
    """In front of a protocol's tale: keeps what it is told."""

    def __init__(self, invariant):
        self.kept = []
        super().__init__(invariant)

    def tell(self, kind, cause=-1, **facts):
        self.kept.append(kind(n=self.n, at=self.now, cause=cause, **facts))
        return super().tell(kind, cause, **facts)
