"""What the three drivers have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from sim.world.world import World


def never() -> bool:
    """The stop condition of a run that goes on until nothing is pending."""
    return False


class Driver(Protocol):
    """Moves the handlers of one world; the world itself moves nothing."""

    @property
    def world(self) -> World:
        """The world that is driven."""

    def run(self, until: Callable[[], bool] = never, *, limit_us: int | None = None) -> None:
        """Earliest first, until ``until()``, ``limit_us`` or nothing is left.

        ``until`` is asked after each step, when no handler can go on. With a
        limit (virtual µs), virtual time ends exactly there unless ``until``
        ended the run before. May be called again to go on. What a handler
        raises is raised here as it is; the trace up to then stays readable.
        """
