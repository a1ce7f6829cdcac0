"""Snapshots for the trace writer: the scene every 1,000 events."""

from __future__ import annotations

from typing import Any

from sim.core.event import Event
from sim.view.scene import EVERY, Scene


class SceneSnapshots:
    """Give it to :func:`sim.core.trace.write_trace`; it folds what is written."""

    every = EVERY

    def __init__(self) -> None:
        self._scene = Scene()

    def on(self, event: Event) -> None:
        """An event is written."""
        self._scene.on(event)

    def take(self) -> Any:
        """The scene now, as JSON."""
        return self._scene.to_json()
