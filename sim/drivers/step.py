"""StepDriver: moves handlers by hand, with no event loop.

The fast driver, for searching: explore, shrink, Hypothesis, branching. It adds
nothing to the world but the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sim.core.fence import fenced
from sim.drivers.collecting import paused_gc, swept
from sim.drivers.driver import never
from sim.world.world import World


class StepDriver:
    """Runs a world in virtual time."""

    def __init__(self, world: World) -> None:
        self.world = world

    def drain(self) -> None:
        """Move every handler that can go on, first come first served."""
        ready = self.world.ready
        advance = self.world.advance
        while ready:
            advance(*ready.popleft())

    def run(self, until: Callable[[], bool] = never, *, limit_us: int | None = None) -> None:
        """The timed run: earliest first, until ``until()``, ``limit_us`` or nothing is left.

        ``until`` is asked after each step, when no handler can go on. With a
        limit, virtual time ends exactly there.
        """
        world = self.world
        ready, advance, fire_next = world.ready, world.advance, world.fire_next
        with paused_gc(), fenced():
            self.drain()
            while not until():
                if not fire_next(limit_us):
                    if limit_us is not None:
                        world.now = max(world.now, limit_us)
                    return
                while ready:
                    advance(*ready.popleft())


@contextmanager
def many_runs() -> Iterator[Callable[[], None]]:
    """For a loop of short runs; call what this gives after each, when its world is closed.

    The fence is put up once for all of them, and the collector sweeps between them
    (see ``sim.drivers.collecting``).
    """
    with fenced(), swept() as after_run:
        yield after_run
