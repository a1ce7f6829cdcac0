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


def named(choices: list[Choice]) -> dict[str, Choice]:
    """The choices under their names; a name's second bearer is called ``name ~2``.

    Two handlers of one host may wait in the same place; canonical order tells
    them apart.
    """
    found: dict[str, Choice] = {}
    bearers: dict[str, int] = {}
    for choice in choices:
        name = choice.name
        bearers[name] = nth = bearers.get(name, 0) + 1
        found[name if nth == 1 else f"{name} ~{nth}"] = choice
    return found
