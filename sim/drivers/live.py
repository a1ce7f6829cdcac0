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

from sim.drivers.codec import Codec
from sim.drivers.driver import never
from sim.drivers.live_wire import LiveWire
from sim.drivers.wall import WallDriver
from sim.world.world import World


class LiveDriver(WallDriver):
    """Runs a world on the wall clock, ``speed`` times faster than its own time.

    ``ports`` fixes the listening port of server hosts by name; the others take
    any free one. Raises UsageError for a speed that is not positive.
    """

    batch = 1  # a frame that breaks on the wire is heard of before the next step

    def __init__(
        self,
        world: World,
        codec: Codec,
        speed: float = 20.0,
        *,
        ports: Mapping[str, int] | None = None,
    ) -> None:
        super().__init__(world, speed)
        self.codec = codec
        self.ports = dict(ports or {})
        self._wire: LiveWire | None = None

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
            await self.go(until, limit_us)
            return
        async with self.opened():
            await self.go(until, limit_us)

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

    async def _fired(self) -> None:
        assert self._wire is not None
        await self._wire.cross()

    def _woken(self) -> None:
        assert self._wire is not None
        self._wire.check()
