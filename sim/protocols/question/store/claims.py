"""Who is at work: a claim on an entry (DQ-13), the listener's lease on the store (DQ-15)."""

from __future__ import annotations

from typing import Any, Final

import attrs

from sim.protocols.question.constants import LEASE_SUFFIX
from sim.protocols.question.store.entry import Foreign, PendingQuestion, kept, put_fields
from sim.protocols.question.store.lock import Signed, is_dead, signature
from sim.protocols.question.store.operations import (
    Content,
    CreateFile,
    Done,
    Held,
    ReadFile,
    RemoveFile,
    WriteFile,
)
from sim.protocols.question.store.pending import Entries, PendingStore
from sim.wire.absent import ABSENT, Absent

_OF: Final = "/"
"""Between the process and its handler, in ``claimedBy``."""


@attrs.frozen
class Claim:
    """A handler's own claim: ``by`` tells it from any other, ``entry`` is as it was then."""

    unique_id: str
    by: str
    entry: PendingQuestion


class Busy:
    """Somebody else is at this entry."""

    __slots__ = ()


BUSY: Final = Busy()


class Claims:
    """One process's claims on entries. All methods raise StoreTrouble."""

    __slots__ = ("_store",)

    def __init__(self, store: PendingStore) -> None:
        self._store = store

    async def take(self, unique_id: str) -> Claim | Busy | Foreign | None:
        """Claim an entry; a claim too old, or of a dead process, is void.

        → :data:`BUSY`, a :class:`Foreign` entry, or None for nothing, where there is no claim.
        """
        seen = await self._store.get(unique_id)
        if not isinstance(seen, PendingQuestion):
            return seen
        if not await self._is_void(seen):
            return BUSY
        port = self._store.disk.actor.port
        by = f"{self._store.owner}{_OF}{port.new_frame_id()}"

        def put(entries: Entries) -> Claim | Busy | Foreign | None:
            if unique_id not in entries:
                return None
            found = kept(entries[unique_id])
            if not isinstance(found, PendingQuestion):
                return found
            if (found.claimed_by, found.claimed_at) != (seen.claimed_by, seen.claimed_at):
                return BUSY
            put_fields(entries[unique_id], {"claimed_by": by, "claimed_at": port.now_ms()})
            return Claim(unique_id, by, found)

        return await self._store.change(put)

    async def refresh(self, claim: Claim) -> bool:
        """Say that the work goes on. → whether the claim is still this handler's."""
        now_ms = self._store.disk.actor.port.now_ms()
        return await self._put(claim, {"claimed_at": now_ms})

    async def end(self, claim: Claim, **fields: Any) -> bool:
        """Give the claim up and set further fields in the same change.

        → whether it was still this handler's; if not, nothing is changed.
        """
        return await self._put(claim, {**fields, "claimed_by": ABSENT, "claimed_at": ABSENT})

    async def put(self, claim: Claim, **fields: Any) -> bool:
        """Set fields of a claimed entry (``request_id``, say). → as for :meth:`end`."""
        return await self._put(claim, fields)

    async def remove(self, claim: Claim) -> bool:
        """Remove the entry that is done. → whether it was there, whosever claim it has."""
        return await self._store.remove(claim.unique_id)

    async def is_void(self, entry: PendingQuestion) -> bool:
        """Whether nobody is at an entry (expiry asks this, too)."""
        return await self._is_void(entry)

    async def _is_void(self, entry: PendingQuestion) -> bool:
        disk = self._store.disk
        if isinstance(entry.claimed_by, Absent) or isinstance(entry.claimed_at, Absent):
            return True
        if not disk.rules.stale_claims_are_void:
            return False
        age_ms = max(0, disk.actor.port.now_ms() - entry.claimed_at)
        if age_ms > disk.plan.claim_void_ms:
            return True
        return await is_dead(disk, entry.claimed_by.rpartition(_OF)[0])

    async def _put(self, claim: Claim, fields: dict[str, Any]) -> bool:
        def put(entries: Entries) -> bool:
            entry = entries.get(claim.unique_id)
            if type(entry) is not dict or entry.get("claimedBy") != claim.by:
                return False
            put_fields(entry, fields)
            return True

        return await self._store.change(put)


class Lease:
    """The listener's lease: who has it is the one that polls. All methods raise StoreTrouble."""

    __slots__ = ("_held", "_path", "_store", "holder")

    def __init__(self, store: PendingStore) -> None:
        self._store = store
        self._path = store.disk.plan.path + LEASE_SUFFIX
        self._held: Held | None = None
        self.holder = ""

    async def take(self) -> bool:
        """Whether it is this process's now; ``holder`` names the other one where it is not."""
        disk = self._store.disk
        held = Held(self._path, signature(disk))
        reply = await disk.make(CreateFile(held.path, held.text, disk.plan.mode))
        if isinstance(reply, Content):
            signed = Signed.read(reply)
            if not await self._is_void(signed):
                self.holder = signed.owner
                return False
            await disk.ask(RemoveFile(self._path, Held(self._path, reply.text)))
            reply = await disk.make(CreateFile(held.path, held.text, disk.plan.mode))
        taken = isinstance(reply, Done)
        self._held = held if taken else None
        self.holder = disk.owner if taken else Signed.read(reply).owner
        return taken

    async def refresh(self) -> bool:
        """Say that this process lives. → whether the lease is still its own."""
        if self._held is None:
            return False
        disk = self._store.disk
        fresh = Held(self._path, signature(disk))
        reply = await disk.ask(WriteFile(fresh.path, fresh.text, disk.plan.mode, self._held))
        self._held = fresh if isinstance(reply, Done) else None
        return self._held is not None

    async def give_back(self) -> None:
        """Leave the lease to others, at the end of the process."""
        held, self._held = self._held, None
        if held is not None:
            await self._store.disk.afterwards(RemoveFile(self._path, held))

    async def look(self) -> str:
        """The process that has it, "" for none."""
        reply = await self._store.disk.ask(ReadFile(self._path))
        return Signed.read(reply).owner if isinstance(reply, Content) else ""

    async def _is_void(self, signed: Signed) -> bool:
        """Too old, of a dead process, or this one's own: a refresh of unknown outcome."""
        disk = self._store.disk
        if signed.owner == disk.owner:
            return True
        if signed.age_ms(disk.actor.port.now_ms()) > disk.plan.lease_void_ms:
            return True
        return await is_dead(disk, signed.owner)
