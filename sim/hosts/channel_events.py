"""How a channel tells the bot's server what happened: webhooks, or updates in order.

Both repeat an event until the server has seen it, and both can be told to
repeat it even then, to be late with it, or to let the next one overtake it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Coroutine
from typing import Any

from sim.channel.api import SEEN, ChannelFault
from sim.core.actor import Actor
from sim.core.op import Call, Sleep, Spawn

REPEAT_AFTER_US = 3_000_000
REPEATS = 3
AGAIN_AFTER_US = 1_000_000
OVERTAKEN_AFTER_US = 10_000_000
UPDATES_KEPT_US = 24 * 3_600_000_000
LONGEST_PAUSE_US = 96_000_000


class Events:
    """What the two manners share: lateness, repetition, overtaking."""

    __slots__ = ("_held", "actor", "server")

    def __init__(self, actor: Actor, server: str) -> None:
        self.actor = actor
        self.server = server
        self._held: list[tuple[Any, ChannelFault | None]] = []

    def waits(self, fault: ChannelFault | None) -> bool:
        """Whether an event with this fault would not set out at once."""
        return fault is not None and fault.outcome in ("latency", "reordered")

    async def send(self, event: Any, fault: ChannelFault | None) -> None:
        """Take an event; its delivery goes on by itself."""
        if fault is not None and fault.outcome == "reordered":
            self._held.append((event, None))
            await self._spawn(event, self._patience(event, fault.for_us or OVERTAKEN_AFTER_US))
        else:
            await self._set_out(event, fault)

    async def _set_out(self, event: Any, fault: ChannelFault | None) -> None:
        raise NotImplementedError

    async def _spawn(self, event: Any, run: Coroutine[Any, Any, None]) -> None:
        await self.actor.perform(Spawn(f"webhook {event.event}", run))

    async def _patience(self, event: Any, for_us: int) -> None:
        """Nothing overtook it: let it go."""
        await self.actor.perform(Sleep(for_us))
        if any(held is event for held, _ in self._held):
            self._held = [entry for entry in self._held if entry[0] is not event]
            await self._set_out(event, None)

    def _released(self) -> list[tuple[Any, ChannelFault | None]]:
        """Those that have been overtaken now."""
        released, self._held = self._held, []
        return released

    async def _call(self, event: Any) -> bool:
        reply = await self.actor.perform(Call(self.server, event, REPEAT_AFTER_US))
        return bool(reply == SEEN)

    async def _again(self, event: Any, fault: ChannelFault | None) -> None:
        """Deliver it once more, although the server has seen it."""
        if fault is not None and fault.outcome == "repeated":
            await self.actor.perform(Sleep(fault.for_us or AGAIN_AFTER_US))
            await self._call(event)


class Webhooks(Events):
    """Each event for itself: after 3 s again, at most three times (Slack, X)."""

    __slots__ = ()

    async def _set_out(self, event: Any, fault: ChannelFault | None) -> None:
        await self._spawn(event, self._deliver(event, fault))

    async def _deliver(self, event: Any, fault: ChannelFault | None) -> None:
        if fault is not None and fault.outcome == "latency":
            await self.actor.perform(Sleep(fault.for_us))
        await self._until_seen(event)
        for overtaken, its_fault in self._released():
            await self._set_out(overtaken, its_fault)
        await self._again(event, fault)

    async def _until_seen(self, event: Any) -> None:
        for _ in range(1 + REPEATS):
            start = self.actor.port.now_us()
            if await self._call(event):
                return
            rest = start + REPEAT_AFTER_US - self.actor.port.now_us()
            if rest > 0:
                await self.actor.perform(Sleep(rest))


class Updates(Events):
    """In order, one after the other confirmed, as by ``getUpdates`` (Telegram).

    The server's SEEN moves the offset. What is not confirmed is offered again,
    after ever longer pauses, for a day; what came later waits behind it.
    """

    __slots__ = ("_busy", "_queue")

    def __init__(self, actor: Actor, server: str) -> None:
        super().__init__(actor, server)
        self._queue: deque[tuple[Any, ChannelFault | None]] = deque()
        self._busy = False

    def waits(self, fault: ChannelFault | None) -> bool:
        return self._busy or super().waits(fault)

    async def _set_out(self, event: Any, fault: ChannelFault | None) -> None:
        self._queue.append((event, fault))
        self._queue.extend(self._released())
        if not self._busy:
            self._busy = True
            await self._spawn(event, self._pump())

    async def _pump(self) -> None:
        while self._queue:
            event, fault = self._queue[0]
            if fault is not None and fault.outcome == "latency":
                await self.actor.perform(Sleep(fault.for_us))
            await self._until_confirmed(event)
            self._queue.popleft()
            await self._again(event, fault)
        self._busy = False

    async def _until_confirmed(self, event: Any) -> None:
        begin = self.actor.port.now_us()
        pause_us = REPEAT_AFTER_US
        while not await self._call(event):
            now_us = self.actor.port.now_us()
            if now_us > begin + UPDATES_KEPT_US:
                return
            await self.actor.perform(Sleep(pause_us))
            pause_us = min(pause_us * 2, LONGEST_PAUSE_US)
