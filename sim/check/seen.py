"""What a log holds, kept instead of judged: connections and frames with their times."""

from __future__ import annotations

from itertools import islice
from typing import Any

import attrs

from sim.check.protocols import Judged, judged
from sim.wire.result import ParseResult


@attrs.define(eq=False)
class SeenFrame:
    """A frame: ``at`` is the time of the log (µs), ``order`` its place in it.

    ``arrived`` counts its arrivals and ``lost`` its losses, where the log
    tells of them (``is_followed``);
    ``copies`` are those that somebody made on the way, each with its delay (µs).
    """

    at: int
    order: int
    up: bool
    text: str
    type: str
    arrived: int = 0
    lost: int = 0
    delayed_us: int = 0
    is_followed: bool = False
    copies: list[int] = attrs.field(factory=list)

    @property
    def is_lost(self) -> bool:
        """Whether no copy of it has arrived, or can have."""
        return not self.arrived and self.lost > 0

    @property
    def drawn_copies(self) -> int:
        """How many of the copies have arrived, as far as is known."""
        return max(len(self.copies) - self.lost, 0)


@attrs.frozen
class SeenFault:
    """A fault that a recording tells of. ``up``: on the client's way; None: on both."""

    at: int
    order: int
    verb: str
    words: tuple[str, ...]
    up: bool | None = None


@attrs.define(eq=False)
class SeenConn:
    """A connection with its frames. ``closed_us`` is -1 where the log does not say.

    ``faults`` are those that struck it as a whole.
    """

    name: str
    client: str
    lane: str
    frames: list[SeenFrame] = attrs.field(factory=list)
    closed_us: int = -1
    closed_code: int = 1006
    closed_reason: str = ""
    faults: list[SeenFault] = attrs.field(factory=list)


@attrs.define(eq=False)
class _Open:
    """What a feed must know of a connection."""

    lane: str


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

    def opened(self, at_us: int, conn: str, client: str, server: str, lane: str = "") -> None:
        """A connection."""
        self.closed(at_us, conn)
        self.links[conn] = _Open(lane)
        made = self._open[conn] = SeenConn(conn, client, lane)
        self.conns.append(made)

    def closed(
        self, at_us: int, conn: str, by: str = "", code: int = 1006, reason: str = ""
    ) -> None:
        """A connection is over."""
        self.links.pop(conn, None)
        gone = self._open.pop(conn, None)
        if gone is not None:
            gone.closed_us, gone.closed_code, gone.closed_reason = at_us, code, reason

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
        self._count += 1
        message = (self.protocol.parse(text) if verdict is None else verdict).message
        kind = "" if message is None else message.type
        frame = SeenFrame(at_us, self._count, by_client, text, kind)
        self._open[conn].frames.append(frame)
        self._sent[self._count] = frame
        return self._count

    def sent(self, at_us: int, conn: str, by_client: bool, text: str) -> int:
        """A frame of a trace, which tells of its arrival too."""
        number = self.passed(at_us, conn, by_client, text)
        self._sent[number].is_followed = True
        return number

    def finish(self, passed_over: int = 0) -> None:
        """Nothing more comes: what has not arrived on a connection that is over, never will."""
        frames = (frame for conn in self.conns if conn.closed_us >= 0 for frame in conn.frames)
        for frame in frames:
            if frame.is_followed and not frame.arrived:
                frame.lost = max(frame.lost, 1)
        if passed_over:
            self.others.append(f"{passed_over} frames that were written on closed connections")

    def delivered(self, at_us: int, conn: str, sent: int) -> None:
        """A frame has arrived. When, is not told again: latencies are inferred."""
        frame = self._sent.get(sent)
        if frame is not None:
            frame.arrived += 1

    def lost(self, at_us: int, conn: str, sent: int, why: str = "lost") -> None:
        """A frame, or a copy of it, was lost."""
        frame = self._sent.get(sent)
        if frame is not None:
            frame.lost += 1

    def duplicated(self, at_us: int, conn: str, sent: int) -> None:
        """Told by ``struck``, which knows when the copy came."""

    def struck(self, at_us: int, fault: str) -> None:
        """A fault, as schedules name it."""
        verb, *words = fault.split()
        conn = next((one for one in reversed(self.conns) if words and one.name == words[0]), None)
        self._count += 1
        if conn is None or verb not in KNOWN_FAULTS:
            self.others.append(f"the fault {fault}")
            return
        up = None
        if len(words) > 1 and ">" in words[1]:
            up = words[1].partition(">")[0] == conn.client
        if len(words) < 3 or verb not in ("lose", "duplicate", "delay"):
            conn.faults.append(SeenFault(at_us, self._count, verb, tuple(words), up))
            return
        nth, *after = (int(word.removesuffix("us")) for word in words[2:4])
        frame = next(islice((f for f in conn.frames if f.up is up), nth - 1, None), None)
        if frame is not None and verb == "duplicate":
            frame.copies.append(after[0] if after else 0)
        elif frame is not None and verb == "delay" and after:
            frame.delayed_us += after[0]


KNOWN_FAULTS = ("lose", "duplicate", "delay", "cut", "heal", "hold", "release")
