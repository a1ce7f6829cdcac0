"""A helm moved by hand: somebody else decides each step, and it writes down what was decided.

What was decided is a list of steps that any helm can follow, as a search's
walks leave it: see :mod:`sim.explore.walks`.
"""

from __future__ import annotations

from collections.abc import Sequence

from sim.core.entropy import Stream
from sim.explore.menu import menu
from sim.explore.walks import AT_ONCE, Walk
from sim.world.activity import Activity
from sim.world.fault import Budget
from sim.world.helm import END, UNTIL, Stall, Step, Strike
from sim.world.item import Item
from sim.world.world import World

REACH_US = 12_000_000


class Hand(Walk):
    """Does as it is told; left alone, it is the timed run.

    ``reach_us`` (µs): how much earlier than it is due a thing may happen.
    ``wanted`` is the place, among :meth:`possible`, of what shall happen next.
    ``stops_at``: after so many ops the handler that performs them stops there; 0: none.
    """

    def __init__(
        self,
        world: World,
        strike: Strike,
        channels: tuple[str, ...],
        budget: Budget,
        *,
        steps: Sequence[Step] = (),
        reach_us: int = REACH_US,
    ) -> None:
        nothing = Stream(0, "hand")  # a hand draws nothing
        super().__init__(world, strike, channels, budget, nothing, steps=steps, length=1, ops=True)
        self.faults_at = []
        self.reach_us = reach_us
        self.wanted = 0
        self.stops_at = 0

    def possible(self) -> list[Item]:
        """What of ``world.enabled()`` is in reach; the first is the timed run's."""
        found = [choice.item for choice in self.world.enabled() if choice.item is not None]
        if not found:
            return []
        limit = max(found[0].due, self.world.now) + self.reach_us
        return [
            item
            for place, item in enumerate(found)
            if place == 0 or (item.foreground and item.due <= limit)
        ]

    def choose(self, front: Item) -> Item:
        found = self.possible()
        nth, self.wanted = self.wanted, 0
        if nth == 0 or not found:
            return front
        return found[nth % len(found)]

    def stops(self, activity: Activity) -> bool:
        if self.stops_at == 0:
            return False
        self.stops_at -= 1
        return self.stops_at == 0

    def withdrawn(self, item: Item) -> None:
        if isinstance(item, Stall) and not (self._own or self._is_written(item)):
            # Its host died while it stood there.
            self.given[item] = None
            self.followed.append(Step(item.of, AT_ONCE))
        super().withdrawn(item)

    def _note(self, item: Item) -> None:
        super()._note(item)
        if isinstance(item, Stall):
            self.given[item] = None

    def _is_written(self, item: Item) -> bool:
        """Whether a step says, or will say, when it happens."""
        return item in self.passed or item in self.given

    def strikes_now(self) -> list[str]:
        """Names of the faults that could strike now, within the budget, in canonical order."""
        front = self.world.next_item()
        return [] if front is None else menu(self, self.channels, self.purse, front)

    def strike_now(self, name: str) -> bool:
        """Let a fault of :meth:`strikes_now` strike; it is paid for and written down."""
        return self._strike(name)

    def decided(self) -> tuple[Step, ...]:
        """All that was decided so far. What is late and has not happened yet waits for ever."""
        waiting = [item for item in self.passed if item.seq != -1]
        planned = self.world.planned()
        stopped = [x for x in planned if isinstance(x, Stall) and not self._is_written(x)]
        late = (Step(self.key(item), UNTIL + END) for item in (*waiting, *stopped))
        return (*self.followed, *late)
