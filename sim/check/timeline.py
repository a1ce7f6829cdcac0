"""The moments of a log one behind the other, and who does something in between.

In a log several things happen at the same time, one after the other. In a scenario they
need a time of their own each: the order of the log is what the frames are about.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Final

from sim.check.seen import Moment, SeenConn

STEP_US: Final = 2
"""Between two moments there is room for a frame that takes no time."""


class Timeline:
    """``of`` gives the time of a moment: that of the log, or as little later as must be."""

    def __init__(self, conns: Iterable[SeenConn]) -> None:
        self._times: dict[int, int] = {}
        now = 0
        moments = {moment for conn in conns for moment in _moments(conn)}
        for order, at in sorted(moments, key=lambda one: (one.at, one.order)):
            now = max(at, now + STEP_US) if self._times else at
            self._times[order] = now

    def of(self, moment: Moment) -> int:
        """Microseconds, as the log counts them."""
        return self._times[moment.order]


def _moments(conn: SeenConn) -> Iterator[Moment]:
    yield conn.begins
    for frame in conn.frames:
        yield frame.sent
        yield from frame.arrivals
    yield from (fault.moment for fault in conn.faults)
    if conn.is_over:
        yield conn.closed


class Business:
    """What each host does when: it writes a frame, gets one, or a connection changes."""

    def __init__(self, conns: Iterable[SeenConn], times: Timeline) -> None:
        self._done: dict[str, list[tuple[int, str]]] = {}
        for conn in conns:
            for host, moment, what in _deeds(conn):
                self._done.setdefault(host, []).append((times.of(moment), what))
        for deeds in self._done.values():
            deeds.sort()

    def is_disturbed(self, conn: SeenConn, up: bool, after: int, until: int) -> bool:
        """Whether the receiver of a direction does anything else from ``after`` on, and
        before ``until``, than getting frames of this direction."""
        deeds = self._done.get(receiver(conn, up), [])
        own = _way(conn, up)
        for index in range(bisect_left(deeds, (after, "")), len(deeds)):
            at, what = deeds[index]
            if at >= until:
                return False
            if what != own:
                return True
        return False


def receiver(conn: SeenConn, up: bool) -> str:
    """Who gets the frames of a direction; "" is the server."""
    return "" if up else conn.client


def _way(conn: SeenConn, up: bool) -> str:
    return f"{conn.name} {'up' if up else 'down'}"


def _deeds(conn: SeenConn) -> Iterator[tuple[str, Moment, str]]:
    for frame in conn.frames:
        yield receiver(conn, not frame.up), frame.sent, "writes"
        for arrival in frame.arrivals:
            yield receiver(conn, frame.up), arrival, _way(conn, frame.up)
    changes = [fault.moment for fault in conn.faults]
    for moment in (*changes, conn.closed) if conn.is_over else changes:
        yield conn.client, moment, "changes"
        yield "", moment, "changes"
