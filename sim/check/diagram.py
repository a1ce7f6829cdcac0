"""A log of frames as a scenario: puppets that say the same again, at the same times.

Each device is a lifeline, and its connections have the names that they have in a recording.
What was written stands there literally, in the order of the log, and reaches its receiver in
that order: of a recording as it did, of any other log after the time that is inferred.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, cast

import attrs

from sim.check.drawing import Drawing, drawing_of
from sim.check.entry import BadLine
from sim.check.fates import Direction, strike
from sim.check.feed import FrameFeed
from sim.check.latency import latencies
from sim.check.lines import Parse, decoded
from sim.check.reading import TRACE, entries_of
from sim.check.seen import Seen, SeenConn, SeenFrame
from sim.check.strikes import ending, not_drawn, of_conn
from sim.check.timeline import Business, Timeline
from sim.check.trace_feed import TraceFeed
from sim.core.errors import UsageError
from sim.protocols.register import DEFAULT_PROTOCOL
from sim.scenario.transcribe import plain_json

A_NAME: Final = re.compile("[A-Za-z][A-Za-z0-9_]*")
Lines = tuple[int, int, list[str]]
"""The time (µs, of the log), the place among those of this time, and what is written."""


@attrs.define(eq=False)
class Drawn:
    """A connection with its names in the scenario, and when it is dialled (µs, of the log)."""

    conn: SeenConn
    client: str
    link: str
    dialled: int


def scenario_of(
    conns: Iterable[SeenConn], name: str, others: Sequence[str] = (), protocol: str = "hook"
) -> str:
    """The text of the scenario of a ``protocol``. ``others`` is what else was told, in words.

    Raises UsageError for a log without any frame.
    """
    seen = list(conns)
    if not any(conn.frames for conn in seen):
        raise UsageError(f"{name}: there is no frame in it: nothing to draw")
    return _Writer(seen, name, list(others), drawing_of(protocol)).text()


class _Writer:
    """One log's scenario."""

    def __init__(
        self, conns: list[SeenConn], name: str, others: list[str], drawing: Drawing
    ) -> None:
        self.name = name
        self.drawing = drawing
        self.centre = drawing.centre
        self.others = others
        self.times = Timeline(conns)
        self.business = Business(conns, self.times)
        self.ways = latencies(conns, drawing, self.times)
        self.drawn = _drawn(conns, self.times, self.ways.dial, drawing)
        self.first = min(one.dialled for one in self.drawn)
        self._names: dict[tuple[str, str], str] = {}
        self._counts: dict[str, int] = {}

    def text(self) -> str:
        """The whole file."""
        conns = [one.conn for one in self.drawn]
        frames = sum(len(conn.frames) for conn in conns)
        lost = [f"    %% Not drawn: {_harmless(what)}." for what in not_drawn(conns, self.others)]
        clients = {one.client: self._kind(one) for one in self.drawn}
        centre = self.centre
        head = [
            "sequenceDiagram",
            f"    %% Drawn from {_harmless(self.name)}: {frames} frames on {len(conns)} "
            "connections, said again by puppets.",
            *lost,
            f"    %% @protocol {self.drawing.record.name}",
            "    %% @seed 1",
            f"    participant {centre}",
            *(f"    participant {client}" for client in clients),
            f"    %% @host {centre} {self.drawing.record.centre}",
            f"    %% @puppet {centre}",
        ]
        for lane in self._lanes():
            head += [f"    participant {lane}", f"    %% @host {lane} {lane}"]
        up, down = self.ways.up, self.ways.down
        for client, kind in clients.items():
            head += [f"    %% @host {client} {kind}", f"    %% @puppet {client}"]
            head += [
                f"    %% @latency {client}->{centre} {up}us..{up}us",
                f"    %% @latency {centre}->{client} {down}us..{down}us",
            ]
        acts = sorted(act for one in self.drawn for act in self._acts(one))
        body = [line for at, _, lines in acts for line in (self._at(at), *lines)]
        return "\n".join([*head, *body, self._at(acts[-1][0] + up + down), ""])

    def _lanes(self) -> list[str]:
        """The channels that a twin has to know of, should it stand in for a puppet."""
        usual = self.drawing.lane
        lanes = dict.fromkeys(one.conn.lane or usual for one in self.drawn)
        is_said = self.drawing.draws_lanes and list(lanes) != [usual]
        return sorted(lanes) if is_said else []

    def _kind(self, one: Drawn) -> str:
        return self.drawing.record.side_of(one.conn.lane or self.drawing.lane)

    def _at(self, time_us: int) -> str:
        return f"    %% @at {time_us - self.first}us"

    def _acts(self, one: Drawn) -> Iterator[Lines]:
        """All that happens on a connection."""
        conn, times = one.conn, self.times
        lane = conn.lane or self.drawing.lane
        dial = {"is": "puppet-dials", "peer": self.centre, "lane": lane, "greets": False}
        lines = [
            f"    %% {_harmless(conn.name)}, {_harmless(conn.client)}",
            f"    %% @act {one.client} {plain_json(dial)}",
        ]
        yield one.dialled, conn.begins.order, lines
        for up in (True, False):
            yield from self._frames(one, up)
        for fault in conn.faults:
            name = of_conn(fault, one.link, one.client, self.centre)
            if name:
                yield times.of(fault.moment), fault.order, [f"    %% @fault {name}"]
        if conn.is_over:
            at = times.of(conn.closed)
            if not conn.closed_by:  # noted by one side, whose last frame is on its way
                at += max(self.ways.up, self.ways.down)
            lines = [f"    {line}" for line in ending(conn, one.link, one.client, self.centre)]
            yield at, conn.closed.order, lines

    def _frames(self, one: Drawn, up: bool) -> Iterator[Lines]:
        way = f"{one.client}>{self.centre}" if up else f"{self.centre}>{one.client}"
        fates = Direction(one.conn, up, self.ways, self.times, self.business).fates()
        for nth, fate in enumerate(fates, 1):
            frame, name = fate.frame, f"{one.link} {way} {nth}"
            says, note = self._says(one, frame)
            faults = [f"    %% @fault {strike(what, name, us)}" for what, us in fate.now]
            yield self.times.of(frame.sent), frame.order, [says, *faults, note]
            for place, (at, what, us) in enumerate(fate.later):
                yield at, place, [f"    %% @fault {strike(what, name, us)}"]

    def _says(self, one: Drawn, frame: SeenFrame) -> tuple[str, str]:
        sender, receiver = (one.client, self.centre) if frame.up else (self.centre, one.client)
        value = decoded(frame.text)
        is_object = isinstance(value, dict)
        said = value if is_object else frame.text
        act = {"is": "puppet-sends", "peer": receiver, "link": one.link, "frame": said}
        told = (
            f"{self.drawing.type_of(value)}{self._items(value)}"
            if is_object
            else "what is no JSON object"
        )
        note = f"    Note over {sender},{receiver}: {sender} to {receiver}, {_harmless(told)}"
        try:
            return f"    %% @act {sender} {plain_json(act)}", note
        except RecursionError:  # nested more deeply than a scenario can say: as a text
            act["frame"] = frame.text
            return f"    %% @act {sender} {plain_json(act)}", note

    def _items(self, wire: Mapping[str, Any]) -> str:
        fields = self.drawing.facts(wire)
        items = [
            f"{field}={self._short(field, fields[field])}"
            for field in self.drawing.letters
            if isinstance(fields.get(field), str) and fields[field]
        ]
        return f" ({', '.join(items)})" if items else ""

    def _short(self, field: str, real: str) -> str:
        letter = self.drawing.letters[field]
        if (letter, real) not in self._names:
            self._counts[letter] = self._counts.get(letter, 0) + 1
            self._names[letter, real] = f"{letter}{self._counts[letter]}"
        return self._names[letter, real]


