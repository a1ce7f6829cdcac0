"""What crossed in a run, as if somebody had captured its packets.

Each connection is one of TCP with its upgrade and its WebSocket messages, each HTTP request
one of its own. A frame is on the wire when it is sent, its acknowledgement when it arrives.
Who is who stands in the file's names: a host has an address, the centre listens on port 80.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

import attrs

from sim import __version__
from sim.cli.exporting import pcapng, websocket
from sim.cli.exporting.packets import Connection, End
from sim.cli.exporting.runs import Subject, Tell, began_at_us, silent
from sim.core import event as events
from sim.core.event import Event
from sim.protocols import register

HTTP_PORT: Final = 80
"""Where dissectors expect HTTP, and an upgrade."""

FIRST_PORT, PORTS = 49_152, 16_384
ABNORMAL: Final = 1006

Packets: TypeAlias = Iterator[tuple[bytes, str]]
"""Each with what a reader is told of it, "" where it speaks for itself."""


def pcapng_of(subject: Subject, tell: Tell = silent) -> Iterator[bytes]:
    """The file, block by block; the same run gives the same bytes. ``tell`` hears of progress."""
    capture = _Capture(subject)
    header = subject.trace.header
    how = "recorded live" if header.driver == "live" else f"seed {header.seed}"
    comment = f"{subject.name}: {header.protocol}, {how}"
    yield pcapng.head(f"hooktwin {__version__}", comment, capture.names)
    for n in subject.steps(tell):
        yield from capture.on(subject.trace.event(n))


@attrs.define(eq=False)
class _Wire:
    """One connection on the wire; ``reached`` is the last byte of each frame that is under way,
    by its event, ``arrived`` are those that are not any more."""

    tcp: Connection
    ends: dict[str, End]
    reached: dict[int, int] = attrs.field(factory=dict)
    arrived: dict[int, None] = attrs.field(factory=dict)


class _Capture:
    """Takes events, gives packets."""

    def __init__(self, subject: Subject) -> None:
        self._trace = subject.trace
        self._began_us = began_at_us(subject.trace)
        self._addresses: dict[str, bytes] = {}
        self._count = 0
        self._links: dict[str, _Wire] = {}
        self._calls: dict[int, _Wire] = {}
        for host, _ in subject.trace.header.hosts:
            self._address(host)
        self._fates = self._fates_of()

    def _fates_of(self) -> dict[int, str]:
        """What became of frames that did not arrive; and who is there, for the names."""
        found: dict[int, str] = {}
        for n in range(self._trace.count):
            event = self._trace.event(n)
            if isinstance(event, events.FrameLost):
                found[event.sent] = event.why
            elif isinstance(event, events.ConnectionOpened | events.ConnectionRefused):
                self._address(event.client)
                self._address(event.server)
        return found

    @property
    def names(self) -> dict[bytes, str]:
        """Hosts by their addresses."""
        return {address: host for host, address in self._addresses.items()}

    def _address(self, host: str) -> bytes:
        number = len(self._addresses) + 1
        known = self._addresses.get(host)
        if known is None:
            known = self._addresses[host] = bytes(
                [10, number >> 16, number >> 8 & 255, number & 255]
            )
        return known

    def on(self, event: Event) -> Iterator[bytes]:
        """The packets of the next event, as blocks."""
        at_us = self._began_us + event.at
        for data, comment in self._packets(event):
            yield pcapng.packet(at_us, data, f"step {event.n}: {comment}" if comment else "")

    def _packets(self, event: Any) -> Packets:
        match event:
            case events.ConnectionOpened():
                yield from self._opened(event.link, event.client, event.server, event.lane)
            case events.ConnectionRefused():
                yield from self._refused(event)
            case events.FrameSent():
                yield from self._sent(event)
            case events.FrameDelivered():
                yield from self._delivered(event)
            case events.ConnectionClosed():
                yield from self._closed(event)
            case events.CallIssued() if _is_http(event.request):
                yield from self._asked(event)
            case events.CallAnswered() if event.call in self._calls:
                yield from self._answered(event)

    # -- connections ----------------------------------------------------------------------

    def _wire(self, client: str, server: str, seed: str) -> _Wire:
        ports = FIRST_PORT + self._count % PORTS, HTTP_PORT
        self._count += 1
        tcp = Connection.between(self._address(client), self._address(server), ports, seed)
        return _Wire(tcp, {client: tcp.client, server: tcp.server})

    def _opened(self, link: str, client: str, server: str, lane: str) -> Packets:
        wire = self._links[link] = self._wire(client, server, link)
        for data in wire.tcp.opens():
            yield data, ""
        asked, answered = websocket.upgrade(server, lane, link)
        yield from _whole(wire, wire.tcp.client, asked, f"{client} connects, {link}")
        yield from _whole(wire, wire.tcp.server, answered, "")

    def _refused(self, event: events.ConnectionRefused) -> Packets:
        wire = self._wire(event.client, event.server, event.link)
        told = f"{event.link} refused"
        if not event.status:
            yield wire.tcp.asks(), told
            yield wire.tcp.resets(wire.tcp.server), ""
            return
        for data in wire.tcp.opens():
            yield data, ""
        asked, _ = websocket.upgrade(event.server, event.lane, event.link)
        yield from _whole(wire, wire.tcp.client, asked, told)
        yield from _whole(wire, wire.tcp.server, websocket.response(event.status, None), "")
        yield wire.tcp.finishes(wire.tcp.server), ""

    def _sent(self, event: events.FrameSent) -> Packets:
        if event.link not in self._links:  # it was open before the recording began
            yield from self._opened(event.link, event.sender, event.receiver, "")
        fate = self._fates.get(event.n)
        yield from self._written(event, f" ({fate}: it never arrives)" if fate else "")

    def _written(self, event: events.FrameSent, remark: str) -> Packets:
        wire = self._links[event.link]
        end = wire.ends.get(event.sender)
        if end is None:
            return
        seed = f"{event.link} {event.nth}" if end is wire.tcp.client else ""
        name, _ = register.told(event.frame, "frame")
        for data in wire.tcp.data(end, websocket.message(event.frame, seed)):
            yield data, name + remark
        wire.reached[event.n] = end.sent

    def _delivered(self, event: events.FrameDelivered) -> Packets:
        wire = self._links.get(event.link)
        end = None if wire is None else wire.ends.get(event.receiver)
        if wire is None or end is None:
            return
        if event.sent in wire.arrived:
            sent = self._trace.event(event.sent)
            if isinstance(sent, events.FrameSent):
                yield from self._written(sent, " (once more: a duplicate)")
        if event.sent in wire.reached:
            wire.arrived[event.sent] = None
            wire.tcp.hears(end, wire.reached.pop(event.sent))
            yield wire.tcp.confirms(end), ""

    def _closed(self, event: events.ConnectionClosed) -> Packets:
        """An end is over: by a closing frame, or broken off in the name of who broke it."""
        wire = self._links.get(event.link)
        end = None if wire is None else wire.ends.pop(event.host, None)
        if wire is None or end is None:
            return
        told = f"{event.host} closed, {event.code} {event.reason}".rstrip()
        if event.code == ABNORMAL:
            guilty = end if event.by == event.host else wire.tcp.other(end)
            how = wire.tcp.finishes if event.reason == "fin" else wire.tcp.resets
            yield how(guilty), told
            return
        wire.tcp.hears(end)
        seed = f"{event.link} close" if end is wire.tcp.client else ""
        for data in wire.tcp.data(end, websocket.close(event.code, event.reason, seed)):
            yield data, told
        yield wire.tcp.finishes(end), ""

    # -- calls ----------------------------------------------------------------------------

    def _asked(self, event: events.CallIssued) -> Packets:
        wire = self._wire(event.caller, event.callee, f"call {event.n}")
        self._calls[event.n] = wire
        for data in wire.tcp.opens():
            yield data, ""
        name, _ = register.told(event.request, "request")
        yield from _whole(
            wire, wire.tcp.client, websocket.request(event.request, event.callee), name
        )

    def _answered(self, event: events.CallAnswered) -> Packets:
        wire = self._calls.pop(event.call)
        reply = event.reply if isinstance(event.reply, dict) else {}
        match reply.get("is"):
            case "http-response":
                made = websocket.response(_status(reply), reply.get("body"))
                yield from _whole(wire, wire.tcp.server, made, f"answer to step {event.call}")
                yield wire.tcp.finishes(wire.tcp.server), ""
                yield wire.tcp.finishes(wire.tcp.client), ""
                yield wire.tcp.confirms(wire.tcp.server), ""
            case "unreached":
                yield wire.tcp.resets(wire.tcp.server), f"step {event.call}: {reply.get('why')}"
            case _:
                yield wire.tcp.finishes(wire.tcp.client), f"no answer to step {event.call}"


def _is_http(request: Any) -> bool:
    return isinstance(request, dict) and request.get("is") == "http"


def _status(reply: dict[str, Any]) -> int:
    status = reply.get("status")
    return status if isinstance(status, int) else 200


def _whole(wire: _Wire, end: End, payload: bytes, comment: str) -> Packets:
    """What an end writes, and that the other one has got it."""
    for data in wire.tcp.data(end, payload):
        yield data, comment
    wire.tcp.hears(wire.tcp.other(end))
