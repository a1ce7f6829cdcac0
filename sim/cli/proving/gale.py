"""What the storms of all protocols have in common: how one is played, and bad weather.

All draws come from one seed. A storm has a stretch of weather, then everything comes
back, and a long calm lets the rest settle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from sim.cli.proving.draw import Draw
from sim.cli.proving.storm_walk import Walk
from sim.core.event import Noted
from sim.core.invariant import Invariant, Monitor
from sim.drivers.step import StepDriver
from sim.world import fault
from sim.world.link import FrameFlight
from sim.world.world import World

SECOND_US = 1_000_000


class Gale:
    """One storm, from the first message to the verdict.

    A protocol's storm puts hosts into ``world`` and calls ``judge``. ``weather`` says how many
    ``deeds`` happen in how many ``seconds``. ``CRASHING`` and ``SLEEPING`` are the hosts that
    may; ``LAST`` notes the end.
    """

    CRASHING: ClassVar[tuple[str, ...]] = ()
    SLEEPING: ClassVar[tuple[str, ...]] = ()
    LAST: ClassVar[str]
    monitor: Monitor

    def __init__(self, world: World, weather: Any, view: Any) -> None:
        self.world = world
        self.draw = Draw(world.seed)
        self.weather = weather
        self.view = view
        for kind in view.kinds:
            world.watch(kind, view.on)

    def judge(self, invariants: list[Invariant]) -> None:
        """Watch the run with these, which leave nothing out."""
        for one in invariants:
            one.EVERY = 1
        self.monitor = Monitor(invariants)
        self.monitor.attach(self.world.watch)

    def run(self) -> Monitor:
        """Play it to the end."""
        world, weather = self.world, self.weather
        driver = Walk(world) if world.preempt else StepDriver(world)
        for name in world.hosts:
            world.boot(name)
        driver.run(limit_us=2 * SECOND_US)
        end = weather.seconds * SECOND_US
        for n in range(weather.deeds):
            world.at(2 * SECOND_US + self.draw.below(end), f"storm {n}", self._happens)
        driver.run(limit_us=world.now + end + SECOND_US)
        self.calm()
        self.settle(driver)
        self.monitor.finish(len(world.events) - 1)
        world.close()
        return self.monitor

    def broken(self) -> dict[str, str]:
        """Broken invariants with their sentences."""
        return {v.invariant: f"step {v.step}: {v.text}" for v in self.monitor.violations}

    def _happens(self) -> None:
        roll = self.draw.below(1000)
        for share, deed in self.shares():
            roll -= share
            if roll < 0:
                deed()
                return

    def shares(self) -> Iterable[tuple[int, Callable[[], None]]]:
        """(how often in 1,000, what): all that may happen; the last is what does else."""
        raise NotImplementedError

    def calm(self) -> None:
        """The weather is over."""
        self.clear_up()

    def settle(self, driver: StepDriver | Walk) -> None:
        """Whatever is still on its way gets there."""
        world = self.world
        driver.run(limit_us=world.now + self.weather.after_s * SECOND_US)
        world.record(Noted(world.next_n(), world.now, -1, self.LAST, "the end", None))

    # -- what befalls any world ---------------------------------------------------------

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
