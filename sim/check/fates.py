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


@attrs.define(eq=False)
class Fate:
    """What befalls a frame, in the words of a scenario without the frame's name: with the
    act that says it (``now``), or at a time of its own (µs)."""

    frame: SeenFrame
    now: list[tuple[str, int]] = attrs.field(factory=list)
    later: list[tuple[int, str, int]] = attrs.field(factory=list)


@attrs.define(eq=False)
class _Put:
    """A frame, or a copy of it, that joins those on the way at ``at``, and arrives at
    ``arrives`` (-1: never)."""

    at: int
    place: int
    fate: Fate
    arrives: int = -1
    is_copy: bool = False


class Direction:
    """One way of a connection, as a stream that keeps its order.

    Follows when each frame would come by itself; where the log had it come later, and that
    is to be seen, a fault holds it up.
    """

    def __init__(
        self, conn: SeenConn, up: bool, ways: Ways, times: Timeline, business: Business
    ) -> None:
        self._conn = conn
        self._up = up
        self._takes = ways.of(up)
        self._times = times
        self._business = business
        self._gates = list(_gates(conn, up, times))
        self._last = 0
        self._due: dict[int, int] = {}  # by place: when a frame would come if nothing held it

    def fates(self) -> list[Fate]:
        """The fate of each frame, in order."""
        frames = [frame for frame in self._conn.frames if frame.up is self._up]
        fates = [Fate(frame) for frame in frames]
        for put in sorted(self._puts(fates), key=lambda one: (one.at, one.is_copy)):
            self._join(put)
        return fates

    def _puts(self, fates: list[Fate]) -> Iterator[_Put]:
        of = self._times.of
        for place, fate in enumerate(fates):
            sent, arrivals = of(fate.frame.sent), [of(one) for one in fate.frame.arrivals]
            yield _Put(sent, place, fate, arrivals[0] if arrivals else -1)
            for arrives in arrivals[1:]:
                at = self._joins(sent, arrives, fates[place + 1 :])
                yield _Put(at, place, fate, arrives, is_copy=True)

    def _joins(self, sent: int, arrives: int, behind: list[Fate]) -> int:
        """When a copy was made: after those that came before it, before the others."""
        least, most = sent, arrives - self._takes
        for fate in behind:
            if fate.frame.arrivals:
                came = self._times.of(fate.frame.arrivals[0])
                said = self._times.of(fate.frame.sent)
                if came > arrives:
                    most = min(most, said - 1)
                    break
                least = said + 1
        return max(most, least)

    def _join(self, put: _Put) -> None:
        frame = put.fate.frame
        due = max(put.at + self._takes, self._last)
        if frame.is_lost:
            put.fate.now.append(("lose", 0))
            return
        late_us = frame.delayed_us
        if put.arrives >= 0:
            comes = _gated(due, self._gates)
            is_late = bool(late_us) and not put.is_copy
            is_late |= self._business.is_disturbed(self._conn, self._up, comes, put.arrives)
            late_us = put.arrives - due if is_late and put.arrives > comes else 0
        self._last = due + late_us
        if put.is_copy:
            self._copy(put, late_us)
        else:
            self._due[put.place] = self._last
            if late_us:
                put.fate.now.append(("delay", late_us))

    def _copy(self, put: _Put, late_us: int) -> None:
        """While its frame is on the way it is copied there, else some time after that came."""
        after_us = put.at - self._due[put.place]
        is_later = put.at > self._times.of(put.fate.frame.sent)
        if is_later and after_us >= 0:
            put.fate.now.append(("duplicate", max(after_us, 1)))
            return
        strikes = [("duplicate", 0), *([("delay again", late_us)] if late_us else [])]
        if is_later:
            put.fate.later += [(put.at, verb, by_us) for verb, by_us in strikes]
        else:
            put.fate.now += strikes


def strike(what: str, name: str, by_us: int) -> str:
    """A fault as a scenario writes it: ``delay D.slack#1 D>S 3 again 5us``."""
    verb, _, which = what.partition(" ")
    return " ".join(filter(None, (verb, name, which, f"{by_us}us" if by_us else "")))


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
