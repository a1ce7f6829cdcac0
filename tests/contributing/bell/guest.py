"""The guest: it knocks when somebody tells it to."""

from __future__ import annotations

from typing import Any

from sim.protocols.bell.acts import DoKnock
from sim.protocols.bell.build import make_knock

from sim.core.actor import Actor, Port
from sim.core.op import Dial, Send


class Guest(Actor):
    """One guest in front of one door."""

    __slots__ = ("door",)

    def __init__(self, port: Port, door: str) -> None:
        super().__init__(port)
        self.door = door

    async def on_act(self, act: Any) -> None:
        if isinstance(act, DoKnock):
            conn = await self.perform(Dial(self.door, "bell"))
            if conn is not None:
                await self.perform(Send(conn, make_knock(knockId=act.knock)))
