"""What befalls any world in bad weather: cuts, crashes, frames that go astray, closed lids."""

from __future__ import annotations

from typing import ClassVar

from sim.cli.proving.draw import Draw
from sim.world import fault
from sim.world.link import FrameFlight
from sim.world.world import World

SECOND_US = 1_000_000


class Gale:
    """The faults of the network and the machines, one at a time, all drawn from one seed.

    ``CRASHING`` and ``SLEEPING`` are the hosts that may.
    """

    CRASHING: ClassVar[tuple[str, ...]] = ()
    SLEEPING: ClassVar[tuple[str, ...]] = ()

    def __init__(self, world: World, draw: Draw) -> None:
        self.world = world
        self.draw = draw

    def cut(self) -> None:
        """A connection is cut, or a silent cut heals."""
        links = [link for link in self.world.links.values() if link.is_open or link.is_dialling]
        silent = [link for link in links if link.silent]
        if silent and self.draw.random() < 0.5:
            fault.heal(self.world, self.draw.choice(silent))
        elif links:
            fault.cut(self.world, self.draw.choice(links), self.draw.choice(fault.CUTS))

    def crash(self) -> None:
        """A process dies, and comes back some seconds later."""
        name = self.draw.choice(self.CRASHING)
        if self.world.hosts[name].up:
            fault.crash(self.world, name)
            after = self.draw.below(20 * SECOND_US)
            self.world.at(self.world.now + after, f"restart {name}", lambda: self.restart(name))

    def restart(self, name: str) -> None:
        """It comes back, unless it has already."""
        if not self.world.hosts[name].up:
            fault.restart(self.world, name)

    def frame(self) -> None:
        """A frame on its way is lost, doubled or late."""
        flying = [
            item
            for link in self.world.links.values()
            for end in link.ends()
            for item in end.flight
            if type(item) is FrameFlight
        ]
        if not flying:
            return
        item = self.draw.choice(flying)
        how = self.draw.below(3)
        if how == 0:
            fault.lose(self.world, item)
        elif how == 1:
            fault.duplicate(self.world, item, self.draw.choice([0, 0, 3 * SECOND_US]))
        else:
            fault.delay(self.world, item, self.draw.below(5 * SECOND_US))

    def sleep(self) -> None:
        """A lid is closed for a while."""
        name = self.draw.choice(self.SLEEPING)
        fault.sleep(self.world, name, self.draw.below(40 * SECOND_US))

    def clear_up(self) -> None:
        """Silent cuts become loud, and everybody is up."""
        for link in list(self.world.links.values()):
            if link.silent:
                fault.cut(self.world, link, "rst")
        for name in self.world.hosts:
            self.restart(name)
