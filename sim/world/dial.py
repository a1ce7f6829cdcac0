"""Connecting: a latency to the server, a latency back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.core.event import ConnectionOpened, ConnectionRefused
from sim.core.op import UpgradeRefused
from sim.world.link import AcceptFlight, Attempt, End, Flight

if TYPE_CHECKING:
    from sim.world.world import World


class DialRequest(Flight):
    """A client's request to connect, on its way to the server."""

    __slots__ = ("attempt",)

    opens = True

    def __init__(self, end: End, attempt: Attempt) -> None:
        super().__init__(end)
        self.attempt = attempt

    def fire(self, world: World) -> None:
        end = self.end
        server = world.hosts.get(end.other.host)
        if server is not None and world.asleep(server):
            world.schedule(self, server.asleep_until)
            return
        end.flight.pop(0)
        if world.carrier is None:
            self.arrive(world)
        else:
            world.carrier.connect(self)

    def verdict(self, world: World) -> int:
        """The HTTP status that the server answers with, asked once; 0: it accepts."""
        link = self.end.link
        server = world.hosts.get(link.server.host)
        if server is None or server.actor is None:
            return 0  # nobody answers at all
        return world.refusal(link) or server.actor.refusal_of(link.server)

    def arrive(self, world: World) -> None:
        """The request has reached the server, which decides about it if it is up."""
        server = world.hosts.get(self.end.other.host)
        status = self.verdict(world)
        if status or server is None or not server.up:
            self.refuse(world, status)
        else:
            self.accept(world)

    def accept(self, world: World) -> None:
        """The server takes it, or has taken it on a real socket."""
        end = self.end
        link = end.link
        n = world.next_n()
        facts = (link.name, end.host, end.other.host, link.lane)
        world.record(ConnectionOpened(n, world.now, world.cause, *facts))
        world.cause = n
        link.server.is_open = True
        link.server.put(world, AcceptFlight(link.server, self.attempt))
        world.tell_open(link.server, n)

    def refuse(self, world: World, status: int = 0) -> None:
        """Nobody listens there, the network does not let the request through, or the
        server says so with an HTTP status."""
        end = self.end
        n = world.next_n()
        facts = (end.link.name, end.host, end.other.host, end.link.lane)
        world.record(ConnectionRefused(n, world.now, world.cause, *facts, status))
        world.cause = n
        world.forget_link(end.link)
        self.attempt.answer(world, UpgradeRefused(status) if status else None)

    def lost(self, world: World, why: str) -> None:
        self.refuse(world)

    def name(self) -> str:
        return f"dial {self.end.link.name}"
