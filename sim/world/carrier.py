"""What may stand between the moment when something is due and its arrival."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sim.world.dial import DialRequest
    from sim.world.link import CloseFlight, FrameFlight


class Carrier(Protocol):
    """Takes over what is due on connections, and calls its ``arrive`` when it is there.

    A world without one lets everything arrive at once. ``world.cause`` is that
    of the flight when it is handed over, and has to be when it arrives.
    """

    def connect(self, dial: DialRequest) -> None:
        """Make the connection; then ``dial.arrive``, or ``dial.refuse``."""

    def carry(self, frame: FrameFlight) -> None:
        """Bring the frame to the other end; then ``arrive`` with what was read, or ``lost``."""

    def close(self, close: CloseFlight) -> None:
        """Let the other end know that it is over; then ``arrive``."""
