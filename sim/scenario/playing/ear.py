"""What a protocol says without frames: requests, answers, facts that hosts tell.

Where peers speak over HTTP, or through calls of one another, nothing is framed. An *ear*
turns events of such a run into sayings, which arrows name as they name frames: a request
when it sets out, an answer when it is there, a fact of one host as an arrow from its
lifeline to itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import attrs

from sim.core.event import Event


@attrs.frozen
class Spoken:
    """A saying as far as its words go: its name, and what there is to say of it.

    ``source`` is the request or answer that says it, where there is one.
    """

    type: str
    wire: Mapping[str, Any]
    source: Any = None

    def is_from(self, other: Any) -> bool:
        """Whether both are said by the same request, or the same answer."""
        return self.source is not None and self.source is getattr(other, "source", None)


@attrs.frozen(eq=False)
class Said:
    """One saying. ``n``, ``at`` and ``cause`` are those of the event that tells it; an event
    may tell several (``index`` counts them).

    ``place`` is the event with which it set out, -1 where that is the same: an answer sets
    out before it is there. ``is_plain``: nobody misses it in a diagram that leaves it out.
    ``call``: the number of the request that it is, -1 for anything else.
    """

    n: int
    at: int
    cause: int
    sender: str
    receiver: str
    frame: Spoken
    index: int = 0
    place: int = -1
    is_plain: bool = False
    call: int = -1

    @property
    def is_local(self) -> bool:
        """Whether it is a fact of one host: it may be noticed later than it came about."""
        return self.sender == self.receiver

    def is_behind(self, mark: int) -> bool:
        """Whether it came after the arrow that has this mark."""
        place = self.n if self.place < 0 else self.place
        return self.is_local or place > mark or (place == mark and self.index > 0)


class Ear(Protocol):
    """What a stage lends to the lookout."""

    @property
    def kinds(self) -> tuple[type[Event], ...]:
        """The classes of events that may tell something."""

    def heard(self, event: Event, /) -> Iterable[Said]:
        """What an event tells. It is asked once for each event, in order."""
