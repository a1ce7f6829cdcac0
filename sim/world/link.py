"""Connections: FIFO per direction, with a generation each, and their ends.

A WebSocket neither reorders nor loses in the middle, so a direction is one
queue (``End.flight``): frames and, behind them, the close. A silent cut (half
open) holds both queues without telling anyone; healing lets them go, as TCP
would retransmit. A cut by FIN delivers what was sent, one by RST drops it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from sim.core.entropy import nth_between, origin
from sim.core.event import ConnectionClosed, FrameDelivered, FrameLost
from sim.core.op import OpaqueFrame
from sim.world.item import Item

if TYPE_CHECKING:
    from sim.core.op import Frame, UpgradeRefused
    from sim.world.activity import Activity
    from sim.world.world import World


class End:
    """One end; implements :class:`sim.core.op.Connection`.

    ``flight`` holds what this end has sent and the other has not yet got.
    ``severed``: the wire behind this end is cut, but the end does not know.
    """

    __slots__ = (
        "flight", "held", "host", "is_open", "last_due", "latency", "link", "nth", "other",
        "severed", "start",
    )  # fmt: skip

    other: End

    def __init__(self, link: Link, host: str, latency: tuple[int, int], seed: int) -> None:
        self.link = link
        self.host = host
        self.latency = latency
        self.is_open = False
        self.held = False
        self.severed = False
        self.nth = 0
        self.last_due = 0
        # A list: an empty deque is twelve times as large, and queues are short.
        self.flight: list[Flight] = []
        self.start = origin(seed, f"{link.name} {host}")

    @property
    def name(self) -> str:
        return self.link.name

    @property
    def lane(self) -> str:
        return self.link.lane

    @property
    def peer(self) -> str:
        return self.other.host

    @property
    def info(self) -> Any:
        return self.link.info

    def put(self, world: World, item: Flight) -> None:
        """Queue an item behind everything that this end has sent."""
        low, high = self.latency
        due = world.now + nth_between(self.start, self.nth, low, high)
        self.last_due = due = due if due > self.last_due else self.last_due
        self.flight.append(item)
        item.cause = world.cause
        if self.held:
            item.due = due
        else:
            world.schedule(item, due)

    def hold(self, world: World) -> None:
        """Stop the queue; what is in it stays, unseen by the clock."""
        if not self.held:
            self.held = True
            for item in self.flight:
                world.unschedule(item)

    def release(self, world: World) -> None:
        """Let the queue go on, in order."""
        if self.held:
            self.held = False
            for item in self.flight:
                item.due = due = max(world.now, item.due)
                self.last_due = max(self.last_due, due)
                world.schedule(item, due)

    def postpone(self, world: World, floor: int) -> None:
        """Nothing in the queue arrives before ``floor``; the order stays."""
        self.last_due = max(self.last_due, floor)
        for item in self.flight:
            world.schedule(item, max(item.due, floor))

    def drop_flight(self, world: World, why: str) -> None:
        """Everything that is on its way from this end is lost."""
        while self.flight:
            item = self.flight.pop(0)
            world.unschedule(item)
            item.lost(world, why)

    def __repr__(self) -> str:
        return f"<{self.host} end of {self.link.name}{'' if self.is_open else ', closed'}>"


class Link:
    """A connection: one generation of a client's lane to a server."""

    __slots__ = ("client", "generation", "info", "lane", "name", "server", "silent")

    def __init__(self, name: str, lane: str, generation: int, info: Any) -> None:
        self.name = name
        self.lane = lane
        self.generation = generation
        self.info = info
        self.silent = False
        self.client: End
        self.server: End

    def ends(self) -> tuple[End, End]:
        return self.client, self.server

    def end_of(self, host: str) -> End:
        """The end that stands at ``host``."""
        return self.client if self.client.host == host else self.server

    @property
    def is_open(self) -> bool:
        """Whether some end still believes in it."""
        return self.client.is_open or self.server.is_open

    @property
    def is_dialling(self) -> bool:
        """Whether the server has not heard of it yet."""
        return bool(self.client.flight) and self.client.flight[0].opens

    def forget_if_over(self, world: World) -> None:
        """Both ends are closed and nothing is on its way: the world need not keep it."""
        if not (self.is_open or self.client.flight or self.server.flight):
            world.forget_link(self)


class Flight(Item):
    """Something queued in one direction of a connection."""

    __slots__ = ("end",)

    opens: ClassVar[bool] = False

    def __init__(self, end: End) -> None:
        self.due = 0
        self.seq = self.cause = -1
        self.foreground = True
        self.end = end

    def enabled(self) -> bool:
        end = self.end
        return not end.held and end.flight[0] is self

    def slept(self, world: World, to: End) -> bool:
        """The receiver's lid is closed: the queue waits in its kernel until it wakes."""
        host = world.hosts[to.host]
        if not world.asleep(host):
            return False
        # The whole queue at once: one by one, a tie of times could reorder it.
        to.other.postpone(world, host.asleep_until)
        return True

    def lost(self, world: World, why: str) -> None:
        """The queue was dropped."""


