"""The short way of a frame through the judge: written and arrived at once, and well-formed.

Nearly all frames of a log go this way. What is to be done for a frame depends on its type
and on which end wrote it, and is found out once for both: what changes in the view, which
oracles want to hear of it. No event is made that nobody wants.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import attrs

from sim.check.course import Course, Link
from sim.check.oracles import Broken, Heard, Oracles
from sim.check.protocols import Judged
from sim.core.event import FrameDelivered, FrameSent
from sim.core.invariant import Invariant

Fold: TypeAlias = Callable[[Any, Any, int], None]
Take: TypeAlias = Callable[[int, Link, "Route", Any], None]


@attrs.define(eq=False)
class Route:
    """What is to be done for the frames of one type that one end writes.

    ``written`` and ``arrived`` change the view; ``first`` hear of the first frame of its end,
    ``alerted`` of others if an oracle waits for one, ``later`` else, ``at_arrival`` when it
    has come. ``calm`` are those of ``later``
    that have something to ask of a calm frame, too; ``calm_frames`` are still to be counted
    by ``counted``, which would have said nothing but that it was an occasion. ``greets``: it
    may begin a connection.
    """

    type: str
    by_client: bool
    greets: bool
    written: Fold | None
    arrived: Fold | None
    first: Heard
    alerted: Heard
    later: Heard
    at_arrival: Heard
    calm: Heard | None = None
    counted: tuple[Invariant, ...] = ()
    calm_frames: int = 0

    def count(self) -> None:
        """Let the oracles that were not asked count their occasions."""
        for owner in self.counted:
            owner.exercised += self.calm_frames
        self.calm_frames = 0


class Routes(dict[Any, "Route | None"]):
    """By the class that a frame was read as: its route, if one end writes it.

    Each is found out at its first use; None for frames of all other kinds, which take the
    long way.
    """

    def __init__(self, protocol: Judged, oracles: Oracles, by_client: bool) -> None:
        super().__init__()
        self._protocol = protocol
        self._oracles = oracles
        self._by_client = by_client

    def __missing__(self, cls: type[Any]) -> Route | None:
        kind = self._protocol.swift().kinds.get(cls, "")
        is_his = kind and self._protocol.wrong_way.get(kind) is not self._by_client
        self[cls] = found = self._route(kind) if is_his else None
        return found

    def _route(self, kind: str) -> Route:
        oracles, end = self._oracles, "client" if self._by_client else "server"
        written, arrived = oracles.view.folds(kind, self._by_client)
        mine = tuple(one for one in oracles.of_sent(kind) if one[1].WRITER in ("", end))
        alerted = tuple(one for one in mine if not one[1].ONLY_FIRST)
        later = tuple(one for one in alerted if not one[1].ON_ALERT)
        greets = kind == self._protocol.greeting
        at_arrival = oracles.of_delivered(kind)
        route = Route(
            kind, self._by_client, greets, written, arrived, mine, alerted, later, at_arrival
        )
        quiet = [one for _, one in later if one.IN_CALM is not None]
        if quiet:
            route.calm = tuple(one for one in later if one[1].IN_CALM is None)
            route.counted = tuple(one for one in quiet if one.IN_CALM)
        return route


class NoRoutes(dict[Any, None]):
    """Where all frames take the long way."""

    def __missing__(self, cls: type[Any]) -> None:
        return None


def short_way(course: Course, oracles: Oracles, broken: Broken) -> Take:
    """The function that takes a frame (µs, connection, route, frame) through view and oracles."""
    return _asking(course, oracles.view, broken) if oracles.invariants else _counting(course)


def _asking(course: Course, view: Any, broken: Broken) -> Take:
    arrive = _arrival(course, view, broken)

    def take(at_us: int, link: Link, route: Route, frame: Any) -> None:
        if at_us < course.now:
            at_us = course.now
        course.now = link.last = view.now = at_us
        n, body = course.n, frame.body
        course.n = n + 2
        if route.by_client:
            nth = link.up = link.up + 1
            sender, receiver = link.client, link.server
        else:
            nth = link.down = link.down + 1
            sender, receiver = link.server, link.client
        seen = link.seen
        view.link, view.said, view.is_calm = seen, body, False
        if route.written is not None:
            route.written(seen, body, n)
        if nth == 1 or seen.alerts:
            heard = route.first if nth == 1 else route.alerted
        elif view.is_calm and route.calm is not None:
            heard = route.calm
            route.calm_frames += 1
        else:
            heard = route.later
        event = FrameSent(n, at_us, -1, link.name, sender, receiver, nth, frame)
        for handler, owner in heard:
            if (fault := handler(event)) is not None:
                course.link = link.name
                broken(owner, n, fault)
        if route.arrived is not None:
            route.arrived(seen, body, n + 1)
        if route.at_arrival:
            arrive(event, route, body)

    return take


def _arrival(course: Course, view: Any, broken: Broken) -> Callable[[FrameSent, Route, Any], None]:
    """The function that tells oracles that a frame has come."""

    def arrive(sent: FrameSent, route: Route, body: Any) -> None:
        n, link = sent.n + 1, sent.link
        view.arrived = body
        event = FrameDelivered(n, sent.at, -1, link, sent.sender, sent.receiver, sent.n, route.type)
        for handler, owner in route.at_arrival:
            if (fault := handler(event)) is not None:
                course.link = link
                broken(owner, n, fault)

    return arrive


def _counting(course: Course) -> Take:
    """Where only the form of frames is judged."""

    def take(at_us: int, link: Link, route: Route, frame: Any) -> None:
        if at_us > course.now:
            course.now = at_us
        link.last = course.now
        course.n += 2
        if route.by_client:
            link.up += 1
        else:
            link.down += 1

    return take
