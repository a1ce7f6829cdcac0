"""Which simulated host is running right now, if any.

Frame builders (``make_hello`` …) fill in ids and times. Inside a simulation
these must come from the run's seed and the host's clock; outside from the
real ones. A context variable tells which: the driver sets it while a host's
code runs, and tasks that a Trio host starts inherit it.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Protocol

from sim.core import entropy


class Ambient(Protocol):
    """What a running host offers to code that does not hold its port."""

    def now_ms(self) -> int:
        """Unix milliseconds on the host's own (perhaps skewed) clock."""

    def new_frame_id(self) -> str:
        """An id for a frame, unique in the run."""

    def new_id(self) -> str:
        """A collision-resistant id (UUID v4 form) for requests and sessions."""


class _Outside:
    """Not in a simulation: the real clock and real entropy."""

    def now_ms(self) -> int:
        return entropy.wall_ms()

    def new_frame_id(self) -> str:
        return entropy.real_uuid4()

    def new_id(self) -> str:
        return entropy.real_uuid4()


OUTSIDE: Ambient = _Outside()
HOST: ContextVar[Ambient] = ContextVar("hooktwin_host", default=OUTSIDE)