def _drawn(conns: list[SeenConn], times: Timeline, dial_us: int, drawing: Drawing) -> list[Drawn]:
    """The connections in the order in which they came, each dialled in time for its first
    frame, and not before an earlier one of its lane: it gets its number by that."""
    kept = all(A_NAME.fullmatch(one.client) and one.client != drawing.centre for one in conns)
    kept = kept and not any(conn.server == drawing.record.centre for conn in conns)
    seen = sorted(
        (conn for conn in conns if conn.frames or kept), key=lambda conn: times.of(conn.begins)
    )
    names: dict[str, str] = {}
    counts: dict[tuple[str, str], int] = {}
    drawn = []
    for conn in seen:
        first = drawing.firsts[drawing.record.side_of(conn.lane or drawing.lane)]
        if conn.client not in names:
            taken = sum(name.startswith(first) for name in names.values())
            told = f"{first}{taken + 1}" if taken else first
            names[conn.client] = conn.client if kept else told
        client = names[conn.client]
        lane = (client, conn.lane or drawing.lane)
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


def _harmless(text: str) -> str:
    """A text for a comment or a note: one line, nothing that Mermaid or a reader minds."""
    kept = (sign if sign.isprintable() and sign not in "%;#@{}" else " " for sign in text)
    return "".join(kept)[:120].strip()


def seen_in(name: str, protocol: str | None = None) -> tuple[list[SeenConn], list[BadLine]]:
    """The connections of a log, and its lines that cannot be read. Raises UsageError."""
    seen, bad = all_seen_in(name, protocol)
    return seen.conns, bad


def all_seen_in(name: str, protocol: str | None = None) -> tuple[Seen, list[BadLine]]:
    """All that a log tells, and its lines that cannot be read.

    ``protocol`` None: whichever its frames speak. Raises UsageError.
    """
    found: list[Seen] = []

    def begin(spoken: str) -> Parse:
        found.append(Seen(protocol or spoken or DEFAULT_PROTOCOL))
        return found[0].protocol.parse

    bad: list[BadLine] = []
    feed: FrameFeed | TraceFeed | None = None
    for form, entry in entries_of(name, begin):
        if feed is None:
            seen, listener = found[0], cast(Any, found[0])
            feed = TraceFeed(listener, seen.struck) if form == TRACE else FrameFeed(listener)
        if isinstance(entry, BadLine):
            bad.append(entry)
        else:
            feed.push(entry)
    if not found:
        begin("")
    seen = found[0]
    if feed is not None:
        feed.finish()
        seen.finish(feed.passed_over if isinstance(feed, TraceFeed) else 0)
    return seen, bad
