"""Walks: helms that decide for themselves, and write down what they decided.

What a walk did is a list of steps that any helm can follow: what happened in
another place than in the timed run is ``until`` what happened before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sim.core.entropy import Stream
from sim.explore.menu import Purse, kind_of, menu
from sim.explore.track import RUNNING_THROUGH
from sim.world.activity import Activity
from sim.world.fault import Budget
from sim.world.helm import END, LATE, UNTIL, Helm, Stall, Step, Strike
from sim.world.item import Item, Moment
from sim.world.world import World

# How far (µs) behind the earliest a thing may be due and still be chosen before it.
REACHES_US = (60_000, 400_000, 2_500_000, 12_000_000)
LATEST_US = (30_000, 300_000, 3_000_000, 20_000_000)
FAR = 1 << 30
AT_ONCE = f"{LATE}0us"


class Walk(Helm):
    """A seeded search through one run.

    ``length`` is how many steps the timed run has: faults are spread over it.
    ``ops``: a handler may also stop between two ops.
    """

    def __init__(
        self,
        world: World,
        strike: Strike,
        channels: tuple[str, ...],
        budget: Budget,
        stream: Stream,
        *,
        steps: Sequence[Step] = (),
        length: int,
        ops: bool,
    ) -> None:
        super().__init__(world, strike, steps)
        self.channels = channels
        self.stream = stream
        self.purse = Purse.of(budget)
        self.ops = ops
        self.taken = 0
        self.passed: dict[Item, None] = {}
        self.doomed: Stall | None = None
        # What the given steps have put off is written down already.
        self.given: dict[Item, None] = {}
        for step in steps:
            if step.is_fault:
                self.purse.pay(step.do)
        self.faults_at = self._spread(length)

    def _spread(self, length: int) -> list[int]:
        """At which steps faults strike, latest first."""
        most = min(self.purse.total, 4)
        count = self.stream.between(0, most) if most else 0
        return sorted((self.stream.between(0, max(length, 1)) for _ in range(count)), reverse=True)

    # -- the decisions of each walk ---------------------------------------------------

    def choose(self, front: Item) -> Item:
        """Which of the things in reach happens next."""
        return front

    def stops(self, activity: Activity) -> bool:
        """Whether the handler stops here, so that others may come first."""
        return False

    # -- carrying them out --------------------------------------------------------------

    def allows(self, item: Item) -> bool:
        if self.doomed is not None:
            self._crash_within(self.doomed)
            return False
        if self.faults_at and self.faults_at[-1] <= self.taken:
            self.faults_at.pop()
            if self._strike_before(item):
                return False
        chosen = self.choose(item)
        if chosen is not item:
            for other in self.earlier_than(chosen):
                other.put_off(self.world, None)
            # What somebody now gives up on is passed over, too.
            for other in self.earlier_than(chosen):
                self.passed[other] = None
            self._note(chosen)
            self.world.fire(chosen)
            return False
        self._note(item)
        return True

    def overdue(self) -> Iterator[int]:
        yield from super().overdue()
        for item in self.passed:
            if item not in self._wanted:
                yield item.due

    def withdrawn(self, item: Item) -> None:
        super().withdrawn(item)
        if item in self.passed and not self._own:
            # It was late, and now it will never be: what happened last has seen to that.
            del self.passed[item]
            self.followed.append(Step(self.key(item), UNTIL + self.last))

    def _delay(self, step: Step, item: Item) -> None:
        super()._delay(step, item)
        self.given[item] = None

    def finish(self) -> None:
        """The run is over: what was late and has not happened never will."""
        for item in self.passed:
            if item.seq != -1:
                self.followed.append(Step(self.key(item), UNTIL + END))

    def earlier_than(self, chosen: Item) -> list[Item]:
        """What would have happened before it in the timed run."""
        mark = (chosen.due, chosen.seq)
        found = sorted((e for e in self.world.entries() if e[:2] < mark), key=lambda e: e[:2])
        return [item for _, _, item in found]

    def in_reach(self, front: Item, reach_us: int) -> list[Item]:
        """The front, and what may happen in its place, earliest first."""
        limit = max(front.due, self.world.now) + reach_us
        found = sorted((e for e in self.world.entries() if e[0] <= limit), key=lambda e: e[:2])
        return [i for _, _, i in found if i is front or (i.foreground and i.enabled())]

    def _note(self, item: Item) -> None:
        """It happens now; if that is not as in the timed run, write it down."""
        self.taken += 1
        if item in self.passed:
            del self.passed[item]
            self.followed.append(Step(self.key(item), UNTIL + self.last))
        elif isinstance(item, Stall) and item not in self.given:
            self.followed.append(Step(item.of, AT_ONCE))

    def _strike_before(self, item: Item) -> bool:
        names = menu(self, self.channels, self.purse, item)
        if not names:
            return False
        kinds = list(dict.fromkeys(kind_of(name) for name in names))
        kind = kinds[self.stream.between(0, len(kinds) - 1)]
        names = [name for name in names if kind_of(name) == kind]
        return self._strike(names[self.stream.between(0, len(names) - 1)])

    def _strike(self, name: str) -> bool:
        if not (self.purse.pay(name) and self.strike(name, self)):
            return False
        self.followed.append(Step(self.last, name))
        return True

    def at_op(self, activity: Activity, value: Any) -> bool:
        if not (self.ops or self.table) or activity.host.kind in RUNNING_THROUGH:
            return False
        activity.ops += 1
        place = f"{activity.origin}/{activity.ops}"
        if place not in self.table and not self.stops(activity):
            return False
        stall = self.stall(activity, place, value)
        if self.faults_at and self.faults_at[-1] <= self.taken and self.purse.left["crash"]:
            self.faults_at.pop()
            self.doomed = stall
        return True

    def _crash_within(self, stall: Stall) -> None:
        """The process dies between two ops of a handler, which is then never heard of again."""
        self.doomed = None
        if stall.seq != -1 and self._strike(f"crash {stall.activity.host.name}"):
            self.followed.append(Step(stall.of, AT_ONCE))


class UniformWalk(Walk):
    """Each of the things in reach is as likely as the others."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.reach_us = REACHES_US[self.stream.between(0, len(REACHES_US) - 1)]
        self.deviates = (1.0, 0.5, 0.2, 0.05)[self.stream.between(0, 3)]

    def choose(self, front: Item) -> Item:
        if self.deviates < 1.0 and self.stream.fraction() > self.deviates:
            return front
        found = self.in_reach(front, self.reach_us)
        return found[self.stream.between(0, len(found) - 1)]

    def stops(self, activity: Activity) -> bool:
        return self.ops and self.stream.fraction() < 0.3 * self.deviates


