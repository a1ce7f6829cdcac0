"""Who is up, what is connected, what is in flight: the fold that every screen needs.

It stays as small as the present is (what is over is forgotten), so that a trace
file can hold it every 1,000 events. Takes events whose frames and requests are
plain values as well as those of a run that is going on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from sim.core import event as events
from sim.core.event import Event

EVERY = 1000
"""Events between two snapshots in a trace file."""


def _asked(request: Any) -> str:
    """The kind of a request; of one over HTTP its method and the last part of its path."""
    kind = kind_of(request)
    if kind != "http" or not isinstance(request, Mapping):
        return kind
    path = str(request.get("path", ""))
    shown = path if path.count("/") <= 1 else f"…/{path.rpartition('/')[2]}"
    return f"{request.get('method', '')} {shown}"


def kind_of(value: Any) -> str:
    """The word for a frame, request, act or row: its ``type``, ``messageType`` or ``is``."""
    if isinstance(value, Mapping):
        return str(value.get("is") or value.get("type") or value.get("messageType") or "")
    tag = getattr(getattr(value, "__struct_config__", None), "tag", None)
    return str(tag or getattr(value, "type", ""))


@attrs.define
class LinkScene:
    """A connection of which some end believes that it is open."""

    client: str
    server: str
    lane: str
    client_open: bool = True
    server_open: bool = True


@attrs.define
class Flight:
    """A frame, or a call, that is on its way or waits for its answer."""

    source: str
    target: str
    what: str
    link: str = ""
    at: int = 0


@attrs.define(eq=True)
class Scene:
    """The present after some event.

    ``hosts``: (up, epoch) by name. ``frames`` by the number of their FrameSent,
    ``calls`` by that of their CallIssued, until the caller has its answer.
    ``steps``, ``faults``, ``lost`` count what has been.
    """

    hosts: dict[str, tuple[bool, int]] = attrs.field(factory=dict)
    links: dict[str, LinkScene] = attrs.field(factory=dict)
    frames: dict[int, Flight] = attrs.field(factory=dict)
    calls: dict[int, Flight] = attrs.field(factory=dict)
    now: int = 0
    steps: int = 0
    faults: int = 0
    lost: int = 0

    def on(self, event: Event) -> None:
        """Take the next event of the trace."""
        self.now = event.at
        self.steps = event.n + 1
        handler = _HANDLERS.get(type(event))
        if handler is not None:
            handler(self, event)

    def is_up(self, host: str) -> bool:
        """Hosts that never started (a person who needs none) count as up."""
        return self.hosts.get(host, (True, 0))[0]

    def waits(self, host: str) -> list[int]:
        """The calls that handlers of this host wait for: their await gaps."""
        return [n for n, call in self.calls.items() if call.source == host]

    def to_json(self) -> dict[str, Any]:
        """What a snapshot holds."""
        return attrs.asdict(self)

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> Scene:
        """The scene of a snapshot. Raises KeyError, TypeError or ValueError for a damaged one."""
        return cls(
            {name: (bool(up), int(epoch)) for name, (up, epoch) in told["hosts"].items()},
            {name: LinkScene(**link) for name, link in told["links"].items()},
            {int(n): Flight(**flight) for n, flight in told["frames"].items()},
            {int(n): Flight(**flight) for n, flight in told["calls"].items()},
            told["now"],
            told["steps"],
            told["faults"],
            told["lost"],
        )


def _started(scene: Scene, event: events.HostStarted) -> None:
    scene.hosts[event.host] = (True, event.epoch)


def _crashed(scene: Scene, event: events.HostCrashed) -> None:
    scene.hosts[event.host] = (False, event.epoch)
    for n in scene.waits(event.host):
        del scene.calls[n]


def _opened(scene: Scene, event: events.ConnectionOpened) -> None:
    scene.links[event.link] = LinkScene(event.client, event.server, event.lane)


def _closed(scene: Scene, event: events.ConnectionClosed) -> None:
    link = scene.links.get(event.link)
    if link is None:
        return
    if event.host == link.client:
        link.client_open = False
    else:
        link.server_open = False
    if not (link.client_open or link.server_open):
        del scene.links[event.link]


def _sent(scene: Scene, event: events.FrameSent) -> None:
    what = kind_of(event.frame)
    scene.frames[event.n] = Flight(event.sender, event.receiver, what, event.link, event.at)


def _delivered(scene: Scene, event: events.FrameDelivered) -> None:
    scene.frames.pop(event.sent, None)


def _lost(scene: Scene, event: events.FrameLost) -> None:
    scene.lost += 1
    scene.frames.pop(event.sent, None)


def _issued(scene: Scene, event: events.CallIssued) -> None:
    what = _asked(event.request)
    scene.calls[event.n] = Flight(event.caller, event.callee, what, at=event.at)


def _answered(scene: Scene, event: events.CallAnswered) -> None:
    scene.calls.pop(event.call, None)


def _fault(scene: Scene, event: events.FaultInjected) -> None:
    scene.faults += 1


_HANDLERS: dict[type[Event], Callable[[Scene, Any], None]] = {
    events.HostStarted: _started,
    events.HostCrashed: _crashed,
    events.ConnectionOpened: _opened,
    events.ConnectionClosed: _closed,
    events.FrameSent: _sent,
    events.FrameDelivered: _delivered,
    events.FrameLost: _lost,
    events.CallIssued: _issued,
    events.CallAnswered: _answered,
    events.FaultInjected: _fault,
}
