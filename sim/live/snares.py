"""Faults for frames that are still to come: the next turn.end is lost, doubled or late.

Where frames arrive at once there is none in flight whose name one could give.
A snare waits for the next frame that it is meant for.
"""

from __future__ import annotations

import attrs

from sim.world import fault
from sim.world.link import FrameFlight
from sim.world.world import World

DEEDS = ("lose", "duplicate", "delay")


@attrs.define(eq=False)
class Snare:
    """``deed`` for the next ``count`` frames; empty fields mean any sender, link or type."""

    deed: str
    count: int = 1
    sender: str = ""
    link: str = ""
    type: str = ""
    by_us: int = 0

    def fits(self, flight: FrameFlight) -> bool:
        """Whether this frame is meant. ``D.slack`` means each connection of that lane."""
        end = flight.end
        name = end.link.name
        return (
            self.sender in ("", end.host)
            and self.type in ("", flight.frame.type)
            and (self.link in ("", name) or name.startswith(f"{self.link}#"))
        )


class Snares:
    """All that wait; installed as the world's ``on_flight``, in front of who was there."""

    def __init__(self, world: World) -> None:
        self.waiting: list[Snare] = []
        self._world = world
        self._then = world.on_flight
        world.on_flight = self._on_flight

    def set(self, snare: Snare) -> None:
        """Wait for frames."""
        self.waiting.append(snare)

    def clear(self) -> int:
        """Let all frames pass again; how many snares there were."""
        count = len(self.waiting)
        self.waiting.clear()
        return count

    def _on_flight(self, flight: FrameFlight) -> None:
        if self._then is not None:
            self._then(flight)
        if flight.seq == -1 and not flight.end.held:
            return  # it is lost already
        snare = next((one for one in self.waiting if one.fits(flight)), None)
        if snare is None:
            return
        snare.count -= 1
        if not snare.count:
            self.waiting.remove(snare)
        if snare.deed == "lose":
            fault.lose(self._world, flight)
        elif snare.deed == "duplicate":
            fault.duplicate(self._world, flight, snare.by_us)
        else:
            fault.delay(self._world, flight, snare.by_us)
