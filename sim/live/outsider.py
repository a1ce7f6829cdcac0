"""What stands in the world for a program outside of it, and what cannot be done there."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, ClassVar

from sim.core.actor import Actor
from sim.core.op import Dial
from sim.scenario.playing.stage import Direction, NotYet
from sim.scenario.syntax import Act


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


def done_there(
    direction: Direction | NotYet, act: Act, outsiders: Collection[str]
) -> Direction | NotYet:
    """What is done at an outside program has to be done there."""
    if isinstance(direction, Direction) and direction.host in outsiders:
        return NotYet(f"{direction.host} is an outside program: do {act.verb!r} there")
    return direction
