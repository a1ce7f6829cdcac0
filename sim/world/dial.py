"""Connecting: a latency to the server, a latency back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.core.event import ConnectionOpened, ConnectionRefused
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

    def arrive(self, world: World) -> None:
        """The request has reached the server, which accepts it if it is up."""
        end = self.end
        link = end.link
        server = world.hosts.get(end.other.host)
        if server is None or not server.up:
            self.refuse(world)
            return
        n = world.next_n()
        facts = (link.name, end.host, end.other.host, link.lane)
        world.record(ConnectionOpened(n, world.now, world.cause, *facts))
        world.cause = n
        link.server.is_open = True
        link.server.put(world, AcceptFlight(link.server, self.attempt))
        world.tell_open(link.server, n)

    def refuse(self, world: World) -> None:
        """Nobody listens there, or the network does not let the request through."""
        end = self.end
        n = world.next_n()
        facts = (end.link.name, end.host, end.other.host, end.link.lane)
        world.record(ConnectionRefused(n, world.now, world.cause, *facts))
        world.cause = n
        world.forget_link(end.link)
        self.attempt.answer(world, None)

    def lost(self, world: World, why: str) -> None:
        self.refuse(world)

    def name(self) -> str:
        return f"dial {self.end.link.name}"
