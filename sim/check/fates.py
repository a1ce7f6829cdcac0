"""What befell each frame of a direction, as the faults that let it befall again.

A frame takes as long as its way does, unless a fault says otherwise. Where it came later in
the log, and its receiver did something else meanwhile, it has to come later again.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from sim.check.latency import Ways
from sim.check.seen import SeenConn, SeenFrame
from sim.check.timeline import Business, Timeline

OPENERS = {"hold": "release", "cut": "heal"}


@attrs.frozen
class Fate:
    """The faults of a frame: how much later it comes (µs), whether it is lost, and how long
    after it each of its copies is made (µs)."""

    delay_us: int = 0
    is_lost: bool = False
    copies_us: tuple[int, ...] = ()

    def faults(self, name: str) -> Iterator[str]:
        """As a scenario writes them. ``name`` is the frame's: ``D.slack#1 D>S 3``."""
        if self.delay_us:
            yield f"delay {name} {self.delay_us}us"
        if self.is_lost:
            yield f"lose {name}"
        for after_us in self.copies_us:
            yield f"duplicate {name}" + (f" {after_us}us" if after_us else "")


def fates_of(
    conn: SeenConn, up: bool, ways: Ways, times: Timeline, business: Business
) -> Iterator[tuple[SeenFrame, Fate]]:
    """Each frame of a direction with its fate."""
    gates = list(_gates(conn, up, times))
    takes, last = ways.of(up), 0
    for frame in (one for one in conn.frames if one.up is up):
        if frame.is_lost:
            yield frame, Fate(is_lost=True)
            continue
        due = max(times.of(frame.sent) + takes, last)
        arrivals = [times.of(moment) for moment in frame.arrivals]
        delay_us = frame.delayed_us
        if arrivals:
            comes = _gated(due, gates)
            late = delay_us or business.is_disturbed(conn, up, comes, arrivals[0])
            delay_us = arrivals[0] - due if late and arrivals[0] > comes else 0
        last = due + delay_us
        yield frame, Fate(delay_us, False, tuple(max(at - last - takes, 0) for at in arrivals[1:]))


def _gates(conn: SeenConn, up: bool, times: Timeline) -> Iterator[tuple[int, int]]:
    """(from, until) when nothing passes, because it is held or the connection is half-open."""
    waits_for, since = "", 0
    for fault in conn.faults:
        if fault.up not in (up, None):
            continue
        if fault.verb == waits_for:
            yield since, times.of(fault.moment)
            waits_for = ""
        elif not waits_for and (fault.verb == "hold" or fault.is_silent_cut):
            waits_for, since = OPENERS[fault.verb], times.of(fault.moment)


def _gated(due: int, gates: list[tuple[int, int]]) -> int:
    """When a frame comes that would come at ``due``."""
    for since, until in gates:
        if since <= due < until:
            due = until
    return due
