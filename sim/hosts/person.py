"""A person on chat channels: hands without a will of their own.

The scenario says what the person types, presses or deletes, and where.
"""

from __future__ import annotations

from typing import Any

import msgspec

from sim.channel.api import Authorize, Press, Remove, Reword, Say
from sim.core.actor import Actor, Port
from sim.core.op import Call

ACTS = (Say, Press, Remove, Reword, Authorize)


class Person(Actor):
    """Passes what it is told to do to a channel host.

    An act without a name is this person's own (the host's name); an act without
    a channel is for the first of ``channels``.
    """

    __slots__ = ("channels",)

    def __init__(self, port: Port, *channels: str) -> None:
        super().__init__(port)
        self.channels = channels

    async def on_act(self, act: Any) -> None:
        if type(act) not in ACTS:
            raise LookupError(f"{self.port.name} is a person and cannot {act!r}")
        channel = act.channel or self.channels[0]
        if channel not in self.channels:
            raise LookupError(f"{self.port.name} is not on {channel}, but on {self.channels}")
        person = act.person or self.port.name
        await self.perform(Call(channel, msgspec.structs.replace(act, person=person, channel="")))
