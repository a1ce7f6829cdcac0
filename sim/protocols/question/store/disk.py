"""How a process speaks to the disk: one call per operation, each with an end."""

from __future__ import annotations

from typing import Any

from sim.core.actor import Actor
from sim.core.op import NO_ANSWER, Call, Sleep, Spawn
from sim.protocols.question.rules import QuestionRules
from sim.protocols.question.store.operations import (
    CreateFile,
    Failed,
    FileOperation,
    Held,
    RemoveFile,
)
from sim.protocols.question.store.plan import PendingPlan
from sim.protocols.question.store.trouble import DiskTrouble, NoWord

DISK_TIMEOUT_US = 2_000_000


class Disk:
    """The disk of one process. ``until_us``: no operation begins or waits beyond it."""

    __slots__ = ("actor", "owner", "plan", "rules", "until_us")

    def __init__(
        self, actor: Actor, plan: PendingPlan, rules: QuestionRules, until_us: int | None = None
    ) -> None:
        self.actor = actor
        self.plan = plan
        self.rules = rules
        self.until_us = until_us
        self.owner = plan.owner or f"{actor.port.name}#{actor.port.epoch}"

    async def ask(self, operation: FileOperation) -> Any:
        """The reply to an operation. Raises DiskTrouble where it is none."""
        reply = await self._call(operation, self._limit_us())
        if isinstance(reply, Failed):
            raise DiskTrouble(f"{operation.__class__.__name__} of {self.plan.path}: {reply.why}")
        if reply is NO_ANSWER:
            raise NoWord(f"{operation.__class__.__name__} of {self.plan.path}: no answer")
        return reply

    async def make(self, operation: CreateFile) -> Any:
        """As :meth:`ask`; a file of which nobody knows whether it was made is removed again."""
        try:
            return await self.ask(operation)
        except DiskTrouble:
            held = Held(operation.path, operation.text)
            await self.afterwards(RemoveFile(operation.path, held))
            raise

    async def afterwards(self, operation: FileOperation) -> None:
        """Do it, whatever comes of it; beside the handler when its time is out."""
        if self._limit_us() > 0:
            await self._call(operation, self._limit_us())
        else:
            late = self._call(operation, DISK_TIMEOUT_US)
            await self.actor.perform(Spawn("disk", late))

    async def pause(self, ms: int) -> None:
        """Wait, but not beyond the end of the handler's time. Raises DiskTrouble there."""
        us = min(ms * 1_000, self._limit_us(ms * 1_000))
        if us <= 0:
            raise DiskTrouble(f"{self.plan.path}: no time left")
        await self.actor.perform(Sleep(us))

    async def _call(self, operation: FileOperation, timeout_us: int) -> Any:
        if timeout_us <= 0:
            return Failed("no time left")
        return await self.actor.perform(Call(self.plan.store, operation, timeout_us))

    def _limit_us(self, most_us: int = DISK_TIMEOUT_US) -> int:
        if self.until_us is None:
            return most_us
        return min(most_us, self.until_us - self.actor.port.now_us())
