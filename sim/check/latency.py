"""How long frames take, as far as a log shows it.

A recording tells when each frame has arrived. From any other log it is inferred: nobody
answers what has not reached him yet, so no frame takes longer than the quickest answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import attrs

from sim.check.drawing import Drawing
from sim.check.lines import decoded
from sim.check.seen import SeenConn, SeenFrame
from sim.check.timeline import Timeline

DIAL_US: Final = 10_000
DEFAULT_US: Final = 1_000
LEAST_US: Final = 1
"""A frame that takes no time at all could not be lost any more: a fault strikes in flight."""
LONGEST_US: Final = 2_000_000
"""An answer that took longer says nothing about the way."""


@attrs.frozen
class Ways:
    """How long a frame takes, up and down (µs)."""

    up: int
    down: int

    @property
    def dial(self) -> int:
        """How long before its first frame a connection is dialled."""
        return 2 * (self.up + self.down) + DIAL_US

    def of(self, up: bool) -> int:
        """The time of one way."""
        return self.up if up else self.down


def latencies(conns: Iterable[SeenConn], drawing: Drawing, times: Timeline | None = None) -> Ways:
    """The shortest time on the way, or from a question to its answer, each way."""
    conns = list(conns)
    times = Timeline(conns) if times is None else times
    found: dict[bool, list[int]] = {True: [], False: []}
    for conn in conns:
        followed = [frame for frame in conn.frames if frame.arrivals]
        for frame in followed:
            found[frame.up].append(times.of(frame.arrivals[0]) - times.of(frame.sent))
        if not followed:
            for up, gap_us in _gaps(conn, drawing, times):
                found[up].append(gap_us)
    return Ways(*(max(min(found[way], default=DEFAULT_US), LEAST_US) for way in (True, False)))


def _gaps(conn: SeenConn, drawing: Drawing, times: Timeline) -> Iterator[tuple[bool, int]]:
    """(whether the question went up, how long after it its answer was written)."""
    asked: dict[tuple[bool, str, Any], int] = {}
    named: dict[Any, tuple[bool, int]] = {}
    for frame in conn.frames:
        payload, at = _facts(frame, drawing), times.of(frame.sent)
        question, _, mine = drawing.answers.get(frame.type, ("", "", ""))
        key = (not frame.up, question, payload.get(mine) if mine else None)
        heard = [asked.pop(key, None) if question else None]
        for name in (payload.get(field) for field in drawing.names):
            if isinstance(name, str) and name:
                by_client, since = named.setdefault(name, (frame.up, at))
                heard.append(since if by_client is not frame.up else None)
        gaps = [at - since for since in heard if since is not None]
        yield from ((not frame.up, gap) for gap in gaps if 0 <= gap <= LONGEST_US)
        for answered, (kind, field, _) in drawing.answers.items():
            if kind == frame.type and answered:
                asked.setdefault((frame.up, kind, payload.get(field) if field else None), at)


def _facts(frame: SeenFrame, drawing: Drawing) -> Mapping[str, Any]:
    value = decoded(frame.text)
    return drawing.facts(value) if isinstance(value, dict) else {}
