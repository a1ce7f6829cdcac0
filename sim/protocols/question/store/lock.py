"""The lock beside the store's file: exclusive creation, owner and time, stale ones taken over."""

from __future__ import annotations

import attrs

from sim.protocols.question.constants import LOCK_SUFFIX
from sim.protocols.question.store.disk import Disk
from sim.protocols.question.store.operations import (
    Content,
    CreateFile,
    Done,
    Held,
    IsAlive,
    RemoveFile,
)
from sim.protocols.question.store.trouble import LockTimeout
from sim.wire.decode import NotJson, decode_json
from sim.wire.encode import encode_json

LOOK_EVERY = 10
"""How many tries go by between two looks whether the owner of a lock still lives."""


@attrs.frozen
class Signed:
    """What a lock or a lease says: whose it is, and since when (Unix ms)."""

    owner: str
    at: int

    @classmethod
    def read(cls, content: Content) -> Signed:
        """An unreadable one belongs to nobody known, and is as old as its file."""
        try:
            found = decode_json(content.text)
        except NotJson:
            found = None
        owner, at = (found.get("owner"), found.get("at")) if isinstance(found, dict) else (0, 0)
        if type(owner) is not str or type(at) is not int:
            return cls("", content.changed_ms)
        return cls(owner, at)

    def age_ms(self, now_ms: int) -> int:
        """How old it is; a negative age counts as 0."""
        return max(0, now_ms - self.at)


def signature(disk: Disk) -> str:
    """The content of a lock or a lease that this process takes now; no two are alike."""
    port = disk.actor.port
    return encode_json({"owner": disk.owner, "at": port.now_ms(), "id": port.new_frame_id()})


async def is_dead(disk: Disk, owner: str) -> bool:
    """Whether a process that has signed is known to be gone. Nobody known may be alive."""
    return bool(owner) and not await disk.ask(IsAlive(owner))


class Lock:
    """One process's way to the lock of a store's file."""

    __slots__ = ("_disk", "_path")

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._path = disk.plan.path + LOCK_SUFFIX

    async def take(self) -> Held:
        """Wait for the lock. Raises LockTimeout and DiskTrouble; then nothing is held."""
        disk, plan = self._disk, self._disk.plan
        port = disk.actor.port
        until = port.now_us() + plan.lock_wait_ms * 1_000
        tries = 0
        seen = ""
        while True:
            held = Held(self._path, signature(disk))
            reply = await disk.make(CreateFile(held.path, held.text, plan.mode))
            if isinstance(reply, Done):
                return held
            assert isinstance(reply, Content)
            look = reply.text != seen or tries % LOOK_EVERY == 0
            seen, tries = reply.text, tries + 1
            if await self._is_stale(reply, look):
                await disk.ask(RemoveFile(self._path, Held(self._path, reply.text)))
            elif disk.rules.lock_wait_ends and port.now_us() >= until:
                raise LockTimeout(f"{self._path} is held: {reply.text[:200]}")
            else:
                await disk.pause(plan.lock_retry_ms)

    async def give_back(self, held: Held | None) -> None:
        """Leave the lock, if it is still this one; it goes on when time is out, or the
        disk refuses: a lock that stays is stale after a while."""
        if held is not None:
            await self._disk.afterwards(RemoveFile(held.path, held))

    async def _is_stale(self, content: Content, look: bool) -> bool:
        disk = self._disk
        if not disk.rules.take_over_stale_lock:
            return False
        signed = Signed.read(content)
        if signed.age_ms(disk.actor.port.now_ms()) > disk.plan.lock_stale_ms:
            return True
        return look and await is_dead(disk, signed.owner)
