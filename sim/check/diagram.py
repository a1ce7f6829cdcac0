"""A log of frames as a scenario: puppets that say the same again, at the same times.

Each device is a lifeline, and its connections have the names that they have in a recording.
What was written stands there literally, in the order of the log, and reaches its receiver in
that order: of a recording as it did, of any other log after the time that is inferred.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import attrs

from sim.check.entry import BadLine
from sim.check.fates import Direction, strike
from sim.check.feed import SERVER as NAMELESS
from sim.check.feed import FrameFeed, TraceFeed
from sim.check.latency import latencies
from sim.check.lines import decoded
from sim.check.reading import TRACE, entries_of
from sim.check.seen import Seen, SeenConn, SeenFrame
from sim.check.strikes import ending, not_drawn, of_conn
from sim.check.timeline import Business, Timeline
from sim.core.errors import UsageError
from sim.scenario.transcribe import plain_json

SERVER: Final = "S"
A_NAME: Final = re.compile("[A-Za-z][A-Za-z0-9_]*")
TELLING: Final = ("requestId", "reopenOf", "interactionId")
LETTERS: Final = {"requestId": "R", "reopenOf": "R", "interactionId": "A"}
Lines = tuple[int, int, list[str]]
"""The time (µs, of the log), the place among those of this time, and what is written."""


@attrs.define(eq=False)
class Drawn:
    """A connection with its names in the scenario, and when it is dialled (µs, of the log)."""

    conn: SeenConn
    client: str
    link: str
    dialled: int


def scenario_of(conns: Iterable[SeenConn], name: str, others: Sequence[str] = ()) -> str:
    """The text of the scenario. ``others`` is what else was told, in words.

    Raises UsageError for a log without any frame.
    """
    seen = list(conns)
    if not any(conn.frames for conn in seen):
        raise UsageError(f"{name}: there is no frame in it: nothing to draw")
    return _Writer(seen, name, list(others)).text()


class _Writer:
    """One log's scenario."""

    def __init__(self, conns: list[SeenConn], name: str, others: list[str]) -> None:
        self.name = name
        self.others = others
        self.times = Timeline(conns)
        self.business = Business(conns, self.times)
        self.ways = latencies(conns, self.times)
        self.drawn = _drawn(conns, self.times, self.ways.dial)
        self.first = min(one.dialled for one in self.drawn)
        self._names: dict[tuple[str, str], str] = {}
        self._counts: dict[str, int] = {}

    def text(self) -> str:
        """The whole file."""
        conns = [one.conn for one in self.drawn]
        frames = sum(len(conn.frames) for conn in conns)
        lost = [f"    %% Not drawn: {_harmless(what)}." for what in not_drawn(conns, self.others)]
        clients = list(dict.fromkeys(one.client for one in self.drawn))
        head = [
            "sequenceDiagram",
            f"    %% Drawn from {_harmless(self.name)}: {frames} frames on {len(conns)} "
            "connections, said again by puppets.",
            *lost,
            "    %% @protocol hook",
            "    %% @seed 1",
            f"    participant {SERVER}",
            *(f"    participant {client}" for client in clients),
            f"    %% @host {SERVER} server",
            f"    %% @puppet {SERVER}",
        ]
        for lane in self._lanes():
            head += [f"    participant {lane}", f"    %% @host {lane} {lane}"]
        up, down = self.ways.up, self.ways.down
        for client in clients:
            head += [f"    %% @host {client} desktop", f"    %% @puppet {client}"]
            head += [
                f"    %% @latency {client}->{SERVER} {up}us..{up}us",
                f"    %% @latency {SERVER}->{client} {down}us..{down}us",
            ]
        acts = sorted(act for one in self.drawn for act in self._acts(one))
        body = [line for at, _, lines in acts for line in (self._at(at), *lines)]
        return "\n".join([*head, *body, self._at(acts[-1][0] + up + down), ""])

    def _lanes(self) -> list[str]:
        """The channels that a twin has to know of, should it stand in for a puppet."""
        lanes = dict.fromkeys(one.conn.lane or LANE for one in self.drawn)
        return [] if list(lanes) == [LANE] else sorted(lanes)

    def _at(self, time_us: int) -> str:
        return f"    %% @at {time_us - self.first}us"

    def _acts(self, one: Drawn) -> Iterator[Lines]:
        """All that happens on a connection."""
        conn, times = one.conn, self.times
        dial = {"is": "puppet-dials", "peer": SERVER, "lane": conn.lane or LANE, "greets": False}
        lines = [
            f"    %% {_harmless(conn.name)}, {_harmless(conn.client)}",
            f"    %% @act {one.client} {plain_json(dial)}",
        ]
        yield one.dialled, conn.begins.order, lines
        for up in (True, False):
            yield from self._frames(one, up)
        for fault in conn.faults:
            name = of_conn(fault, one.link, one.client, SERVER)
            if name:
                yield times.of(fault.moment), fault.order, [f"    %% @fault {name}"]
        if conn.is_over:
            at = times.of(conn.closed)
            if not conn.closed_by:  # noted by one side, whose last frame is on its way
                at += max(self.ways.up, self.ways.down)
            lines = [f"    {line}" for line in ending(conn, one.link, one.client, SERVER)]
            yield at, conn.closed.order, lines

    def _frames(self, one: Drawn, up: bool) -> Iterator[Lines]:
        way = f"{one.client}>{SERVER}" if up else f"{SERVER}>{one.client}"
        fates = Direction(one.conn, up, self.ways, self.times, self.business).fates()
        for nth, fate in enumerate(fates, 1):
            frame, name = fate.frame, f"{one.link} {way} {nth}"
            says, note = self._says(one, frame)
            faults = [f"    %% @fault {strike(what, name, us)}" for what, us in fate.now]
            yield self.times.of(frame.sent), frame.order, [says, *faults, note]
            for place, (at, what, us) in enumerate(fate.later):
                yield at, place, [f"    %% @fault {strike(what, name, us)}"]

    def _says(self, one: Drawn, frame: SeenFrame) -> tuple[str, str]:
        sender, receiver = (one.client, SERVER) if frame.up else (SERVER, one.client)
        value = decoded(frame.text)
        is_object = isinstance(value, dict)
        said = value if is_object else frame.text
        act = {"is": "puppet-sends", "peer": receiver, "link": one.link, "frame": said}
        told = f"{value.get('type')}{self._items(value)}" if is_object else "what is no JSON object"
        note = f"    Note over {sender},{receiver}: {sender} to {receiver}, {_harmless(told)}"
        try:
            return f"    %% @act {sender} {plain_json(act)}", note
        except RecursionError:  # nested more deeply than a scenario can say: as a text
            act["frame"] = frame.text
            return f"    %% @act {sender} {plain_json(act)}", note

    def _items(self, wire: Mapping[str, Any]) -> str:
        payload = wire.get("payload")
        fields = payload if isinstance(payload, dict) else {}
        items = [
            f"{field}={self._short(field, fields[field])}"
            for field in TELLING
            if isinstance(fields.get(field), str) and fields[field]
        ]
        return f" ({', '.join(items)})" if items else ""

    def _short(self, field: str, real: str) -> str:
        letter = LETTERS[field]
        if (letter, real) not in self._names:
            self._counts[letter] = self._counts.get(letter, 0) + 1
            self._names[letter, real] = f"{letter}{self._counts[letter]}"
        return self._names[letter, real]


