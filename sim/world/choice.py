"""Choices have names, not indices: a saved schedule survives unrelated changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from sim.world.activity import Activity
    from sim.world.item import Item


@attrs.frozen(eq=False)
class Choice:
    """One step that is possible now: a pending item, or a handler that can go on."""

    item: Item | None = None
    activity: Activity | None = None

    @property
    def name(self) -> str:
        """What a schedule stores: ``deliver D.slack#2 D>S 14``."""
        if self.item is not None:
            return self.item.name()
        assert self.activity is not None
        return f"resume {self.activity.host.name} {self.activity.name}"
