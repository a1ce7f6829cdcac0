"""The listener as a host."""

from __future__ import annotations

from sim.core.actor import Actor, Port
from sim.protocols.question.listener.plan import ListenerPlan


class Listener(Actor):
    """Polls Telegram, and brings what people press and write to OpenCode's questions."""

    __slots__ = ("plan",)

    def __init__(self, port: Port, plan: ListenerPlan) -> None:
        super().__init__(port)
        self.plan = plan
