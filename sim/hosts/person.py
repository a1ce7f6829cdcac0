"""A person on a chat channel: hands without a will of their own.

The scenario says what the person types, presses or deletes.
"""

from __future__ import annotations

from typing import Any

import msgspec

from sim.channel.api import Press, Remove, Say
from sim.core.actor import Actor, Port
from sim.core.op import Call


class Person(Actor):
    """Passes ``Say``, ``Press`` and ``Remove`` to the channel host ``channel``.

    An act without a name is this person's own (the host's name).
    """

    __slots__ = ("channel",)

    def __init__(self, port: Port, channel: str) -> None:
        super().__init__(port)
        self.channel = channel

    async def on_act(self, act: Any) -> None:
        if type(act) not in (Say, Press, Remove):
            raise LookupError(f"{self.port.name} is a person and cannot {act!r}")
        if not act.person:
            act = msgspec.structs.replace(act, person=self.port.name)
        await self.perform(Call(self.channel, act))
