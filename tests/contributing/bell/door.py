"""The door: it answers."""

from __future__ import annotations

from sim.protocols.bell.build import make_open
from sim.protocols.bell.parse import parse_bell_message
from sim.protocols.bell.rules import BellRules

from sim.core.actor import Actor, Port
from sim.core.op import Connection, Frame, Send


class Door(Actor):
    """One door."""

    __slots__ = ("rules",)

    def __init__(self, port: Port, rules: BellRules) -> None:
        super().__init__(port)
        self.rules = rules

    async def on_frame(self, conn: Connection, frame: Frame) -> None:
        heard = parse_bell_message(frame.wire).message
        if heard is not None and heard.type == "knock" and self.rules.answer_knocks:
            knock = heard.wire["payload"]["knockId"]
            await self.perform(Send(conn, make_open(knockId=knock)))
