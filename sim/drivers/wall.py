"""Virtual time that follows the wall clock: the loop under every live run.

Handlers are stepped as in the step driver. An item fires when its time has
come; after a delay the plan catches up with the clock, in the plan's order.
What comes from outside calls :meth:`WallDriver.nudge` before it touches the
world, so that it happens *now* and not at the time of the last step.
"""

from __future__ import annotations

from collections.abc import Callable

import trio

from sim.core.errors import UsageError
from sim.world.world import World

# So many overdue steps at most before tasks that read sockets get their turn.
BATCH = 64


class WallDriver:
    """Moves a world ``speed`` times faster than the clock on the wall.

    Raises UsageError for a speed that is not positive.
    """

    batch = BATCH

    def __init__(self, world: World, speed: float = 1.0) -> None:
        if not speed > 0:
            raise UsageError(f"speed {speed!r}: give a number above 0, such as 1 for real time")
        self.world = world
        self.speed = speed
        self._began: float | None = None
        self._in_a_row = 0
        self._nudged = trio.Event()

    async def go(
        self, until: Callable[[], bool], limit_us: int | None = None, *, endless: bool = False
    ) -> None:
        """Let happen what is due, until ``until()``, the limit, or nothing is left.

        ``endless``: when nothing is left, wait for somebody to nudge.
        """
        world = self.world
        self._began = trio.current_time() - self._real_s(world.now)
        self._drain()
        while not until():
            helm = world.helm
            item = world.next_item()
            if item is None and helm is not None and helm.nothing_left():
                continue
            is_last = item is None or (limit_us is not None and item.due > limit_us)
            due = limit_us if is_last or item is None else item.due
            if due is None and not endless:
                return
            if await self._sleep(due):
                self._woken()
                self._drain()
                continue
            if is_last or item is None:
                world.now = max(world.now, due or 0)
                return
            if helm is not None and not helm.front(item):
                self._drain()
                continue
            world.fire(item)
            await self._fired()
            self._drain()

    async def _fired(self) -> None:
        """An item has happened."""

    def _woken(self) -> None:
        """Somebody nudged."""

    def _drain(self) -> None:
        """Move every handler that can go on, first come first served."""
        ready = self.world.ready
        while ready:
            self.world.advance(*ready.popleft())

    def _real_s(self, virtual_us: int) -> float:
        return virtual_us / 1_000_000 / self.speed

    def now_us(self) -> int:
        """Virtual microseconds by the wall clock; the world's own clock may lag behind."""
        if self._began is None:  # time does not pass yet
            return self.world.now
        return round((trio.current_time() - self._began) * self.speed * 1_000_000)

    async def _sleep(self, until_us: int | None) -> bool:
        """Wait on the wall clock (None: for ever); True when somebody nudged before."""
        self._in_a_row += 1
        if self._in_a_row >= self.batch:
            self._in_a_row = 0
            await trio.lowlevel.checkpoint()
        if self._nudged.is_set():
            self._nudged = trio.Event()
            return True
        if until_us is not None and until_us <= self.now_us():
            return False
        began = self._began or 0.0
        deadline = float("inf") if until_us is None else began + self._real_s(until_us)
        with trio.move_on_at(deadline):
            await self._nudged.wait()
            self._nudged = trio.Event()
            return True
        return False

    def nudge(self) -> None:
        """Something happens from outside, now: catch up with the clock, then look again."""
        world = self.world
        item = world.next_item()
        wall = self.now_us()
        world.now = max(world.now, wall if item is None else min(wall, item.due))
        self._nudged.set()