class FrameFlight(Flight):
    """A frame on its way; ``sent`` is the number of its FrameSent event."""

    __slots__ = ("again", "frame", "nth", "sent")

    def __init__(self, end: End, frame: Frame, sent: int) -> None:
        super().__init__(end)
        self.frame = frame
        self.sent = sent
        self.nth = end.nth
        self.again = False

    def fire(self, world: World) -> None:
        end = self.end
        to = end.other
        if world.hosts[to.host].asleep_until > world.now and self.slept(world, to):
            return
        end.flight.pop(0)
        if not to.is_open:
            self.lost(world, "closed")
            end.link.forget_if_over(world)
        elif world.carrier is None:
            self.arrive(world, self.frame)
        else:
            world.carrier.carry(self)

    def arrive(self, world: World, frame: Frame) -> None:
        """The other end has got the frame."""
        end = self.end
        to = end.other
        sent = self.sent
        n = len(world.events)
        world.record(
            FrameDelivered(n, world.now, sent, end.link.name, end.host, to.host, sent, frame.type)
        )
        if self.frame.__class__ is OpaqueFrame:
            world.note_bad(to, self.frame, sent, n)
        world.deliver(to, frame, n)

    def lost(self, world: World, why: str) -> None:
        end = self.end
        event = FrameLost(
            world.next_n(), world.now, self.sent,
            end.link.name, end.host, end.other.host, self.sent, self.frame.type, why,
        )  # fmt: skip
        world.record(event)

    def name(self) -> str:
        end = self.end
        again = " again" if self.again else ""
        return f"deliver {end.link.name} {end.host}>{end.other.host} {self.nth}{again}"

    def alias(self, symbol: Callable[[str, str], str]) -> str:
        end = self.end
        again = " again" if self.again else ""
        return f"deliver {end.link.name} {end.host}>{end.other.host} {self.frame.type}{again}"


class CloseFlight(Flight):
    """The news that the connection is over, behind the frames already sent."""

    __slots__ = ("by", "code", "reason")

    def __init__(self, end: End, code: int, reason: str, by: str) -> None:
        super().__init__(end)
        self.code = code
        self.reason = reason
        self.by = by

    def fire(self, world: World) -> None:
        if self.slept(world, self.end.other):
            return
        self.end.flight.pop(0)
        if world.carrier is None:
            self.arrive(world)
        else:
            world.carrier.close(self)

    def arrive(self, world: World) -> None:
        """The other end has got the news."""
        close_end(world, self.end.other, self.code, self.reason, self.by, tell=True)
        self.end.link.forget_if_over(world)

    def name(self) -> str:
        end = self.end
        return f"close {end.link.name} {end.host}>{end.other.host}"


class Attempt(Item):
    """A handler that waits for its ``Dial``; as an item, the time-out of that wait."""

    __slots__ = ("dialler", "link", "over")

    def __init__(self, link: Link, dialler: Activity) -> None:
        super().__init__(foreground=False)
        self.link = link
        self.dialler = dialler
        self.over = False

    def answer(self, world: World, client: End | UpgradeRefused | None) -> None:
        """Let the handler go on, once."""
        if not self.over:
            self.over = True
            world.unschedule(self)
            world.resume(self.dialler, client)

    def fire(self, world: World) -> None:
        self.answer(world, None)

    def name(self) -> str:
        return f"give up {self.link.name}"


class AcceptFlight(Flight):
    """The server's acceptance on its way back to the dialling client."""

    __slots__ = ("attempt",)

    def __init__(self, end: End, attempt: Attempt) -> None:
        super().__init__(end)
        self.attempt = attempt

    def fire(self, world: World) -> None:
        client = self.end.other
        if self.slept(world, client):
            return
        self.end.flight.pop(0)
        host = world.hosts[client.host]
        attempt = self.attempt
        if attempt.over or not host.up or host.epoch != attempt.dialler.epoch:
            client.put(world, CloseFlight(client, 1006, "client is gone", client.host))
            return
        client.is_open = True
        attempt.answer(world, client)

    def lost(self, world: World, why: str) -> None:
        self.attempt.answer(world, None)

    def name(self) -> str:
        return f"accept {self.end.link.name}"


def close_end(world: World, end: End, code: int, reason: str, by: str, tell: bool) -> None:
    """One end stops believing; ``tell`` its actor unless it closed by itself."""
    if not end.is_open:
        return
    end.is_open = False
    n = world.next_n()
    event = ConnectionClosed(
        n, world.now, world.cause, end.link.name, end.host, end.other.host, code, reason, by
    )
    world.record(event)
    if tell:
        world.tell_closed(end, event)
