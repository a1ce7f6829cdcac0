"""The disk that the store's file is on, as a host: operations in, durable rows behind them.

Each file is a row under its path, its text the value. Faults are acts: broken content,
writes that stop half-way, locks left behind, a disk that refuses.
"""

from __future__ import annotations

from typing import Any

from sim.core.actor import Actor, Port
from sim.core.op import Erase, Lives, Save, Sleep
from sim.protocols.question import acts
from sim.protocols.question.constants import LOCK_SUFFIX
from sim.protocols.question.store.operations import (
    Content,
    CreateFile,
    Done,
    Failed,
    FileOperation,
    Held,
    IsAlive,
    NoFile,
    NotHeld,
    ReadFile,
    RemoveFile,
    RenameFile,
    WriteFile,
)
from sim.protocols.question.store.plan import StoreFilePlan
from sim.wire.decode import NotJson, decode_json
from sim.wire.encode import encode_json


class StoreFile(Actor):
    """A disk with the pending file, shared by the processes of one machine."""

    ONE_AT_A_TIME = True

    __slots__ = ("_changed", "_denied", "_torn", "plan")

    def __init__(self, port: Port, plan: StoreFilePlan) -> None:
        super().__init__(port)
        self.plan = plan
        self._changed: dict[str, int] = {}
        self._denied = ""
        self._torn = 0

    def text(self, path: str) -> str | None:
        """What stands in a file, None where there is none."""
        found = self.port.store.get(path)
        return None if found is None else str(found)

    # -- operations

    async def on_call(self, caller: str, request: Any) -> Any:
        if not isinstance(request, FileOperation):
            raise LookupError(f"{self.port.name} is a disk and cannot do {request!r} of {caller}")
        if isinstance(request, IsAlive):
            return await self._is_alive(request.owner)
        if self._denied:
            return Failed(self._denied)
        match request:
            case ReadFile():
                return self._content(request.path)
            case CreateFile():
                return await self._create(request)
            case WriteFile():
                return await self._write(request)
            case RenameFile():
                return await self._rename(request)
            case RemoveFile():
                return await self._remove(request)
        raise LookupError(f"{self.port.name} does not know {request!r}")

    def _content(self, path: str) -> Content | NoFile:
        text = self.text(path)
        if text is None:
            return NoFile()
        return Content(text, self._changed.get(path, 0))

    def _is_held(self, held: Held | None) -> bool:
        return held is None or self.text(held.path) == held.text

    async def _create(self, wish: CreateFile) -> Content | Done:
        there = self._content(wish.path)
        if isinstance(there, Content):
            return there
        await self._put(wish.path, wish.text)
        return Done()

    async def _write(self, wish: WriteFile) -> Done | NotHeld | Failed:
        """What others may be reading is there by half for a moment."""
        if not self._is_held(wish.held):
            return NotHeld()
        torn = self._torn > 0
        if torn or (wish.path == self.plan.path and self.plan.write_us):
            await self._put(wish.path, wish.text[: len(wish.text) // 2])
            if torn:
                self._torn -= 1
                return Failed("the write stopped half-way")
            await self.perform(Sleep(self.plan.write_us))
        await self._put(wish.path, wish.text)
        return Done()

    async def _rename(self, wish: RenameFile) -> Done | NotHeld | NoFile:
        if not self._is_held(wish.held):
            return NotHeld()
        text = self.text(wish.path)
        if text is None:
            return NoFile()
        await self._put(wish.target, text)
        await self.perform(Erase(wish.path))
        return Done()

    async def _remove(self, wish: RemoveFile) -> Done | NotHeld:
        if not self._is_held(wish.held):
            return NotHeld()
        if self.text(wish.path) is not None:
            await self.perform(Erase(wish.path))
        return Done()

    async def _put(self, path: str, text: str) -> None:
        self._changed[path] = self.port.now_ms()
        await self.perform(Save(path, text))

    async def _is_alive(self, owner: str) -> bool:
        """``host#life`` names a process of this world; nobody else lives in it."""
        host, _, epoch = owner.rpartition("#")
        if not host or not epoch.isdecimal():
            return False
        return await self.perform(Lives(host, int(epoch)))

    # -- faults

    async def on_act(self, act: Any) -> None:
        """Somebody, or bad luck, gets at the file."""
        lock = self.plan.path + LOCK_SUFFIX
        match act:
            case acts.BreakStore():
                await self._put(self.plan.path, act.text)
            case acts.TearNextWrite():
                self._torn += act.times
            case acts.LeaveLock():
                await self._put(lock, act.text or self._left_lock(act))
            case acts.RemoveLock():
                await self._remove(RemoveFile(lock))
            case acts.PutEntry():
                await self._put_entry(act)
            case acts.DenyStore():
                self._denied = act.why if act.on else ""
            case _:
                known = ", ".join(one.__name__ for one in acts.STORE_ACTS)
                raise LookupError(f"{self.port.name} is a disk and cannot {act!r}; it can {known}")

    def _left_lock(self, act: acts.LeaveLock) -> str:
        at = self.port.now_ms() - act.age_ms
        return encode_json({"owner": act.owner, "at": at, "id": "left"})

    async def _put_entry(self, act: acts.PutEntry) -> None:
        try:
            entries = decode_json(self.text(self.plan.path) or "{}")
        except NotJson:
            entries = {}
        entries = entries if isinstance(entries, dict) else {}
        stamp = {"timestamp": self.port.now_ms() - act.age_ms}
        entries[act.unique_id] = {**stamp, **act.fields}
        await self._put(self.plan.path, encode_json(entries))
