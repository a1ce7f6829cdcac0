"""Threads of the director: generators that ask to be woken.

A thread is one sequential reading of the diagram (each branch of a block is one).
What it yields says when it goes on; it goes on in a moment of its own, behind
everything else of that instant, so that what it does next is a step of the
run with a name (``line 12``) and lands in the same place when the run is
written down with times instead of arrows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    from sim.scenario.playing.expectation import Expectation

PATIENCE_US = 60_000_000


class BreakReached(Exception):
    """A ``break`` block ended: the run is over."""


class BranchVoid(Exception):
    """This branch of an alternative cannot match any more."""


@attrs.frozen
class Until:
    """Go on at this virtual time (µs); now or earlier means: in the next moment."""

    moment_us: int


@attrs.frozen
class Settled:
    """Go on when nothing is pending but heartbeats and time limits. → whether it came."""


@attrs.frozen
class Arrives:
    """Go on when the expectation is met, or has failed. → whether it was met."""

    expectation: Expectation


@attrs.frozen
class Poll:
    """Go on when ``ready()``; asked after each step, for at most 60 s. → whether it was."""

    ready: Callable[[], bool]


@attrs.frozen
class Joined:
    """Go on when all these threads have ended."""

    threads: tuple[Thread, ...]


Request = Until | Settled | Arrives | Poll | Joined
Steps = Iterator[Any]


@attrs.define(eq=False)
class Thread:
    """``mark`` is the event number of the last arrow's sending or act; ``line`` the present one.

    ``void``: it was given up. ``expected`` are all its arrows so far, ``parts``
    the threads that it waits for; ``on_end`` is called once, when it ends.
    """

    steps: Any
    mark: int = -1
    line: int = 0
    ended: bool = False
    void: bool = False
    waits_for: Request | None = None
    expected: list[Expectation] = attrs.Factory(list)
    parts: tuple[Thread, ...] = ()
    on_end: Callable[[], None] | None = None

    def living(self) -> Iterator[Thread]:
        """This thread and those that it waits for, as far as they have not ended."""
        if not self.ended:
            yield self
            for part in self.parts:
                yield from part.living()
