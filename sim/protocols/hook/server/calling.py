"""The way to a channel's API: every call keeps to the pause that the channel asked for.

A 429 is about everybody who writes there, so answers, notices, deletions and
tools wait for each other's Retry-After (``pace`` says how long). It is stored:
a server that has just started again is no reason to be impatient (RC-99).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sim.channel.api import Refused
from sim.core.actor import Actor
from sim.core.op import Call, Save, Sleep
from sim.protocols.hook.server.manners import SLACK, Manners, manners_of
from sim.protocols.hook.server.pace import Pace
from sim.protocols.hook.server.plan import ServerPlan
from sim.protocols.hook.server.stored import PauseRow

PASSING = ("rate_limited", "server_error", "unavailable")
"""Refusals that are worth another try."""
TRIES = 4
"""How often is tried what nobody waits for."""


def always() -> bool:
    """What needs no second look."""
    return True


class Calling:
    """Calls to the channels of one server."""

    __slots__ = ("_by_channel", "actor", "pace", "plan")

    def __init__(self, actor: Actor, plan: ServerPlan) -> None:
        self.actor = actor
        self.plan = plan
        self.pace = Pace()
        chars = plan.limits.text_chars
        self._by_channel = {h: manners_of(lane, chars) for h, lane in plan.channels.items()}

    def read(self) -> None:
        """Remember the pauses that were asked for in a former life, without a gap."""
        now = self.actor.port.now_us()
        for _, row in self.actor.port.store.items("pause/"):
            if row.until_us > now:
                self.pace.hold(row.channel, row.chat, row.until_us)

    def manners(self, channel: str) -> Manners:
        """How a channel wants to be written to."""
        return self._by_channel.get(channel, SLACK)

    def place(self, channel: str, chat: str) -> tuple[str, str]:
        """Who has to wait when this channel asks for a pause in this chat."""
        return channel, chat if self.manners(channel).per_chat else ""

    def rest_us(self, channel: str, chat: str, *, final: bool = True) -> int:
        """How long nothing may be written there yet; what is not ``final`` waits longer."""
        if not self.pace.is_asked_for:
            return 0
        return self.pace.rest_us(*self.place(channel, chat), self.actor.port.now_us(), final)

    async def rested(self, channel: str, chat: str) -> None:
        """Wait until it may be written there; what was known before may be stale then."""
        while rest := self.rest_us(channel, chat):
            await self.actor.perform(Sleep(rest))

    async def ask(self, channel: str, chat: str, request: Any) -> Any:
        """Call, once it is allowed; what the channel says about its pace holds for all."""
        await self.rested(channel, chat)
        reply = await self.actor.perform(Call(channel, request, self.plan.limits.call_us))
        if type(reply) is Refused and reply.code == "rate_limited":
            until = self.actor.port.now_us() + self.pause_us(0, reply)
            place = self.place(channel, chat)
            if self.pace.hold(*place, until):
                row = PauseRow(*place, until)
                await self.actor.perform(Save(f"pause/{'/'.join(place)}", row))
        return reply

    async def ask_patiently(
        self, channel: str, chat: str, request: Any, still: Callable[[], bool] = always
    ) -> Any:
        """The same a few times, as long as the channel certainly did nothing.

        ``still`` is asked behind each pause: whether the call is yet to be made.
        """
        reply: Any = None
        for attempt in range(TRIES):
            await self.rested(channel, chat)
            if not still():
                break
            reply = await self.ask(channel, chat, request)
            if type(reply) is not Refused or reply.code not in PASSING:
                break
            await self.actor.perform(Sleep(self.pause_us(attempt, reply)))
        return reply

    def pause_us(self, failures: int, reply: Any) -> int:
        """How long to wait before the next try."""
        limits = self.plan.limits
        if type(reply) is Refused and reply.code == "rate_limited":
            return reply.retry_after_us or limits.retry_us
        return min(limits.retry_max_us, limits.retry_us << min(failures, 10))
