"""An entry in the hands of one handler (DQ-13)."""

from __future__ import annotations

from typing import Any, Final

from sim.core.op import NO_ANSWER, Sleep, Spawn, Wait, Wake
from sim.protocols.question.listener.desk import Desk
from sim.protocols.question.store.claims import Busy, Claim
from sim.protocols.question.store.entry import Foreign, PendingQuestion
from sim.protocols.question.store.trouble import StoreTrouble

FINISH_TRIES: Final = 10
FINISH_PAUSE_US: Final = 3_000_000


class Hold:
    """One handler's right to act on an entry, and what it changes there.

    ``entry`` is as it was when the hold began. The claim is refreshed beside the handler
    until :meth:`let_go`. Methods that change the store raise StoreTrouble.
    """

    __slots__ = ("_claim", "_desk", "_is_over", "entry", "unique_id")

    def __init__(
        self, desk: Desk, unique_id: str, entry: PendingQuestion, claim: Claim | None
    ) -> None:
        self._desk = desk
        self._claim = claim
        self._is_over = False
        self.unique_id = unique_id
        self.entry = entry

    @classmethod
    async def take(cls, desk: Desk, unique_id: str) -> Hold | Busy | Foreign | None:
        """Claim an entry. → the hold, or why there is none. Raises StoreTrouble."""
        if not desk.rules.claim_before_get:
            found = await desk.store.get(unique_id)
            if isinstance(found, PendingQuestion):
                return cls(desk, unique_id, found, None)
            return found
        claim = await desk.claims.take(unique_id)
        if not isinstance(claim, Claim):
            return claim
        hold = cls(desk, unique_id, claim.entry, claim)
        await desk.actor.perform(Spawn(f"keep {unique_id}", hold._keep(claim)))
        return hold

    async def put(self, **fields: Any) -> bool:
        """Set fields. → whether the entry is there, and still this handler's."""
        if self._claim is not None:
            return await self._desk.claims.put(self._claim, **fields)
        return isinstance(await self._desk.store.update(self.unique_id, **fields), PendingQuestion)

    async def remove(self) -> bool:
        """Remove the entry. → whether it was there."""
        await self._stop()
        return await self._desk.store.remove(self.unique_id)

    async def let_go(self, **fields: Any) -> bool:
        """Keep the entry, with these fields set, and leave it to others. → as :meth:`put`."""
        await self._stop()
        if self._claim is not None:
            return await self._desk.claims.end(self._claim, **fields)
        return await self.put(**fields) if fields else True

    async def finish(self, gone: bool) -> None:
        """:meth:`remove`, or :meth:`let_go`; where the store refuses, again and again
        beside the handler. Raises nothing: it is no failure of the answer (DQ-17)."""
        if await self._finished(gone):
            return
        await self._desk.actor.perform(Spawn(f"finish {self.unique_id}", self._finish_later(gone)))

    async def _finish_later(self, gone: bool) -> None:
        for _ in range(FINISH_TRIES):
            await self._desk.actor.perform(Sleep(FINISH_PAUSE_US))
            if await self._finished(gone):
                return

    async def _finished(self, gone: bool) -> bool:
        try:
            await (self.remove() if gone else self.let_go())
        except StoreTrouble as trouble:
            await self._desk.logs.trouble("store", "pending", str(trouble), "error")
            return False
        return True

    async def abandon(self) -> None:
        """The handler has ended without :meth:`remove` or :meth:`let_go`: it failed."""
        if not self._is_over:
            await self.finish(gone=False)

    async def _stop(self) -> None:
        self._is_over = True
        if self._claim is not None:
            await self._desk.actor.perform(Wake(self._key))

    @property
    def _key(self) -> str:
        assert self._claim is not None
        return f"claim {self._claim.by}"

    async def _keep(self, claim: Claim) -> None:
        """Refresh the claim for as long as the handler works."""
        desk = self._desk
        while not self._is_over:
            wait = Wait(self._key, desk.plan.claim_refresh_ms * 1_000)
            if await desk.actor.perform(wait) is not NO_ANSWER or self._is_over:
                return
            try:
                if not await desk.claims.refresh(claim):
                    return
            except StoreTrouble as trouble:
                await desk.logs.trouble("store", "claim", str(trouble))
