"""Who notices if something is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sim.protocols.bell.constants import DOOR, PATIENCE_US
from sim.protocols.bell.view import BellView

from sim.core.event import Event, FrameSent
from sim.core.invariant import Handler, Invariant


class BellInvariant(Invariant):
    """Sees events after the view has folded them."""

    def __init__(self, view: BellView) -> None:
        self.view = view


class KnocksAreAnswered(BellInvariant):
    name = "knocks-are-answered"
    sentence = "A door answers each knock within five seconds."
    catalogue = ("BL-01",)
    obeyed_by = DOOR

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameSent, "knock"): self._knocked}

    def _knocked(self, event: FrameSent) -> str | None:
        self.exercised += 1
        return None

    def at_end(self) -> Iterator[str]:
        for knock, (knocked, answered) in self.view.knocks.items():
            if answered is None or answered - knocked > PATIENCE_US:
                yield f"nobody answered {knock} in time"
