"""LiveDriver: the same world in real time, its connections real WebSockets.

Handlers are stepped as in the step driver; what differs is time and the wire.
Virtual time is the wall clock times ``speed``, and waits while something is in
a socket: the driver fires an item when its time has come, and a frame, a close
or a dial that is due then crosses a real socket before anything else happens
(``live_wire.py``). So the order on every lane is the simulated run's, however
slow the machine is; after a delay the plan catches up with the clock.

Channel APIs and people stay in the process. There is no fence: the real world
is the point.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial

import trio

from sim.core.errors import UsageError
from sim.drivers.codec import Codec
from sim.drivers.driver import never
from sim.drivers.live_wire import LiveWire
from sim.world.world import World


class LiveDriver:
    """Runs a world on the wall clock, ``speed`` times faster than its own time.

    ``ports`` fixes the listening port of server hosts by name; the others take
    any free one. Raises UsageError for a speed that is not positive.
    """

    def __init__(
        self,
        world: World,
        codec: Codec,
        speed: float = 20.0,
        *,
        ports: Mapping[str, int] | None = None,
    ) -> None:
        if not speed > 0:
            raise UsageError(f"speed {speed!r}: give a number above 0, such as 1 for real time")
        self.world = world
        self.codec = codec
        self.speed = speed
        self.ports = dict(ports or {})
        self._wire: LiveWire | None = None
        self._began = 0.0
        self._nudged = trio.Event()

    def run(self, until: Callable[[], bool] = never, *, limit_us: int | None = None) -> None:
        """The timed run in real time, see :class:`sim.drivers.driver.Driver`.

        Raises UsageError when a port is taken.
        """
        trio.run(partial(self.run_async, until, limit_us=limit_us))

    async def run_async(
        self, until: Callable[[], bool] = never, *, limit_us: int | None = None
    ) -> None:
        """The same inside a running Trio."""
        if self._wire is not None:
            await self._go(until, limit_us)
            return
        async with self.opened():
            await self._go(until, limit_us)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[LiveDriver]:
        """Keep the sockets open between several ``run_async``; closes all of them after."""
        failure: BaseException | None = None
        async with trio.open_nursery() as nursery:
            self._wire = LiveWire(self.world, self.codec, nursery, self.ports, self.nudge)
            try:
                await self._wire.open()
                yield self
            except trio.Cancelled:
                raise
            except BaseException as error:
                # Raised again outside, where the nursery cannot wrap it in a group.
                failure = error
            finally:
                self._wire.detach()
                self._wire = None
                nursery.cancel_scope.cancel()
        if failure is not None:
            raise failure

    async def _go(self, until: Callable[[], bool], limit_us: int | None) -> None:
        world = self.world
        wire = self._wire
        assert wire is not None
        self._began = trio.current_time() - self._real_s(world.now)
        self._drain()
        while not until():
            helm = world.helm
            item = world.next_item()
            if item is None and helm is not None and helm.nothing_left():
                continue
            is_last = item is None or (limit_us is not None and item.due > limit_us)
            due = limit_us if is_last or item is None else item.due
            if due is None:
                return
            if await self._sleep(due):
                wire.check()
                self._drain()
                continue
            if is_last or item is None:
                world.now = max(world.now, due)
                return
            if helm is not None and not helm.front(item):
                self._drain()
                continue
            world.fire(item)
            await wire.cross()
            self._drain()

    def _drain(self) -> None:
        """Move every handler that can go on, first come first served."""
        ready = self.world.ready
        while ready:
            self.world.advance(*ready.popleft())

    def _real_s(self, virtual_us: int) -> float:
        return virtual_us / 1_000_000 / self.speed

    async def _sleep(self, until_us: int) -> bool:
        """Wait on the wall clock; True when somebody nudged before."""
        self._nudged = trio.Event()
        with trio.move_on_at(self._began + self._real_s(until_us)):
            await self._nudged.wait()
            return True
        return False

    def nudge(self) -> None:
        """Something happens from outside, now: catch up with the clock, then look again."""
        world = self.world
        wall = round((trio.current_time() - self._began) * self.speed * 1_000_000)
        item = world.next_item()
        world.now = max(world.now, wall if item is None else min(wall, item.due))
        self._nudged.set()
