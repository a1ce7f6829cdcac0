"""The scene at any step: snapshots every 1,000 events, folded on from the nearest.

Where the file has snapshots the first far jump costs no more than a near one;
where it has none (an old trace) they are made on the way.
"""

from __future__ import annotations

from copy import deepcopy

from sim.view.scene import EVERY, Scene
from sim.view.tracefile import TraceFile

FAR = 20 * EVERY
"""Events that may be folded in one go where nobody wants to wait."""


class Seeker:
    """Gives the scene after each step of one trace."""

    def __init__(self, trace: TraceFile, every: int = EVERY) -> None:
        self.trace = trace
        self.every = every
        self._kept: dict[int, Scene] = {0: Scene()}
        self._scene = Scene()

    def at(self, n: int) -> Scene:
        """The scene when event ``n`` has happened (-1: before the first). Do not change it.

        Raises IndexError behind the end of the trace, TraceError for a damaged line.
        """
        if n >= self.trace.count:
            raise IndexError(f"step {n}: the trace has steps 0 to {self.trace.count - 1}")
        steps = n + 1
        if not self._scene.steps <= steps < self._scene.steps + self.every:
            self._scene = self._start_for(steps)
        scene = self._scene
        while scene.steps < steps:
            scene.on(self.trace.event(scene.steps))
            if scene.steps % self.every == 0 and scene.steps not in self._kept:
                self._kept[scene.steps] = deepcopy(scene)
        return scene

    def cost(self, n: int) -> int:
        """How many events :meth:`at` would have to fold now."""
        near = self._scene.steps if self._scene.steps <= n + 1 else 0
        return n + 1 - max(near, self._nearest(n + 1).steps)

    def _start_for(self, steps: int) -> Scene:
        """A scene of its own at or before ``steps``, as near as there is one."""
        nearest = self._nearest(steps)
        if self._scene.steps <= steps and nearest.steps <= self._scene.steps:
            return self._scene
        return deepcopy(nearest)

    def _nearest(self, steps: int) -> Scene:
        wanted = steps - steps % self.every
        known = self._kept.get(wanted)
        if known is None:
            known = self._from_file(steps)
        if known is None:
            known = self._kept[max(kept for kept in self._kept if kept <= steps)]
        return known

    def _from_file(self, steps: int) -> Scene | None:
        found = self.trace.snapshot_before(steps)
        if found is None:
            return None
        try:
            scene = Scene.from_json(found[1])
        except (KeyError, TypeError, ValueError):
            return None  # a damaged snapshot: fold instead
        if scene.steps > steps:
            return None
        self._kept[scene.steps] = scene
        return scene
