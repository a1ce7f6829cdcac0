"""What a log holds, kept instead of judged: connections and frames with their times."""

from __future__ import annotations

from typing import Any

import attrs

from sim.check.protocols import Judged, judged
from sim.wire.result import ParseResult


@attrs.define(eq=False)
class SeenFrame:
    """A frame: ``at`` is the time of the log (µs), ``order`` its place in it."""

    at: int
    order: int
    up: bool
    text: str
    type: str


@attrs.define(eq=False)
class SeenConn:
    """A connection with its frames. ``closed_us`` is -1 where the log does not say."""

    name: str
    client: str
    lane: str
    frames: list[SeenFrame] = attrs.field(factory=list)
    closed_us: int = -1


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
            gone.closed_us = at_us

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
        return self._count

    def sent(self, at_us: int, conn: str, by_client: bool, text: str) -> int:
        """A frame of a trace."""
        return self.passed(at_us, conn, by_client, text)

    def delivered(self, at_us: int, conn: str, sent: int) -> None:
        """When a frame arrived is not told again: latencies are inferred."""

    def lost(self, at_us: int, conn: str, sent: int, why: str = "lost") -> None:
        """That a frame was lost is not told again."""

    def duplicated(self, at_us: int, conn: str, sent: int) -> None:
        """That a frame came twice is not told again."""
