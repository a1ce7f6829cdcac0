"""Which of several listeners polls: the one with the lease on the store (DQ-15)."""

from __future__ import annotations

from sim.core.op import StartTimer, Wait, Wake
from sim.protocols.question.listener.desk import Desk
from sim.protocols.question.store.claims import Lease
from sim.protocols.question.store.trouble import StoreTrouble

TIMER = "lease"
_RENEWED = "lease renewed"


class Leading:
    """``is_first``: this listener has the lease, as far as it knows."""

    __slots__ = (
        "_desk",
        "_is_asking",
        "_is_awaited",
        "_lease",
        "_sure_ms",
        "_told",
        "_void_ms",
        "is_first",
    )

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._lease = Lease(desk.store)
        self._told = ""
        self._void_ms = desk.plan.pending.lease_void_ms
        self._sure_ms = desk.actor.port.now_ms()
        self._is_asking = self._is_awaited = False
        self.is_first = not desk.rules.one_listener_at_a_time

    async def be_first(self) -> None:
        """Before a poll: another may have the lease if it was not refreshed in time (DQ-15); of
        a disk that does not say so polling goes on (DQ-23)."""
        desk = self._desk
        age_ms = desk.actor.port.now_ms() - self._sure_ms
        may_be_void = desk.rules.one_listener_at_a_time and age_ms > self._void_ms
        if self.is_first and may_be_void:
            await self._make_sure()
        if not self.is_first:
            await self._wait()

    async def _make_sure(self) -> None:
        desk = self._desk
        if self._is_asking:
            self._is_awaited = True
            await desk.actor.perform(Wait(_RENEWED, self._void_ms * 1_000))
        elif not await self._renew():
            # Its outcome is unknown; what the file says is not.
            try:
                self.is_first = await self._lease.look() in ("", desk.store.disk.owner)
            except StoreTrouble as trouble:
                await desk.logs.trouble("store", "lease", str(trouble))

    async def _wait(self) -> None:
        """Until the lease is this listener's. A wait does not keep a run from settling."""
        desk = self._desk
        period_us = desk.plan.lease_refresh_ms * 1_000
        self._sure_ms = desk.actor.port.now_ms()
        while not await self._take():
            await desk.actor.perform(Wait(TIMER, period_us))
            self._sure_ms = desk.actor.port.now_ms()
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
        if self.is_first and not self._is_asking:
            await self._renew()
        if self.is_first:
            period_us = desk.plan.lease_refresh_ms * 1_000
            await desk.actor.perform(StartTimer(TIMER, "", period_us, background=True))

    async def _renew(self) -> bool:
        """→ whether the disk has answered."""
        desk = self._desk
        self._is_asking = True
        began_ms, has_answered = desk.actor.port.now_ms(), True
        try:
            self.is_first = await self._lease.refresh()
            self._sure_ms = began_ms
        except StoreTrouble as trouble:
            has_answered = False
            await desk.logs.trouble("store", "lease", str(trouble))
        self._is_asking = False
        if not self.is_first:
            await desk.logs.write("warn", "⏳ another listener has taken over")
        if self._is_awaited:
            self._is_awaited = False
            await desk.actor.perform(Wake(_RENEWED))
        return has_answered

    async def give_back(self) -> None:
        """Leave the lease to others: the process ends."""
        self.is_first = False
        await self._lease.give_back()
