"""Calls of twins to programs outside of the world: they leave it, and their answers come back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import trio

from sim.core.http import Unreached
from sim.drivers.wall import WallDriver
from sim.world.call import PendingCall, applied, drop, lose

Asked = Callable[[Any], Awaitable[Any]]
"""Puts a call's request to a real server, without a limit of time, see :class:`Outlet`; gives
what the caller gets, Unreached for nothing."""


class Outlet:
    """One server outside: install :meth:`take` in ``world.outlets``.

    A call that its caller does not wait for any longer is given up: its connection ends.
    ``enter`` gets the nursery in which the requests run.
    """

    def __init__(self, driver: WallDriver, ask: Asked) -> None:
        self._driver = driver
        self._world = driver.world
        self._ask = ask
        self._nursery: trio.Nursery | None = None

    def enter(self, nursery: trio.Nursery) -> None:
        """Requests may go out from now on."""
        self._nursery = nursery

    def take(self, call: PendingCall) -> None:
        """A call is due at this server."""
        if self._nursery is None:
            drop(self._world, call, "nobody goes out", "refused")
        else:
            self._nursery.start_soon(partial(self._go, call, self._world.now))

    async def _go(self, call: PendingCall, now_us: int) -> None:
        reply: Any = None
        left_s = max(0, call.deadline - now_us) / 1_000_000 / self._driver.speed
        with trio.move_on_after(left_s):
            reply = await self._ask(call.op.request)
        world = self._world
        self._driver.nudge()
        world.cause = call.n
        if reply is None:
            lose(world, call, "no answer in time")
        elif isinstance(reply, Unreached):
            drop(world, call, reply.why, reply.why)
        else:
            applied(world, call, reply)
        self._driver.nudge()
