"""Timers and pauses of hosts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sim.core.event import TimerFired
from sim.core.op import NO_ANSWER
from sim.world.item import Item

if TYPE_CHECKING:
    from sim.world.activity import Activity
    from sim.world.host import Host
    from sim.world.world import World

# A retry planned further ahead than this does not keep a run from settling.
SETTLE_HORIZON_US = 60_000_000


class TimerItem(Item):
    """The host's timer ``(kind, key)``."""

    __slots__ = ("host", "key")

    def __init__(self, host: Host, key: tuple[str, str], foreground: bool) -> None:
        self.due = 0
        self.seq = self.cause = -1
        self.foreground = foreground
        self.host = host
        self.key = key

    def fire(self, world: World) -> None:
        host = self.host
        if host.asleep_until > world.now:
            world.schedule(self, host.asleep_until)
            return
        del host.timers[self.key]
        kind, key = self.key
        n = len(world.events)
        world.record(TimerFired(n, world.now, world.cause, host.name, kind, key))
        world.tell_timer(host, kind, key, n)

    def name(self) -> str:
        return f"fire {self.host.name} {self.key[0]} {self.key[1]}".rstrip()

    def alias(self, symbol: Callable[[str, str], str]) -> str:
        kind, key = self.key
        return f"fire {self.host.name} {kind} {symbol(f'{self.host.name} {kind}', key)}"


class Pause(Item):
    """The end of a handler's Sleep."""

    __slots__ = ("activity",)

    def __init__(self, activity: Activity, foreground: bool) -> None:
        super().__init__(foreground)
        self.activity = activity

    def fire(self, world: World) -> None:
        host = self.activity.host
        if world.asleep(host):
            world.schedule(self, host.asleep_until)
            return
        self.goes_on(world)

    def goes_on(self, world: World) -> None:
        """The handler has paused long enough."""
        world.resume(self.activity, None)

    def name(self) -> str:
        return f"wake {self.activity.host.name} {self.activity.name}"

    def alias(self, symbol: Callable[[str, str], str]) -> str:
        return f"wake {self.activity.alias(symbol)}"


class WaitLimit(Item):
    """The time-out of a Wait."""

    __slots__ = ("host", "key")

    def __init__(self, host: Host, key: str) -> None:
        super().__init__(foreground=False)
        self.host = host
        self.key = key

    def fire(self, world: World) -> None:
        host = self.host
        if world.asleep(host):
            world.schedule(self, host.asleep_until)
            return
        # A wake or a crash takes this item out of the plan, so the wait is there.
        assert host.waits is not None
        activity, _ = host.waits.pop(self.key)
        world.resume(activity, NO_ANSWER)

    def name(self) -> str:
        return f"give up {self.host.name} {self.key}"

    def alias(self, symbol: Callable[[str, str], str]) -> str:
        return f"give up {self.host.name} {symbol(f'{self.host.name} wait', self.key)}"
