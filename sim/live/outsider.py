"""The actor that stands in the world for a program outside of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from sim.core.actor import Actor
from sim.core.op import Dial


class Outsider(Actor):
    """Does nothing by itself: its frames come from a socket, those for it go to one."""

    READS_TEXT: ClassVar[bool] = True

    __slots__ = ()

    async def come(
        self, server: str, lane: str, info: Any, answered: Callable[[Any], None]
    ) -> None:
        """Somebody has connected from outside: do the same in the world.

        ``answered`` gets what a ``Dial`` gives: an end, a refusal or None.
        """
        answered(await self.perform(Dial(server, lane, info)))
