"""Frames in, findings out: what passes between two programs, judged as it passes.

Whoever sees frames (a proxy, a reader of logs) tells a :class:`FrameJudge` what was
opened, sent, delivered and closed. The judge makes ordinary trace events of it and lets
those invariants see them that need nothing else: not what a host stored, shows or does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from sim.check.course import Course, Link
from sim.check.finding import Finding
from sim.check.oracles import Oracles
from sim.check.passing import NoRoutes, Routes, short_way
from sim.check.protocols import Judged, judged
from sim.check.spoken import spoken_in
from sim.core.errors import UsageError
from sim.core.event import (
    BadFrame,
    ConnectionClosed,
    ConnectionOpened,
    ConnectionRefused,
    Event,
    FaultInjected,
    FrameDelivered,
    FrameLost,
    FrameSent,
    HostStarted,
)
from sim.core.invariant import Invariant
from sim.core.op import OpaqueFrame
from sim.wire.result import Accepted, ParseResult, Refused

__all__ = ["Finding", "FrameJudge"]

_VERDICTS = (Accepted, Refused)
UNCLEAN = 1006
SILENCE_US = 15_000_000
"""How long somebody who still talks may be silent before nothing is expected of him."""


class FrameJudge:
    """Judges the frames of any number of connections, while they pass.

    ``findings`` grows with each call; ``opened_count`` and ``frames`` (by side) count.
    ``foreign`` are refused frames that look like another protocol's, by its name.
    ``events`` are the trace events, unless ``record`` takes each of them instead. ``sides``
    are the kinds of host that are judged (None: all). Times are microseconds, and must not go back.
    """

    def __init__(
        self,
        protocol: str = "hook",
        *,
        sides: frozenset[str] | None = None,
        record: Callable[[Event], None] | None = None,
        keep: bool = True,
        without: frozenset[str] = frozenset(),
    ) -> None:
        """``keep``: events are kept where ``record`` is None; ``without`` are rules that are
        not judged. Raises UsageError for an unknown protocol.
        """
        self.protocol: Judged = judged(protocol)
        self.sides = sides = self.protocol.sides if sides is None else sides
        self.findings: list[Finding] = []
        self.events: list[Event] = []
        self.record = self.events.append if record is None and keep else record
        self.links: dict[str, Link] = {}
        self._oracles = Oracles(self.protocol, sides, without, self._broken)
        self.view: Any = self._oracles.view
        self.opened_count = 0
        self.foreign: Counter[str] = Counter()
        self._run = Course()
        self._closed: Counter[str] = Counter()
        self._hosts: dict[str, None] = {}
        self._bad: dict[int, FrameSent] = {}
        self._flying: dict[int, FrameSent] = {}
        self._copies: dict[int, int] = {}
        self._parse = self.protocol.parse
        # Where no trace is made, frames that were read at once need no events.
        self.routes = self._make_routes()
        self.take = short_way(self._run, self._oracles, self._broken)
        self._wrong_way = self.protocol.wrong_way

    # -- what is told ------------------------------------------------------------------

    def opened(self, at_us: int, conn: str, client: str, server: str, lane: str = "") -> None:
        """A connection. ``lane`` "" is not known; rules about lanes are silent then."""
        self.closed(at_us, conn)
        at = self._at(at_us)
        for host in (client, server):
            if host not in self._hosts:
                self._hosts[host] = None
                self._tell(HostStarted(self._run.n, at, -1, host, 1))
        side = self.protocol.side_of(lane)
        link = self.links[conn] = Link(conn, client, server, lane, side, last=at)
        self._run.link = conn
        self.opened_count += 1
        self._tell(ConnectionOpened(self._run.n, at, -1, conn, client, server, lane))
        link.seen = self.protocol.seen_of(self.view, conn)

    def sent(self, at_us: int, conn: str, by_client: bool, text: str) -> int:
        """A frame was written. → its number, for ``delivered``, ``lost`` and ``duplicated``.

        Raises UsageError for a connection that was not opened.
        """
        event = self._sent(at_us, self._of(conn), by_client, text)
        if event.n not in self._bad:
            self._flying[event.n] = event
        return event.n

    def passed(
        self,
        at_us: int,
        conn: str,
        by_client: bool,
        text: str,
        verdict: ParseResult | None = None,
    ) -> int:
        """A frame was written and has arrived, as far as one can see: ``sent`` and ``delivered``.

        ``verdict`` is the parser's, if it was asked already, or the frame as it was read
        at once. → the number of its FrameSent event. Raises UsageError as ``sent`` does.
        """
        route = self.routes[by_client][type(verdict)]
        if route is not None:
            n = self._run.n
            self.take(at_us, self._of(conn), route, verdict)
            return n
        event = self._sent(at_us, self._of(conn), by_client, text, verdict)
        n = event.n
        if not self._bad:
            self._arrived(at_us, event)
        elif n in self._bad:
            del self._bad[n]
        else:
            self._arrived(at_us, event)
        return n

    def delivered(self, at_us: int, conn: str, sent: int) -> None:
        """The frame numbered ``sent`` has arrived. Says nothing of one that is gone already."""
        if self._bad_arrived(at_us, sent):
            return
        event = self._gone(sent)
        if event is not None:
            self._touch(at_us, conn)
            self._arrived(at_us, event)

    def lost(self, at_us: int, conn: str, sent: int, why: str = "lost") -> None:
        """The frame numbered ``sent`` will never arrive; ``why``: lost, reset, cut or closed."""
        bad = self._bad.pop(sent, None)
        one = self._gone(sent) if bad is None else bad
        if one is not None:
            at = self._touch(at_us, conn)
            event = FrameLost(self._run.n, at, -1, one.link, one.sender, one.receiver, sent,
                              one.frame.type, why)  # fmt: skip
            if bad is None:
                self._tell(event)
            else:
                self._put(event)

    def duplicated(self, at_us: int, conn: str, sent: int) -> None:
        """The frame numbered ``sent``, which is on its way, will arrive once more."""
        one = self._flying.get(sent)
        if one is not None:
            self._copies[sent] = self._copies.get(sent, 0) + 1
            name = f"duplicate {one.link} {one.sender}>{one.receiver} {one.nth}"
            self._tell(FaultInjected(self._run.n, self._touch(at_us, conn), -1, name, one.link))

    def struck(self, at_us: int, fault: str, target: str) -> int:
        """Somebody between the two did something; ``fault`` as a schedule names it.

        → the number of the event.
        """
        n = self._run.n
        self._tell(FaultInjected(n, self._at(at_us), -1, fault, target))
        return n

    def refused(
        self, at_us: int, conn: str, client: str, server: str, lane: str, status: int
    ) -> None:
        """A dial came to nothing. It is only recorded: who dialled cannot be known."""
        self._put(
            ConnectionRefused(self._run.n, self._at(at_us), -1, conn, client, server, lane, status)
        )

    def closed(
        self, at_us: int, conn: str, by: str = "", code: int = UNCLEAN, reason: str = ""
    ) -> None:
        """A connection is over, at both ends. ``by`` is the host that closed it; "": neither."""
        link = self.links.pop(conn, None)
        if link is None:
            return
        self._closed.update(self._counted(link))
        at = self._at(at_us)
        self._run.link = conn
        for host, peer in ((link.client, link.server), (link.server, link.client)):
            self._tell(ConnectionClosed(self._run.n, at, -1, conn, host, peer, code, reason, by))

    def ask(self) -> None:
        """Ask for what never came true until now."""
        self._run.link = ""
        self._oracles.ask(max(self._run.n - 1, 0))

    @property
    def invariants(self) -> list[Invariant]:
        """The oracles, which have counted their occasions until now."""
        for routes in self.routes.values():
            for route in routes.values():
                if route is not None:
                    route.count()
        return self._oracles.invariants

    @property
    def frames(self) -> dict[str, int]:
        """How many frames each side has written."""
        count = Counter(dict.fromkeys(self.protocol.sides, 0))
        count.update(self._closed)
        for link in self.links.values():
            count.update(self._counted(link))
        return dict(count)

    @property
    def n(self) -> int:
        """The number of the next event."""
        return self._run.n

    def finish(self, at_us: int | None = None) -> None:
        """Nothing more will come: ask for what never came true.

        A connection on which nothing passed for ``SILENCE_US`` may have died unseen; of
        those who were on it nothing more is expected.
        """
        now = self._at(self._run.now if at_us is None else at_us)
        for link in list(self.links.values()):
            if now - link.last > SILENCE_US:
                self.closed(now, link.name)
        self.ask()

    def learn_lane(self, conn: str, lane: str) -> None:
        """Which channel a connection is for, as soon as something has shown it."""
        link = self.links.get(conn)
        if link is not None and not link.lane:
            link.lane, link.side = lane, self.protocol.side_of(lane)
            self.protocol.learn_lane(self.view, conn, lane)

    def _make_routes(self) -> dict[bool, Routes | NoRoutes]:
        if self.record is not None:
            return {True: NoRoutes(), False: NoRoutes()}
        return {up: Routes(self.protocol, self._oracles, up) for up in (True, False)}

    # -- events ------------------------------------------------------------------------

    def _sent(
        self,
        at_us: int,
        link: Link,
        by_client: bool,
        text: str,
        verdict: ParseResult | None = None,
    ) -> FrameSent:
        at = link.last = self._at(at_us)
        self._run.link = link.name
        if verdict is None or type(verdict) not in _VERDICTS:
            verdict = self._parse(text)
        if by_client:
            link.up = nth = link.up + 1
            sender, receiver = link.client, link.server
        else:
            link.down = nth = link.down + 1
            sender, receiver = link.server, link.client
        message = verdict.message
        n = self._run.n
        if message is None:
            frame = OpaqueFrame(text, verdict.error or "refused", verdict.path)
            event = FrameSent(n, at, -1, link.name, sender, receiver, nth, frame)
            self._refused(event, by_client, frame)
            return event
        event = FrameSent(n, at, -1, link.name, sender, receiver, nth, message)
        if self._wrong_way.get(message.type) is by_client:
            self._misled(event, by_client)
            return event
        self._run.n = n + 1
        if self.record is not None:
            self.record(event)
        self._oracles.sent(event, verdict)
        return event

    def _arrived(self, at_us: int, one: FrameSent) -> None:
        n = self._run.n
        self._run.n = n + 1
        kind = one.frame.type
        event = FrameDelivered(
            n, self._at(at_us), -1, one.link, one.sender, one.receiver, one.n, kind
        )
        if self.record is not None:
            self.record(event)
        self._oracles.delivered(event)

    def _bad_arrived(self, at_us: int, sent: int) -> bool:
        """Whether it is one that no receiver takes: it is dropped where it arrives."""
        one = self._bad.pop(sent, None)
        if one is None:
            return False
        at, n, frame = self._at(at_us), self._run.n, one.frame
        where = (one.link, one.sender, one.receiver)
        self._put(FrameDelivered(n, at, -1, *where, sent, frame.type))
        if type(frame) is OpaqueFrame:
            self._put(BadFrame(n + 1, at, n, one.link, one.receiver, sent, frame.error, frame.path))
        return True

    def _put(self, event: Event) -> None:
        """Into the trace, and past the oracles."""
        self._run.n = event.n + 1
        if self.record is not None:
            self.record(event)

    def _tell(self, event: Event) -> None:
        self._put(event)
        self._oracles.on(event)

    def _refused(self, event: FrameSent, by_client: bool, frame: OpaqueFrame) -> None:
        """A frame that no receiver takes was not said: the oracles do not hear of it."""
        self._put(event)
        self._bad[event.n] = event
        spoken = spoken_in(frame.text)
        if spoken not in ("", self.protocol.name):
            self.foreign[spoken] += 1
        side = self._side(event.link, by_client)
        if side in self.sides:
            rule, rows = self.protocol.parsed[side]
            rows = self.protocol.rows_of(frame.path, rows)
            self.findings.append(
                Finding(rule, side, frame.error, event.n, event.at, event.link, rows, True,
                        frame.path)
            )  # fmt: skip

    def _misled(self, event: FrameSent, by_client: bool) -> None:
        """A frame that only the other side may send."""
        self._put(event)
        self._bad[event.n] = event
        side = self._side(event.link, by_client)
        if side in self.sides:
            rule, rows = self.protocol.parsed[side]
            text = f"{event.frame.type} is not for a {side} to send"
            self.findings.append(
                Finding(rule, side, text, event.n, event.at, event.link, rows, True)
            )

    def _broken(self, invariant: Invariant, step: int, text: str) -> None:
        self.findings.append(
            Finding(invariant.name, invariant.obeyed_by, text, step, self._run.now,
                    self._run.link, invariant.catalogue)
        )  # fmt: skip

    # -- small questions -----------------------------------------------------------------

    def _side(self, conn: str, by_client: bool) -> str:
        """Who has to obey the rules about a frame that this end has written."""
        return self.links[conn].side if by_client else self.protocol.centre

    def _counted(self, link: Link) -> dict[str, int]:
        return {link.side: link.up, self.protocol.centre: link.down}

    def _of(self, conn: str) -> Link:
        try:
            return self.links[conn]
        except KeyError:
            raise UsageError(f"no connection {conn!r} is open: tell of it with opened()") from None

    def _at(self, at_us: int) -> int:
        if at_us > self._run.now:
            self._run.now = at_us
        return self._run.now

    def _touch(self, at_us: int, conn: str) -> int:
        at = self._at(at_us)
        self._run.link = conn
        link = self.links.get(conn)
        if link is not None:
            link.last = at
        return at

    def _gone(self, sent: int) -> FrameSent | None:
        """One copy of a frame is no longer on its way."""
        copies = self._copies.get(sent, 0)
        if not copies:
            return self._flying.pop(sent, None)
        self._copies[sent] = copies - 1
        if copies == 1:
            del self._copies[sent]
        return self._flying[sent]
