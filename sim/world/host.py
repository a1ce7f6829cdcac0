"""A host: a name, an actor in its present life, a durable store, a clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sim.core.actor import Actor, Port
from sim.core.entropy import Stream
from sim.world.activity import Activity
from sim.world.store import DurableStore

if TYPE_CHECKING:
    from sim.world.item import Item
    from sim.world.world import World

# Virtual runs start here: 2026-01-01T00:00:00Z. Any fixed instant would do.
START_MS = 1_767_225_600_000

ActorFactory = Callable[[Port], Actor]


class Host:
    """Implements :class:`sim.core.actor.Port` and :class:`sim.core.ambient.Ambient`.

    ``epoch`` counts the host's lives from 1; 0 means never started.
    Containers that most hosts never fill are made on first use.
    """

    __slots__ = (
        "_frame_ids",
        "_stream",
        "actor",
        "asleep_until",
        "epoch",
        "factory",
        "kind",
        "latency",
        "locks",
        "name",
        "skew_us",
        "store",
        "timers",
        "up",
        "waiting",
        "waits",
        "world",
    )

    def __init__(
        self,
        world: World,
        name: str,
        kind: str,
        factory: ActorFactory,
        latency: tuple[int, int] | None,
    ) -> None:
        self.world = world
        self.name = name
        self.kind = kind
        self.factory = factory
        self.latency = latency
        self.store = DurableStore()
        self.actor: Actor | None = None
        self.up = False
        self.epoch = 0
        self.skew_us = 0
        self.asleep_until = 0
        self.timers: dict[tuple[str, str], Item] = {}
        self.waiting: dict[Activity, None] | None = None
        # by section: who is inside, then who waits, in order
        self.locks: dict[str, list[Activity]] | None = None
        self.waits: dict[str, tuple[Activity, Item]] | None = None
        self._frame_ids = 0
        self._stream: Stream | None = None

    def now_us(self) -> int:
        """Microseconds since the start of the run."""
        return self.world.now

    def now_ms(self) -> int:
        """Unix milliseconds on this host's clock."""
        return START_MS + (self.world.now + self.skew_us) // 1000

    def new_frame_id(self) -> str:
        """``D-17``: unique in the run, and readable."""
        self._frame_ids += 1
        return f"{self.name}-{self._frame_ids}"

    def new_id(self) -> str:
        """A UUID v4 from the run's seed."""
        return self._entropy().uuid4()

    def draw(self, low: int, high: int) -> int:
        """A random integer from the run's seed."""
        return self._entropy().between(low, high)

    def _entropy(self) -> Stream:
        # Survives crashes: a restarted process must not repeat its ids.
        if self._stream is None:
            self._stream = Stream(self.world.seed, f"host {self.name}")
        return self._stream

    @property
    def one_at_a_time(self) -> bool:
        """Whether its handlers are never interrupted between two ops that need no wait."""
        return self.actor is not None and self.actor.ONE_AT_A_TIME

    def suspend(self, activity: Activity) -> None:
        """Remember a waiting handler, so that a crash can drop it."""
        activity.parked = True
        if self.waiting is None:
            self.waiting = {}
        self.waiting[activity] = None

    def finished(self, activity: Activity) -> None:
        """A handler that had to wait returned."""
        waiting = self.waiting
        if waiting is not None:
            waiting.pop(activity, None)
            if not waiting:
                self.waiting = None  # most hosts are idle: keep no empty table

    def crash(self) -> list[Activity]:
        """Forget everything volatile; gives the handlers that were dropped."""
        self.up = False
        self.actor = None
        self.asleep_until = 0
        dropped = list(self.waiting or ())
        plans = [*self.timers.values(), *(limit for _, limit in (self.waits or {}).values())]
        for item in plans:
            self.world.unschedule(item)
        self.waiting = self.locks = self.waits = None
        self.timers = {}
        return dropped

    def __repr__(self) -> str:
        return f"<host {self.name} {'up' if self.up else 'down'} epoch {self.epoch}>"


def statistics(host: Host) -> dict[str, Any]:
    """A snapshot for people: what the host is doing right now."""
    return {
        "name": host.name,
        "kind": host.kind,
        "up": host.up,
        "epoch": host.epoch,
        "waiting": [a.name for a in host.waiting or ()],
        "timers": [" ".join(key) for key in host.timers],
        "links": [link.name for link in host.world.links_of(host.name)],
    }
