"""Which of several listeners polls: the one with the lease on the store (DQ-15)."""

from __future__ import annotations

from sim.core.op import StartTimer, Wait
from sim.protocols.question.listener.desk import Desk
from sim.protocols.question.store.claims import Lease
from sim.protocols.question.store.trouble import StoreTrouble

TIMER = "lease"


class Leading:
    """``is_first``: this listener has the lease, as far as it knows."""

    __slots__ = ("_desk", "_lease", "_told", "is_first")

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._lease = Lease(desk.store)
        self._told = ""
        self.is_first = not desk.rules.one_listener_at_a_time

    async def wait(self) -> None:
        """Until the lease is this listener's. A wait does not keep a run from settling."""
        desk = self._desk
        period_us = desk.plan.lease_refresh_ms * 1_000
        while not await self._take():
            await desk.actor.perform(Wait(TIMER, period_us))
        self.is_first = True
        self._told = ""
        await desk.actor.perform(StartTimer(TIMER, "", period_us, background=True))

    async def _take(self) -> bool:
        try:
            if await self._lease.take():
                return True
            why = f"another listener ({self._lease.holder or 'unknown'}) is at work: waiting"
        except StoreTrouble as trouble:
            why = f"lease: {trouble}"
        if why != self._told:
            self._told = why
            await self._desk.logs.write("warn", f"⏳ {why}")
        return False

    async def refresh(self) -> None:
        """The timer is due: say that this process lives, and find out if nobody minded."""
        desk = self._desk
        if not self.is_first:
            return
        try:
            self.is_first = await self._lease.refresh()
        except StoreTrouble as trouble:
            await desk.logs.trouble("store", "lease", str(trouble))
        if self.is_first:
            period_us = desk.plan.lease_refresh_ms * 1_000
            await desk.actor.perform(StartTimer(TIMER, "", period_us, background=True))
        else:
            await desk.logs.write("warn", "⏳ another listener has taken over")

    async def give_back(self) -> None:
        """Leave the lease to others: the process ends."""
        self.is_first = False
        await self._lease.give_back()
