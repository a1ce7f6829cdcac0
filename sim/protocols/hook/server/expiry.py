"""Forgetting: what ended a day ago is no longer known (HK-177, RC-29)."""

from __future__ import annotations

from sim.core.actor import Actor
from sim.core.op import Erase, StartTimer
from sim.protocols.hook.server.memory import Memory
from sim.protocols.hook.server.plan import ServerPlan
from sim.protocols.hook.server.tasks import Task


class Expiry:
    """Erases ended requests, rounds, their cards and old events, oldest first."""

    __slots__ = ("actor", "memory", "plan")

    def __init__(self, actor: Actor, memory: Memory, plan: ServerPlan) -> None:
        self.actor = actor
        self.memory = memory
        self.plan = plan

    async def plan_next(self) -> None:
        """One far-off timer, whatever the number of things to forget."""
        after = self.plan.limits.mapping_us // 24
        await self.actor.perform(StartTimer("expiry", "", after, background=True))

    async def sweep(self) -> None:
        """Forget whatever is due."""
        ended = self.memory.ended
        due = self.actor.port.now_us() - self.plan.limits.mapping_us
        while ended and ended[0][0] < due:
            at, kind, name = ended.popleft()
            if kind == "event":
                self.memory.seen.pop(name, None)
                await self.actor.perform(Erase(f"event/{name}"))
            else:
                await self._forget(at, name)
        await self.plan_next()

    async def _forget(self, at: int, name: str) -> None:
        route = self.memory.routes.get(name)
        if route is None or not route.ended_us or route.ended_us > at:
            return  # it ended again later, or came back to life
        line = route.line
        is_task = type(route) is Task
        if is_task and line.claim is not route and self._claim_is_young(line.claim):
            # A round still needs its message: look again a day from now.
            self.memory.ended.append((self.actor.port.now_us(), "request", name))
            return
        del self.memory.routes[name]  # before anything takes its time: nothing revives it
        if type(route) is Task:
            self.memory.seen.pop(route.event, None)
            for tasks in (route.desk.interrupted, route.conversation.tasks):
                if tasks is not None:
                    tasks.pop(name, None)
            for card in route.cards or ():
                self.memory.cards.pop(card.interaction, None)
                self.memory.cards_by_message.pop((line.channel, card.line.message), None)
                await self.actor.perform(Erase(card.row_key))
        await self.actor.perform(Erase(route.row_key))

    def _claim_is_young(self, claim: object) -> bool:
        over = getattr(claim, "round", claim)
        ended_us = getattr(over, "ended_us", 0)
        due = self.actor.port.now_us() - self.plan.limits.mapping_us
        return not ended_us or ended_us >= due
