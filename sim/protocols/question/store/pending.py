"""The pending store as hook and listener use it: entries by uniqueId in one shared file.

Reads take no lock; each change takes it, reads, changes, writes anew and gives it back.
All operations are calls of the disk's host, so that the same code runs over a simulated
file and a real one. They raise StoreTrouble where the store cannot be used; then nothing
has been changed, as far as the disk has said.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Self, TypeVar

from sim.core.actor import Actor
from sim.protocols.question.constants import (
    BROKEN_PAUSE_MS,
    BROKEN_READS,
    BROKEN_SUFFIX,
    UNIQUE_ID_CHARS,
)
from sim.protocols.question.rules import QuestionRules
from sim.protocols.question.store.disk import Disk
from sim.protocols.question.store.entry import Kept, PendingQuestion, kept, put_fields
from sim.protocols.question.store.lock import Lock
from sim.protocols.question.store.operations import (
    Content,
    Done,
    Held,
    NoFile,
    ReadFile,
    RenameFile,
    WriteFile,
)
from sim.protocols.question.store.plan import PendingPlan
from sim.protocols.question.store.steps import take_steps
from sim.protocols.question.store.trouble import DiskTrouble, LockTimeout, NoWord, StoreTrouble
from sim.wire.decode import NotJson, decode_json
from sim.wire.encode import encode_json
from sim.wire.equality import same_json

R = TypeVar("R")
Entries = dict[str, Any]
"""The whole file: whatever JSON stands under each uniqueId."""

NEW_SUFFIX: Final = ".new"
LOOKS: Final = 3
"""How often a broken file is looked at that somebody changes meanwhile."""
LOST_LOCKS: Final = 3
"""How often a change begins anew because its lock was taken over."""


class PendingStore:
    """One process's view of the store.

    ``broken``: where unreadable files were put, which somebody has to tell the chat of
    (DQ-22); whoever tells it empties the list.
    """

    __slots__ = ("_lock", "broken", "disk")

    def __init__(
        self,
        actor: Actor,
        plan: PendingPlan,
        rules: QuestionRules,
        until_us: int | None = None,
    ) -> None:
        self.disk = Disk(actor, plan, rules, until_us)
        self._lock = Lock(self.disk)
        self.broken: list[str] = []

    def until(self, until_us: int) -> Self:
        """The same store for a handler that must be through by then (run time, µs)."""
        disk = self.disk
        made = type(self)(disk.actor, disk.plan, disk.rules, until_us)
        made.broken = self.broken
        return made

    @property
    def owner(self) -> str:
        """How locks and claims name this process."""
        return self.disk.owner

    # -- reading

    async def entries(self) -> Entries:
        """All entries, decoded. A missing file has none; neither has a broken one, which
        is read again for a while and then moved aside."""
        for _ in range(LOOKS):
            content = await self._settled()
            found = _decoded(content)
            if found is not None:
                return found
            if not self.disk.rules.broken_is_moved_aside:
                return {}
            assert isinstance(content, Content)
            if await self._move_aside(content.text):
                return {}
        raise DiskTrouble(f"{self.disk.plan.path} is broken, and changes while it is looked at")

    async def get(self, unique_id: str) -> Kept | None:
        """What stands under a uniqueId, None for nothing."""
        entries = await self.entries()
        return kept(entries[unique_id]) if unique_id in entries else None

    async def questions(self) -> dict[str, PendingQuestion]:
        """All entries that are questions and readable, in the file's order."""
        typed = {name: kept(entry) for name, entry in (await self.entries()).items()}
        return {name: one for name, one in typed.items() if isinstance(one, PendingQuestion)}

    # -- changing

    async def change(self, alter: Callable[[Entries], R]) -> R:
        """Let ``alter`` change the decoded entries under the lock. → what it returned.

        It may be called again where the lock was lost; what it has not changed is not
        written. Raises StoreTrouble.
        """
        if not self.disk.rules.locked_changes:
            return (await self._altered(alter, None))[1]
        for _ in range(LOST_LOCKS):
            held = await self._lock.take()
            written, result = await self._altered(alter, held)
            if written:
                return result
        raise LockTimeout(f"{self.disk.plan.path}: the lock was taken over {LOST_LOCKS} times")

    def drawn(self, entries: Entries) -> str:
        """A uniqueId that is nobody's (DQ-25)."""
        port = self.disk.actor.port
        drawn = port.new_id()[:UNIQUE_ID_CHARS]
        while drawn in entries:
            drawn = port.new_id()[:UNIQUE_ID_CHARS]
        return drawn

    async def add(self, entry: PendingQuestion, unique_id: str = "") -> str:
        """Keep a new question, under a drawn uniqueId unless one is given. → the uniqueId"""

        def put(entries: Entries) -> str:
            name = unique_id or self.drawn(entries)
            entries[name] = entry.to_wire()
            return name

        return await self.change(put)

    async def update(self, unique_id: str, **fields: Any) -> Kept | None:
        """Set fields (Python names; ``ABSENT`` removes) of an entry that exists.

        → the entry as it is then, None where there is none.
        """

        def put(entries: Entries) -> Kept | None:
            entry = entries.get(unique_id)
            if type(entry) is not dict:
                return None
            put_fields(entry, fields)
            return kept(entry)

        return await self.change(put)

    async def remove(self, unique_id: str) -> bool:
        """Forget an entry. → whether it was there."""
        return await self.change(lambda entries: entries.pop(unique_id, None) is not None)

    # -- the file

    async def _read(self) -> Content | NoFile:
        reply: Content | NoFile = await self.disk.ask(ReadFile(self.disk.plan.path))
        return reply

    async def _settled(self) -> Content | NoFile:
        """The file's content; one that cannot be read is given some time to be written."""
        content = await self._read()
        for _ in range(BROKEN_READS if self.disk.rules.broken_is_read_again else 0):
            if _decoded(content) is not None:
                break
            await self.disk.pause(BROKEN_PAUSE_MS)
            content = await self._read()
        return content

    async def _altered(self, alter: Callable[[Entries], R], held: Held | None) -> tuple[bool, R]:
        """Whether it is as ``alter`` wants it, and what that returned. The lock is given back."""
        try:
            entries = await self.entries()
        except StoreTrouble:
            await self._lock.give_back(held)
            raise
        before: Any = decode_json(encode_json(entries))
        result = alter(entries)
        if same_json(before, entries):
            await self._lock.give_back(held)
            return True, result
        written = await self._put(encode_json(entries), held)
        if written:
            take_steps(before, entries)
        return written, result

    async def _put(self, text: str, held: Held | None) -> bool:
        """Write it, and give the lock back. → whether it is written.

        Where the disk does not say what became of it somebody has to look: with the lock
        gone nothing is carried out any more, and what stands there by then was written.
        """
        try:
            written = await self._write(text, held)
        except StoreTrouble as trouble:
            await self._lock.give_back(held)
            if isinstance(trouble, NoWord) and await self._stands(text, self.disk.plan.path):
                return True
            raise
        await self._lock.give_back(held)
        return written

    async def _stands(self, text: str, path: str) -> bool:
        try:
            found = await self.disk.ask(ReadFile(path))
        except StoreTrouble:
            return False
        return isinstance(found, Content) and found.text == text

    async def _write(self, text: str, held: Held | None) -> bool:
        """Whether it is written: only while the lock is held."""
        plan = self.disk.plan
        if not self.disk.rules.atomic_writes:
            reply = await self.disk.ask(WriteFile(plan.path, text, plan.mode, held))
            return isinstance(reply, Done)
        fresh = plan.path + NEW_SUFFIX
        if not isinstance(await self.disk.ask(WriteFile(fresh, text, plan.mode, held)), Done):
            return False
        return isinstance(await self.disk.ask(RenameFile(fresh, plan.path, held)), Done)

    async def _move_aside(self, text: str) -> bool:
        """Put the broken file away. → whether it was still this one."""
        plan, now_ms = self.disk.plan, self.disk.actor.port.now_ms()
        target = f"{plan.path}{BROKEN_SUFFIX}{now_ms}"
        try:
            reply = await self.disk.ask(RenameFile(plan.path, target, Held(plan.path, text)))
            moved = isinstance(reply, Done)
        except NoWord:
            moved = await self._stands(text, target)
            if not moved:
                raise
        if moved:
            self.broken.append(target)
        return moved


def _decoded(content: Content | NoFile) -> Entries | None:
    """The entries of a file, None where they cannot be read."""
    if isinstance(content, NoFile):
        return {}
    try:
        found = decode_json(content.text)
    except NotJson:
        return None
    return found if isinstance(found, dict) else None
