"""TrioDriver: one Trio task per handler, and a turnstile that lets one through at a time.

The driver's own task sleeps on Trio's (virtual) clock until the next item is
due, fires it, and then lets the ready handlers through, first come first
served: it wakes the first one's task and parks; that task runs its handler up
to the next gap, wakes the next, and the last one wakes the driver. So at most
one simulated task is runnable at any time, the order is the world's and never
Trio's, and the digest is that of the step driver.

The world holds the state (a handler's coroutine belongs to its activity);
tasks only carry it. That is why a run may end, and go on in another
``trio.run``. Hosts written in Trio (*guests*, see ``trio_host.py``) have tasks
of their own: those run between two steps of the world, until all are blocked.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from functools import partial
from typing import Any

import trio
from outcome import Value
from trio.testing import wait_all_tasks_blocked

from sim.core.errors import SimInternalError, UsageError
from sim.core.fence import fenced
from sim.drivers.collecting import paused_gc
from sim.drivers.driver import never
from sim.drivers.trio_guests import Guests
from sim.drivers.virtual_clock import VirtualClock
from sim.world.activity import Activity
from sim.world.world import World

_DROPPED = object()


class TrioDriver:
    """Runs a world in Trio's virtual time.

    ``run`` starts a ``trio.run`` of its own. Inside somebody else's, use
    ``run_async``, on whatever clock that has; a world with guests that is run
    in several stretches needs ``async with driver.opened()`` around them.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.guests = Guests(world, self.nudge, self._fail)
        self._nursery: trio.Nursery | None = None
        self._clock: VirtualClock | None = None
        self._offset = 0.0
        self._parked: trio.lowlevel.Task | None = None
        self._asleep = False
        self._dropped: list[trio.lowlevel.Task] = []
        self._failure: BaseException | None = None

    # -- running -------------------------------------------------------------

    def run(self, until: Callable[[], bool] = never, *, limit_us: int | None = None) -> None:
        """The timed run, see :class:`sim.drivers.driver.Driver`.

        Raises UsageError when guests were cut off by the end of an earlier ``run``.
        """
        if self.guests.were_cut_off:
            raise UsageError(
                "this world has hosts written in Trio, and their tasks ended with the first "
                "run(): give one run() all its time, or use 'async with driver.opened()' and "
                "run_async() for several stretches"
            )
        clock = VirtualClock(self.world.now)
        trio.run(partial(self.run_async, until, limit_us=limit_us), clock=clock)

    async def run_async(
        self, until: Callable[[], bool] = never, *, limit_us: int | None = None
    ) -> None:
        """The timed run inside a running Trio; time passes on that Trio's clock."""
        async with AsyncExitStack() as stack:
            if self._nursery is None:
                await stack.enter_async_context(self.opened())
            stack.enter_context(paused_gc())
            stack.enter_context(fenced())
            await self._go(until, limit_us)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[TrioDriver]:
        """Keep the tasks of this world between several ``run_async``; ends them after."""
        if self._nursery is not None:
            raise UsageError("this driver is open already; one 'async with opened()' is enough")
        failure: BaseException | None = None
        with ExitStack() as stack:
            async with trio.open_nursery() as nursery:
                try:
                    self._enter(nursery, stack)
                    yield self
                except trio.Cancelled:
                    raise
                except BaseException as error:
                    # Raised again outside, where the nursery cannot wrap it in a group.
                    failure = error
                finally:
                    self._leave(nursery)
        if failure is not None:
            raise failure

    def _enter(self, nursery: trio.Nursery, stack: ExitStack) -> None:
        self._nursery = nursery
        clock = trio.lowlevel.current_clock()
        self._clock = clock if isinstance(clock, VirtualClock) else None
        self._offset = trio.current_time() - self.world.now / 1_000_000 if not self._clock else 0.0
        self._failure = None
        self.world.on_drop = self._drop
        self.guests.enter(nursery, stack, self._virtual_us)

    def _leave(self, nursery: trio.Nursery) -> None:
        nursery.cancel_scope.cancel()
        self._nursery = None
        self.world.on_drop = None
        self.guests.leave()

    async def _go(self, until: Callable[[], bool], limit_us: int | None) -> None:
        world = self.world
        await self._drain()
        while not await self._is_over(until):
            item = world.next_item()
            helm = world.helm
            if item is not None and (limit_us is None or item.due <= limit_us):
                if helm is not None and not helm.front(item):
                    await self._drain()
                    continue
                if item.due > world.now and await self._sleep(item.due):
                    continue
                world.fire(item)
                await self._drain()
            elif limit_us is not None:
                if limit_us > world.now and await self._sleep(limit_us):
                    continue
                world.now = max(world.now, limit_us)
                return
            elif helm is not None and helm.nothing_left():
                continue
            elif not await self.guests.wait_for_time():
                return

    async def _is_over(self, until: Callable[[], bool]) -> bool:
        """Whether the run has reached its goal, asked when nobody can go on."""
        if self.guests.running or self.world.ready:
            await self._let_guests_run()
        if self._failure is not None:
            self._raise_failure()
        return self.guests.ask(until)

    async def _let_guests_run(self) -> None:
        """Wait until every task of every guest is blocked, without time passing."""
        with ExitStack() as stack:
            if self._clock is not None:
                stack.enter_context(self._clock.frozen())
            while True:
                await wait_all_tasks_blocked()
                if not self.world.ready or self._failure is not None:
                    return
                await self._drain()

    # -- time ------------------------------------------------------------------

    def _virtual_us(self) -> int:
        """Where Trio's clock stands, in the world's microseconds."""
        return round((trio.current_time() - self._offset) * 1_000_000)

    async def _sleep(self, until_us: int) -> bool:
        """Let virtual time pass; True when somebody nudged before."""
        self._asleep = True
        try:
            with trio.CancelScope(deadline=until_us / 1_000_000 + self._offset):
                await self._park()
                return True
        finally:
            self._asleep = False
        return False

    def nudge(self) -> None:
        """The plan has changed (an act, a frame from a guest): look at it again.

        Call it in the thread of the running Trio, after changing the world from
        outside while ``run_async`` waits.
        """
        if self._asleep:
            self._unpark()

    # -- the turnstile -----------------------------------------------------------

    async def _drain(self) -> None:
        """Let every ready handler through, one by one."""
        while self._dropped:
            trio.lowlevel.reschedule(self._dropped.pop(), Value(_DROPPED))
            await self._park()
        if self._let_next_through():
            await self._park()
        if self._failure is not None:
            self._raise_failure()

    def _let_next_through(self) -> bool:
        """Make the task of the first ready handler runnable; False when none is ready."""
        entry = self._next_ready()
        if entry is None:
            return False
        self._let_through(*entry)
        return True

    def _next_ready(self) -> tuple[Activity, Any] | None:
        """Take the first handler that can go on and has not been dropped meanwhile."""
        ready = self.world.ready
        while ready:
            entry = ready.popleft()
            host = entry[0].host
            if entry[0].epoch == host.epoch and host.up:
                return entry
        return None

    def _let_through(self, activity: Activity, value: Any) -> None:
        if activity.task is not None:
            trio.lowlevel.reschedule(activity.task, Value(value))
        else:
            assert self._nursery is not None
            self._nursery.start_soon(self._carry, activity, value, name=activity)

    async def _carry(self, activity: Activity, value: Any) -> None:
        """The body of each handler's task: run to the next gap, let the next through, wait."""
        try:
            while self._advance(activity, value):
                if self._parked is None:
                    return  # the run is being torn down
                entry = None if self._failure is not None else self._next_ready()
                if entry is None:
                    self._unpark()
                elif entry[0] is activity:  # it only stopped to let others choose (preempt)
                    value = entry[1]
                    continue
                else:
                    self._let_through(*entry)
                activity.task = trio.lowlevel.current_task()
                value = await trio.lowlevel.wait_task_rescheduled(_abort)
                if value is _DROPPED:
                    break
        finally:
            activity.task = None
        if value is _DROPPED or self._failure is not None or not self._let_next_through():
            self._unpark()

    def _advance(self, activity: Activity, value: Any) -> bool:
        """Run the handler up to its next gap; False when it has finished, or raised."""
        try:
            return self.world.advance(activity, value)
        except BaseException as error:
            self._fail(error)
            return False

    def _drop(self, activity: Activity) -> None:
        """The world throws a handler away: its task has nothing to carry any more."""
        if activity.task is not None:
            self._dropped.append(activity.task)
            activity.task = None

    async def _park(self) -> None:
        if self._parked is not None:
            raise SimInternalError("two tasks drive one world; use one run_async at a time")
        self._parked = trio.lowlevel.current_task()
        try:
            await trio.lowlevel.wait_task_rescheduled(_abort)
        finally:
            self._parked = None

    def _unpark(self) -> None:
        parked, self._parked = self._parked, None
        if parked is not None:
            trio.lowlevel.reschedule(parked)

    def _fail(self, error: BaseException) -> None:
        """A handler or a guest raised: the run ends with the first such error."""
        if self._failure is None:
            self._failure = error
        self.nudge()

    def _raise_failure(self) -> None:
        error, self._failure = self._failure, None
        assert error is not None
        raise error


def _abort(_raise_cancel: Any) -> trio.lowlevel.Abort:
    """Parked tasks hold nothing that would have to be taken back."""
    return trio.lowlevel.Abort.SUCCEEDED
