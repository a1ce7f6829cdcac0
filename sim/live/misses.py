"""What came instead of what a diagram waits for, told while there is still time to look."""

from __future__ import annotations

from collections.abc import Callable

from sim.core.event import FrameSent
from sim.scenario.playing.expectation import Expectation
from sim.scenario.playing.lookout import Lookout
from sim.world.world import World


class Misses:
    """Tells of each frame that an arrow waits for and that differs from it, once.

    Make it behind ``lookout.begin()``: it has to see a frame after the arrows have. An
    arrow of a branch that is not decided yet may rightly stay without its frame.
    """

    def __init__(self, world: World, lookout: Lookout, tell: Callable[[str], None]) -> None:
        self._lookout = lookout
        self._tell = tell
        self._known: dict[Expectation, str] = {}
        world.watch(FrameSent, self._sent)

    def _sent(self, event: FrameSent) -> None:
        """A frame that another arrow took is none that differs."""
        if self._lookout.is_named(event):
            self._known.update((one, one.near) for one in self._lookout.waiting)

    def look(self) -> None:
        """Tell what is new."""
        waiting = self._lookout.waiting
        for one in waiting:
            if one.near and not one.is_open and self._known.get(one) != one.near:
                self._known[one] = one.near
                self._tell(f"line {one.arrow.line} still waits for {one.arrow.text}: {one.near}")
        if len(self._known) > len(waiting):
            self._known = {one: near for one, near in self._known.items() if one in waiting}
