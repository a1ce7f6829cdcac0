"""Steering a run: named things happen late, named faults strike after named things.

A schedule is the timed run plus a few :class:`Step` values, each anchored to
the name of something that happens. Nothing in it counts events of the whole
run, so it still means the same after an unrelated change of the code; and
every driver can follow it, because the world asks its helm before each step.

Names: what a thing is, between whom, and which one of its kind it is
(``finish IM.edit S ~2``), counted when it is planned. Ids that the seed has
drawn do not occur in them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import attrs

from sim.world.item import Item
from sim.world.timer import Pause

if TYPE_CHECKING:
    from sim.world.activity import Activity
    from sim.world.world import World

UNTIL = "until "
LATE = "late "
QUEUE = "its queue moves"
# Waits until this never end: in the run that is followed it never happened.
END = "the end"
# What waits for something that never comes goes on when this much time has passed.
PATIENCE_US = 60_000_000
START = "start"

Strike = Callable[[str, "Helm"], bool]


@attrs.frozen
class Step:
    """One thing that is not as in the timed run.

    ``at`` names an item, or a place between two ops of a handler, and ``do``
    says when that happens: ``until NAME`` (right after NAME has happened) or
    ``late 250000us``. Or ``do`` is a fault, which strikes right after ``at``.
    """

    at: str
    do: str

    @property
    def is_fault(self) -> bool:
        """Whether it is a fault, and no delay."""
        return not self.do.startswith((UNTIL, LATE))


class Stall(Pause):
    """A handler that stops between two ops, as if the first one took time.

    ``of`` is the place's name, ``value`` the result of the op before it.
    """

    __slots__ = ("of", "value")

    def __init__(self, activity: Activity, of: str, value: Any) -> None:
        super().__init__(activity, True)
        self.of = of
        self.value = value

    def goes_on(self, world: World) -> None:
        world.resume(self.activity, self.value)

    def alias(self, symbol: Callable[[str, str], str]) -> str:
        return self.of


class Helm:
    """Follows a list of steps; searches derive from it and decide for themselves.

    ``strike`` lets a fault happen by its name and says whether there was such a
    thing. ``last`` is the name of what happened last. ``followed`` are the steps
    that took effect, ``count`` is how much has happened. ``on_happening``, ``on_move``,
    ``on_fault`` and ``on_withdrawn`` (of what was planned, not by this helm's own will)
    are for somebody who listens. One helm steers one world. ``late_us`` is by how much all
    that has happened too late was late, in sum.
    """

    def __init__(self, world: World, strike: Strike, steps: Iterable[Step] = ()) -> None:
        self.world = world
        self.strike = strike
        self.last = START
        self.count = 0
        self.late_us = 0
        self.followed: list[Step] = []
        self.on_happening: Callable[[str, Item], None] | None = None
        self.on_move: Callable[[Activity], None] | None = None
        self.on_fault: Callable[[str], None] | None = None
        self.on_withdrawn: Callable[[str, Item], None] | None = None
        self.table: dict[str, list[Step]] = {}
        self.faults: dict[str, list[Step]] = {}
        for step in steps:
            table = self.faults if step.is_fault else self.table
            table.setdefault(step.at, []).append(step)
        self._kinds: dict[str, int] = {}
        self._keys: dict[Item, str] = {}
        # Until when, and since when (µs).
        self._held: dict[Item, tuple[str, int]] = {}
        # When those of no due time of their own would have happened (µs).
        self._wanted: dict[Item, int] = {}
        self._newest: tuple[Item | None, int] = None, 0
        self.happened: dict[str, None] = {}
        self._symbols: dict[tuple[str, str], int] = {}
        self._own = False
        world.helm = self
        world.at_op = self.at_op

    # -- names -------------------------------------------------------------------

    def key(self, item: Item) -> str:
        """The item's name in this run."""
        key = self._keys.get(item)
        if key is None:
            key = self._keys[item] = self.unique(item.alias(self.symbol))
        return key

    def find(self, key: str) -> Item | None:
        """What is planned or held under this name."""
        for item, known in self._keys.items():
            if known == key:
                return item
        return None

    def known_items(self) -> Iterator[Item]:
        """All that is planned or held."""
        return iter(self._keys)

    def unique(self, name: str) -> str:
        """The name, with a number behind it from the second of its kind on."""
        self._kinds[name] = nth = self._kinds.get(name, 0) + 1
        return name if nth == 1 else f"{name} ~{nth}"

    def symbol(self, scope: str, word: str) -> str:
        """A word that may contain a drawn id, as a number that says which of its scope it is."""
        known = self._symbols.setdefault((scope, word), 0)
        if not known:
            self._symbols[scope, ""] = known = self._symbols.get((scope, ""), 0) + 1
            self._symbols[scope, word] = known
        return str(known)

    # -- what the world tells ------------------------------------------------------

    def planned(self, item: Item) -> None:
        """An item that had no place in the plan gets one (again)."""
        if item in self._held:
            self._let_go(item)
        self.key(item)

    def withdrawn(self, item: Item) -> None:
        """An item will not happen any more; perhaps it was being held."""
        now = self.world.now
        at = self._wanted.pop(item, item.due)
        self.late_us += max(0, now - at)
        # What happens before its turn is withdrawn first: it is no later for that.
        self._newest = item, max(at, now)
        if item in self._held:
            self._let_go(item)
        elif self.on_withdrawn is not None and item.seq != -1 and not self._own:
            self.on_withdrawn(self.key(item), item)

    def happens(self, item: Item) -> None:
        """The item is about to happen."""
        self.last = self.key(item)
        del self._keys[item]
        self.count += 1
        newest, at = self._newest
        at = self._wanted.pop(item, at if newest is item else item.due)
        self.late_us += max(0, self.world.now - at)
        if self.on_happening is not None:
            self.on_happening(self.last, item)
        self.happened[self.last] = None

    def moves(self, activity: Activity) -> None:
        """A handler begins or goes on, because of what happened last."""
        if self.on_move is not None:
            self.on_move(activity)
        if activity.origin is None:
            activity.origin = self.unique(f"{self.last} @{activity.alias(self.symbol)}")

    # -- deciding --------------------------------------------------------------------

    def front(self, item: Item) -> bool:
        """Whether ``item``, the earliest, may happen now. False: the plan has changed."""
        if self.faults:
            faults = self.faults.pop(self.last, None)
            if faults is not None:
                self._strike_after(faults)
                return False
        if self._held and self._release(item):
            return False
        if not item.enabled():
            self.hold(item, QUEUE)
            return False
        steps = self.table.get(self.key(item))
        if steps:
            self._delay(steps.pop(0), item)
            return False
        return self.allows(item)

    def _strike_after(self, faults: list[Step]) -> None:
        """What strikes after the last thing, now that every handler has come to its gap."""
        for step in faults:
            if self.strike(step.do, self):
                self.followed.append(step)
                if self.on_fault is not None:
                    self.on_fault(step.do)

    def _delay(self, step: Step, item: Item) -> None:
        self.followed.append(step)
        if step.do.startswith(UNTIL):
            until = step.do[len(UNTIL) :]
            if not self.has_happened(until):
                self.hold(item, until)
        else:
            self.postpone(item, int(step.do[len(LATE) :].removesuffix("us")))

    def has_happened(self, until: str) -> bool:
        """Whether there is nothing to wait for any more."""
        return until in self.happened

    def allows(self, item: Item) -> bool:
        """A search decides here: True lets the item happen."""
        return True

    def nothing_left(self) -> bool:
        """The plan is empty; True if something that was held goes on."""
        for item, (until, _) in self._held.items():
            if until != END and item.enabled():  # else it stands behind one that never comes
                self.let_happen(item)
                return True
        return False

    def at_op(self, activity: Activity, value: Any) -> bool:
        """Between two ops of a handler; True when it stops here."""
        activity.ops += 1
        if not self.table:
            return False
        place = f"{activity.origin}/{activity.ops}"
        if place not in self.table:
            return False
        self.stall(activity, place, value)
        return True

    def stall(self, activity: Activity, place: str, value: Any) -> Stall:
        """Stop a handler between two ops; left alone it goes on at once."""
        activity.pause = stall = Stall(activity, place, value)
        if not activity.parked:
            activity.host.suspend(activity)
        self.world.schedule(stall, 0)
        self._wanted[stall] = self.world.now
        return stall

    # -- how late it is ----------------------------------------------------------------

    def most_late_us(self) -> int:
        """How much later (µs) than in the timed run anything may have come by now, because of
        what this helm has put off; 0: not at all."""
        overdue = max((self.world.now - at for at in self.overdue()), default=0)
        return self.late_us + max(0, overdue)

    def overdue(self) -> Iterator[int]:
        """When that would have happened which is being put off (µs)."""
        yield from self._wanted.values()

    # -- holding -----------------------------------------------------------------------

    def postpone(self, item: Item, by_us: int) -> None:
        """Let the item happen so much later."""
        if by_us:
            due = max(self.world.now, item.due) + by_us
            self.late_us += by_us
            self._wanted.pop(item, None)
            self.world.schedule(item, due)
            item.put_off(self.world, due)

    def hold(self, item: Item, until: str) -> None:
        """Take the item out of the plan until ``until`` has happened."""
        world = self.world
        since = max(world.now, item.due)
        self.take_out(item)
        self._held[item] = until, since
        self._wanted.setdefault(item, since)
        if item.foreground:
            world.pending += 1  # it is on its way all the same: nothing is settled
        item.put_off(world, None)

    def take_out(self, item: Item) -> None:
        """Take the item out of the plan, by this helm's own will."""
        self._own = True
        self.world.unschedule(item)
        self._own = False

    def let_happen(self, item: Item) -> None:
        """What was held happens next."""
        self.world.schedule(item, 0)

    def _let_go(self, item: Item) -> None:
        del self._held[item]
        if item.foreground:
            self.world.pending -= 1

    def _release(self, front: Item) -> bool:
        """Let go what waited for something that has happened, or has waited too long.

        What a step holds goes before what merely stands behind it in a queue.
        """
        found = self._released() or self._behind() or self._impatient(front)
        if found is not None:
            self.let_happen(found)
        return found is not None

    def _released(self) -> Item | None:
        for item, (until, _) in self._held.items():
            if until != QUEUE and self.has_happened(until):
                return item
        return None

    def _behind(self) -> Item | None:
        for item, (until, _) in self._held.items():
            if until == QUEUE and item.enabled():
                return item
        return None

    def _impatient(self, front: Item) -> Item | None:
        for item, (until, since) in self._held.items():
            if until not in (END, QUEUE) and since + PATIENCE_US < front.due:
                return item
        return None
