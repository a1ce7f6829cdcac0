"""A driver that takes other steps than the earliest, now and then, in a world with preemption.

It stands in for a search: any op of any handler is a place where something else
may happen first, and due items may overtake each other.
"""

from __future__ import annotations

from sim.cli.proving.draw import Draw
from sim.world.world import World

DEVIATES = 0.25


class Walk:
    """Runs a world like ``StepDriver``, but draws its steps."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.draw = Draw(world.seed)

    def run(self, *, limit_us: int) -> None:
        """Until nothing is left that is due by ``limit_us``."""
        world = self.world
        while True:
            enabled = world.enabled()
            due = [c for c in enabled if c.item is None or c.item.due <= limit_us]
            if not due:
                world.now = max(world.now, limit_us)
                return
            choice = due[0]
            if self.draw.random() < DEVIATES:
                far = 1
                while far < len(due) and self.draw.below(2):
                    far += 1
                choice = due[far - 1]
            world.apply(choice)
