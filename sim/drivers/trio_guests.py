"""The tasks of hosts that users wrote in Trio, and their place in virtual time.

A guest's tasks run on Trio's own scheduler, made repeatable (see
``trio_determinism``), between two steps of the world. A crash cancels them; an
exception of theirs ends the run.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from contextlib import ExitStack

import trio

from sim.core import ambient
from sim.core.errors import HostDown, SimInternalError
from sim.core.event import HostCrashed
from sim.drivers.trio_determinism import deterministic_trio
from sim.drivers.websocket import ConnectionClosed
from sim.world.host import Host
from sim.world.world import World

# A guest that sleeps (or has a time limit running) for longer than this does
# not keep a run from being settled: it is taken for a heartbeat.
GUEST_HORIZON_S = 5.0


class Guests:
    """All guests of one world. ``running`` counts their main tasks."""

    def __init__(
        self, world: World, nudge: Callable[[], None], fail: Callable[[BaseException], None]
    ) -> None:
        self.world = world
        self.nudge = nudge
        self.running = 0
        self.were_cut_off = False
        self._fail = fail
        self._nursery: trio.Nursery | None = None
        self._stack: ExitStack | None = None
        self._clock_us: Callable[[], int] = lambda: world.now
        self._scopes: dict[str, dict[trio.CancelScope, None]] = {}
        self._is_deterministic = False
        world.guests = self
        world.watch(HostCrashed, self._crashed)

    def enter(self, nursery: trio.Nursery, stack: ExitStack, clock_us: Callable[[], int]) -> None:
        """A run begins; its end undoes what is put on ``stack``."""
        self._nursery = nursery
        self._stack = stack
        self._clock_us = clock_us
        self._is_deterministic = False

    def leave(self) -> None:
        """The run ended, and with it the guests' tasks."""
        self.were_cut_off = self.were_cut_off or self.running > 0
        self._nursery = self._stack = None

    # -- tasks -----------------------------------------------------------------

    def start(self, host: Host, main: Callable[[], Awaitable[None]]) -> None:
        """Run ``main`` in a task of the host's present life."""
        if self._nursery is None or self._stack is None:
            raise SimInternalError(f"{host.name} starts a Trio task while nobody drives it")
        if not self._is_deterministic:
            self._stack.enter_context(deterministic_trio(self.world.seed))
            self._is_deterministic = True
        scope = trio.CancelScope()
        self._scopes.setdefault(host.name, {})[scope] = None
        self.running += 1
        self._nursery.start_soon(self._live, host, main, scope, name=f"{host.name}/main")

    async def _live(
        self, host: Host, main: Callable[[], Awaitable[None]], scope: trio.CancelScope
    ) -> None:
        ambient.HOST.set(GuestAmbient(host, self))
        try:
            with scope:
                await main()
        except (Exception, BaseExceptionGroup) as error:
            rest = what_matters(error)
            if rest is not None:
                rest.add_note(f"in {host.name}/main at step {len(self.world.events)}")
                self._fail(rest)
        finally:
            self.running -= self.are_driven
            self._scopes[host.name].pop(scope, None)
            self.nudge()

    @property
    def are_driven(self) -> bool:
        """Whether a run is going on; what they do when it is over must not change the trace."""
        return self._nursery is not None

    def _crashed(self, event: HostCrashed) -> None:
        for scope in self._scopes.get(event.host, ()):
            scope.cancel()

    # -- time --------------------------------------------------------------------

    def catch_up(self) -> None:
        """A guest acts at Trio's present: the world's clock may not lag behind it."""
        self.world.now = max(self.world.now, self._clock_us())

    def ask(self, until: Callable[[], bool]) -> bool:
        """``until()``, while a guest's short sleeps count as something pending."""
        if not self.running:
            return until()
        self.catch_up()
        sleeping = trio.lowlevel.current_statistics().seconds_to_next_deadline
        busy = sleeping <= GUEST_HORIZON_S
        self.world.pending += busy
        try:
            return until()
        finally:
            self.world.pending -= busy

    async def wait_for_time(self) -> bool:
        """Nothing is planned: wait for a guest's alarm clock; False when none is set."""
        if not self.running:
            return False
        sleeping = trio.lowlevel.current_statistics().seconds_to_next_deadline
        if sleeping == math.inf:
            return False
        await trio.sleep(sleeping)
        return True


class GuestAmbient:
    """The host's clock and ids for its Trio tasks (:class:`sim.core.ambient.Ambient`)."""

    def __init__(self, host: Host, guests: Guests) -> None:
        self._host = host
        self._guests = guests

    def now_ms(self) -> int:
        """Unix milliseconds on the host's own clock."""
        self._guests.catch_up()
        return self._host.now_ms()

    def new_frame_id(self) -> str:
        """An id for a frame, unique in the run."""
        return self._host.new_frame_id()

    def new_id(self) -> str:
        """A UUID v4 from the run's seed."""
        return self._host.new_id()


def what_matters(error: BaseException) -> BaseException | None:
    """The error without what only says that a connection, or the host, has ended."""
    if isinstance(error, BaseExceptionGroup):
        return error.split((ConnectionClosed, HostDown))[1]
    return None if isinstance(error, ConnectionClosed | HostDown) else error
