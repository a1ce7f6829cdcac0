"""Frames on their way: what was sent and has not arrived.

What a network duplicates arrives twice.
"""

from __future__ import annotations

from sim.core.event import FaultInjected, FrameDelivered, FrameLost, FrameSent


class Flights:
    """What was sent and has not arrived, by the number of its FrameSent event."""

    __slots__ = ("_copies", "_flying")

    def __init__(self) -> None:
        self._flying: dict[int, FrameSent] = {}
        self._copies: dict[int, int] = {}

    def sent(self, event: FrameSent) -> None:
        """A frame sets out."""
        self._flying[event.n] = event

    def arrived(self, event: FrameDelivered) -> FrameSent | None:
        """Its FrameSent event; None for what was never seen setting out."""
        return self._gone(event.sent)

    def lost(self, event: FrameLost) -> None:
        """One copy of a frame will not arrive."""
        self._gone(event.sent)

    def _gone(self, sent: int) -> FrameSent | None:
        copies = self._copies
        if copies and sent in copies:
            copies[sent] -= 1
            if not copies[sent]:
                del copies[sent]
            return self._flying.get(sent)
        return self._flying.pop(sent, None)

    def fault(self, event: FaultInjected) -> None:
        """``duplicate D.slack#1 D>S 14``: this frame will arrive once more."""
        verb, _, rest = event.fault.partition(" ")
        words = rest.split()
        if verb != "duplicate" or len(words) < 3:
            return
        for n, frame in self._flying.items():
            if (frame.link, str(frame.nth)) == (words[0], words[2]) and words[1].startswith(
                f"{frame.sender}>"
            ):
                self._copies[n] = self._copies.get(n, 0) + 1