def _drawn(conns: list[SeenConn], times: Timeline, dial_us: int) -> list[Drawn]:
    """The connections in the order in which they came, each dialled in time for its first
    frame, and not before an earlier one of its lane: it gets its number by that."""
    kept = all(A_NAME.fullmatch(one.client) and one.client != SERVER for one in conns)
    kept = kept and not any(conn.server == NAMELESS for conn in conns)
    seen = sorted(
        (conn for conn in conns if conn.frames or kept), key=lambda conn: times.of(conn.begins)
    )
    names: dict[str, str] = {}
    counts: dict[tuple[str, str], int] = {}
    drawn = []
    for conn in seen:
        told = conn.client if kept else f"D{len(names) + 1}" if names else "D"
        client = names.setdefault(conn.client, told)
        lane = (client, conn.lane or LANE)
        counts[lane] = counts.get(lane, 0) + 1
        begins = times.of(conn.frames[0].sent) - dial_us if conn.frames else times.of(conn.begins)
        link = f"{client}.{lane[1]}#{counts[lane]}"
        drawn.append(Drawn(conn, client, link, min(begins, times.of(conn.begins))))
    later: dict[str, int] = {}
    for one in reversed(drawn):
        lane_name = one.link.rpartition("#")[0]
        one.dialled = min(one.dialled, later.get(lane_name, one.dialled + 1) - 1)
        later[lane_name] = one.dialled
    return drawn


LANE: Final = "slack"
"""Of a connection that does not say what it is for."""


def _harmless(text: str) -> str:
    """A text for a comment or a note: one line, nothing that Mermaid or a reader minds."""
    kept = (sign if sign.isprintable() and sign not in "%;#@{}" else " " for sign in text)
    return "".join(kept)[:120].strip()


def seen_in(name: str, protocol: str = "hook") -> tuple[list[SeenConn], list[BadLine]]:
    """The connections of a log, and its lines that cannot be read. Raises UsageError."""
    seen, bad = all_seen_in(name, protocol)
    return seen.conns, bad


def all_seen_in(name: str, protocol: str = "hook") -> tuple[Seen, list[BadLine]]:
    """All that a log tells, and its lines that cannot be read. Raises UsageError."""
    seen = Seen(protocol)
    listener: Any = seen
    bad: list[BadLine] = []
    feed: FrameFeed | TraceFeed | None = None
    for form, entry in entries_of(name, seen.protocol.parse):
        if feed is None:
            feed = TraceFeed(listener, seen.struck) if form == TRACE else FrameFeed(listener)
        if isinstance(entry, BadLine):
            bad.append(entry)
        else:
            feed.push(entry)
    if feed is not None:
        feed.finish()
        seen.finish(feed.passed_over if isinstance(feed, TraceFeed) else 0)
    return seen, bad
