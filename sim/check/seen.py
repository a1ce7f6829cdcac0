"""What a log holds, kept instead of judged: connections and frames with their times."""

from __future__ import annotations

from itertools import islice
from typing import Any, NamedTuple

import attrs

from sim.check.protocols import Judged, judged
from sim.wire.result import ParseResult


class Moment(NamedTuple):
    """When something happened: the place in the log, which no other has, and its time (µs)."""

    order: int
    at: int


NEVER = Moment(-1, -1)


@attrs.define(eq=False)
class SeenFrame:
    """A frame: ``at`` is the time of the log (µs), ``order`` its place in it.

    ``arrivals`` (of copies, too) and ``lost`` (how often) are what became of it, where the
    log tells of that (``is_followed``). ``delayed_us``: by how much a fault has held it up.
    """

    at: int
    order: int
    up: bool
    text: str
    type: str
    arrivals: list[Moment] = attrs.field(factory=list)
    lost: int = 0
    delayed_us: int = 0
    is_followed: bool = False

    @property
    def sent(self) -> Moment:
        """When it was written."""
        return Moment(self.order, self.at)

    @property
    def is_lost(self) -> bool:
        """Whether no copy of it has arrived, or can have."""
        return not self.arrivals and self.lost > 0


@attrs.frozen
class SeenFault:
    """A fault that a recording tells of. ``up``: on the client's way; None: on both."""

    at: int
    order: int
    verb: str
    words: tuple[str, ...]
    up: bool | None = None

    @property
    def moment(self) -> Moment:
        """When it struck."""
        return Moment(self.order, self.at)

    @property
    def is_silent_cut(self) -> bool:
        """Whether the connection is half-open from then on."""
        return self.verb == "cut" and self.words[-1:] == ("silent",)


@attrs.define(eq=False)
class SeenConn:
    """A connection with its frames. ``closed`` is NEVER where the log does not say;
    ``closed_by`` is the client, the server, "network", or "" for nobody knows.

    ``faults`` are those that struck it as a whole.
    """

    name: str
    client: str
    lane: str
    opened: Moment
    server: str = ""
    frames: list[SeenFrame] = attrs.field(factory=list)
    closed: Moment = NEVER
    closed_by: str = ""
    closed_code: int = 1006
    closed_reason: str = ""
    faults: list[SeenFault] = attrs.field(factory=list)

    @property
    def begins(self) -> Moment:
        """When it is known to be there; logs that tell of frames alone know it by the first."""
        first = self.frames[0].sent if self.frames else self.opened
        return first if first.at == self.opened.at else self.opened

    @property
    def is_over(self) -> bool:
        """Whether the log tells of its end."""
        return self.closed is not NEVER


@attrs.define(eq=False)
class _Open:
    """What a feed must know of a connection, and notes of it."""

    lane: str
    line: int = 0


class Seen:
    """Takes what a judge would be told."""

    def __init__(self, protocol: str = "hook") -> None:
        self.protocol: Judged = judged(protocol)
        self.findings: list[Any] = []
        self.links: dict[str, _Open] = {}
        self.conns: list[SeenConn] = []
        self.others: list[str] = []  # in words: what is told of no open connection
        self._open: dict[str, SeenConn] = {}
        self._sent: dict[int, SeenFrame] = {}
        self._count = 0

    def _now(self, at_us: int) -> Moment:
        self._count += 1
        return Moment(self._count, at_us)

    def opened(self, at_us: int, conn: str, client: str, server: str, lane: str = "") -> None:
        """A connection."""
        self.closed(at_us, conn)
        self.links[conn] = _Open(lane)
        made = self._open[conn] = SeenConn(conn, client, lane, self._now(at_us), server)
        self.conns.append(made)

    def closed(
        self, at_us: int, conn: str, by: str = "", code: int = 1006, reason: str = ""
    ) -> None:
        """A connection is over."""
        self.links.pop(conn, None)
        gone = self._open.pop(conn, None)
        if gone is not None:
            gone.closed, gone.closed_by = self._now(at_us), by
            gone.closed_code, gone.closed_reason = code, reason

    def learn_lane(self, conn: str, lane: str) -> None:
        """Which channel a connection is for."""
        self.links[conn].lane = lane
        self._open[conn].lane = lane

    def passed(
        self,
        at_us: int,
        conn: str,
        by_client: bool,
        text: str,
        verdict: ParseResult | None = None,
    ) -> int:
        """A frame."""
        number = self._now(at_us).order
        message = (self.protocol.parse(text) if verdict is None else verdict).message
        kind = "" if message is None else message.type
        frame = SeenFrame(at_us, number, by_client, text, kind)
        self._open[conn].frames.append(frame)
        self._sent[number] = frame
        return number

    def sent(self, at_us: int, conn: str, by_client: bool, text: str) -> int:
        """A frame of a trace, which tells of its arrival too."""
        number = self.passed(at_us, conn, by_client, text)
        self._sent[number].is_followed = True
        return number

    def finish(self, passed_over: int = 0) -> None:
        """Nothing more comes: what has not arrived on a connection that is over, never will."""
        for frame in (frame for conn in self.conns if conn.is_over for frame in conn.frames):
            if frame.is_followed and not frame.arrivals:
                frame.lost = max(frame.lost, 1)
        if passed_over:
            self.others.append(f"{passed_over} frames that were written on closed connections")

    def delivered(self, at_us: int, conn: str, sent: int) -> None:
        """A frame, or a copy of it, has arrived."""
        frame = self._sent.get(sent)
        if frame is not None:
            frame.arrivals.append(self._now(at_us))

    def lost(self, at_us: int, conn: str, sent: int, why: str = "lost") -> None:
        """A frame, or a copy of it, was lost."""
        frame = self._sent.get(sent)
        if frame is not None:
            frame.lost += 1

    def duplicated(self, at_us: int, conn: str, sent: int) -> None:
        """Its copies are told when they arrive."""

    def struck(self, at_us: int, fault: str) -> None:
        """A fault, as schedules name it."""
        verb, *words = fault.split()
        conn = next((one for one in reversed(self.conns) if words and one.name == words[0]), None)
        if conn is None or verb not in KNOWN_FAULTS:
            self.others.append(f"the fault {fault}")
            return
        up = None
        if len(words) > 1 and ">" in words[1]:
            up = words[1].partition(">")[0] == conn.client
        if len(words) < 3 or verb not in ("lose", "duplicate", "delay"):
            order, at = self._now(at_us)
            conn.faults.append(SeenFault(at, order, verb, tuple(words), up))
            return
        if verb == "delay" and words[-1] != words[2] and "again" not in words:
            nth, late = words[2], words[-1].removesuffix("us")
            if nth.isdigit() and late.isdigit():
                frames = (frame for frame in conn.frames if frame.up is up)
                for frame in islice(frames, int(nth) - 1, int(nth)):
                    frame.delayed_us += int(late)


KNOWN_FAULTS = ("lose", "duplicate", "delay", "cut", "heal", "hold", "release")