class PctWalk(Walk):
    """Probabilistic concurrency testing: priorities, with a few points where one falls.

    Every chain (a direction of a connection, a caller's calls, a host's timers,
    the diagram) gets a random priority; of the things in reach the one with the
    highest goes first. At ``depth - 1`` random places the chain that is about to
    move gets the lowest.
    """

    def __init__(self, *args: Any, length: int, depth: int = 3, **settings: Any) -> None:
        super().__init__(*args, length=length, **settings)
        self.reach_us = REACHES_US[self.stream.between(0, len(REACHES_US) - 1)]
        self.priorities: dict[str, int] = {}
        self.falls = {self.stream.between(0, max(length, 1)): n for n in range(depth - 1)}

    def priority(self, item: Item) -> int:
        """The higher, the sooner."""
        chain = _chain(item)
        known = self.priorities.get(chain)
        if known is None:
            known = self.priorities[chain] = self.stream.between(FAR, 2 * FAR)
        return known

    def choose(self, front: Item) -> Item:
        found = self.in_reach(front, self.reach_us)
        best = max(found, key=self.priority) if len(found) > 1 else front
        fall = self.falls.pop(self.taken, None)
        if fall is not None:
            self.priorities[_chain(best)] = -fall
            best = max(found, key=self.priority)
        return best

    def stops(self, activity: Activity) -> bool:
        return self.ops and self.stream.fraction() < 0.1


def _chain(item: Item) -> str:
    """What keeps its own order: the name without the numbers and kinds behind it."""
    if isinstance(item, Moment):
        return "diagram"
    words = item.name().split(" ")
    return " ".join(words[:3]) if words[0] in ("deliver", "close") else " ".join(words[:2])


class TimingWalk(Walk):
    """The timed run of another seed, in which some things take much longer."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.share = (0.0, 0.02, 0.1, 0.3)[self.stream.between(0, 3)]
        self.seen: dict[str, None] = {}

    def allows(self, item: Item) -> bool:
        if self.share and item.foreground:
            key = self.key(item)
            if key not in self.seen:
                self.seen[key] = None
                if self.stream.fraction() < self.share:
                    self._put_off(item, key)
                    return False
        return super().allows(item)

    def _put_off(self, item: Item, key: str) -> None:
        latest = LATEST_US[self.stream.between(0, len(LATEST_US) - 1)]
        by_us = self.stream.between(1, latest)
        self.postpone(item, by_us)
        self.followed.append(Step(key, f"{LATE}{by_us}us"))
