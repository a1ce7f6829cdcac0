"""What the document demands, and what shows that somebody watches it."""

from __future__ import annotations

from typing import Any

from sim.protocols.bell.build import make_knock, make_open
from sim.protocols.bell.parse import parse_bell_message
from sim.protocols.bell.view import BellView

from sim.core.event import FrameSent
from sim.protocols.catalogue import FrameCheck, Row, Told
from sim.protocols.handmade import Handmade

ROWS: dict[str, Row] = {
    "BL-01": Row("BL-01", "§1", "door", "A door answers each knock.", "A guest waits in the rain."),
}
GOOD = make_knock(knockId="k-1").wire
BAD = {**GOOD, "payload": {"knockId": ""}}
CHECKS = (FrameCheck("BL-01", "knock", "knock.knockId", GOOD, BAD, parse_bell_message),)
SHOWN: dict[str, tuple[str, ...]] = {"knock-knock": ("BL-01",)}
BROKEN_BY: dict[str, tuple[str, int]] = {"answer-knocks": ("knock-knock", 1)}


class Tale(Handmade):
    """A guest G in front of a door D."""

    CALM_S = 60.0
    LAST = "D"

    def __init__(self, invariant: type[Any]) -> None:
        super().__init__(BellView(), invariant, ("D", "G"))

    def says(self, sender: str, receiver: str, frame: Any) -> None:
        """A frame on their one connection."""
        self.tell(
            FrameSent, link="G.bell#1", sender=sender, receiver=receiver, nth=self.n, frame=frame
        )


def a_knock_that_nobody_answers(tale: Tale, bad: bool) -> None:
    """The door opens, or it does not."""
    tale.says("G", "D", make_knock(knockId="k-1"))
    if not bad:
        tale.says("D", "G", make_open(knockId="k-1"))


TALES = (Told(("BL-01",), "knocks-are-answered", a_knock_that_nobody_answers, Tale),)
