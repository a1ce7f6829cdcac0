"""A log of frames as a scenario: puppets that say the same again, at the same times.

Each device gets a lifeline for every connection that it has at the same time. What was
written stands there literally; how long frames take is inferred from questions and their
answers: no answer may be written before its question has arrived.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import attrs

from sim.check.entry import BadLine
from sim.check.feed import FrameFeed, TraceFeed
from sim.check.lines import decoded
from sim.check.reading import TRACE, entries_of
from sim.check.seen import Seen, SeenConn, SeenFrame
from sim.check.strikes import how_it_ends, not_drawn, of_conn, of_frame
from sim.core.errors import UsageError
from sim.scenario.transcribe import plain_json

SERVER: Final = "S"
DIAL_US: Final = 10_000
DEFAULT_US: Final = 1_000
LONGEST_US: Final = 2_000_000
"""An answer that took longer says nothing about the way."""
TELLING: Final = ("requestId", "reopenOf", "interactionId")
LETTERS: Final = {"requestId": "R", "reopenOf": "R", "interactionId": "A"}

ANSWERS: Final[Mapping[str, tuple[str, str, str]]] = {
    "welcome": ("hello", "", ""),
    "pong": ("ping", "", ""),
    "task.ack": ("task.dispatch", "requestId", "requestId"),
    "query.response": ("query.request", "queryId", "queryId"),
    "prefs.state": ("prefs.get", "requestId", "replyTo"),
    "tool.response": ("tool.request", "requestId", "replyTo"),
    "provider.prefs.state": ("provider.prefs.get", "requestId", "replyTo"),
    "provider.behavior.state": ("provider.behavior.get", "requestId", "replyTo"),
    "turn.delivery": ("turn.end", "requestId", "requestId"),
}
"""By answer: its question, the question's field and the answer's that must be equal."""


@attrs.define(eq=False)
class Lifeline:
    """A puppet of a device, with the connections that it makes one after the other."""

    name: str
    client: str
    lane: str
    conns: list[SeenConn] = attrs.field(factory=list)
    busy_until: int = -1


@attrs.frozen
class Ways:
    """How long a frame takes, up and down (µs)."""

    up: int
    down: int

    @property
    def dial(self) -> int:
        """How long before its first frame a connection is dialled."""
        return 2 * (self.up + self.down) + DIAL_US


def scenario_of(conns: Iterable[SeenConn], name: str, others: Sequence[str] = ()) -> str:
    """The text of the scenario. ``others`` is what else was told, in words.

    Raises UsageError for a log without any frame.
    """
    seen = sorted((c for c in conns if c.frames), key=lambda c: (c.frames[0].at, c.frames[0].order))
    if not seen:
        raise UsageError(f"{name}: there is no frame in it: nothing to draw")
    return _Writer(seen, name, list(others)).text()


def latencies(conns: Iterable[SeenConn]) -> Ways:
    """The shortest time from a question to its answer, each way."""
    found: dict[bool, list[int]] = {True: [], False: []}
    for conn in conns:
        for up, gap_us in _gaps(conn):
            found[up].append(gap_us)
    return Ways(min(found[True], default=DEFAULT_US), min(found[False], default=DEFAULT_US))


def _gaps(conn: SeenConn) -> Iterator[tuple[bool, int]]:
    """(whether the question went up, how long after it its answer was written)."""
    asked: dict[tuple[bool, str, Any], int] = {}
    for frame in conn.frames:
        payload = _payload(frame)
        question, _, mine = ANSWERS.get(frame.type, ("", "", ""))
        if question:
            since = asked.pop((not frame.up, question, payload.get(mine) if mine else None), None)
            if since is not None and 0 <= frame.at - since <= LONGEST_US:
                yield not frame.up, frame.at - since
        for answered, (kind, field, _) in ANSWERS.items():
            if kind == frame.type and answered:
                key = payload.get(field) if field else None
                asked.setdefault((frame.up, kind, key), frame.at)


def _payload(frame: SeenFrame) -> Mapping[str, Any]:
    value = decoded(frame.text)
    payload = value.get("payload") if isinstance(value, dict) else None
    return payload if isinstance(payload, dict) else {}


class _Writer:
    """One log's scenario."""

    def __init__(self, conns: list[SeenConn], name: str, others: list[str]) -> None:
        self.name = name
        self.others = others
        self.conns = conns
        self.ways = latencies(conns)
        self.first = conns[0].frames[0].at - self.ways.dial
        self.last = 1 + max(conn.frames[-1].order for conn in conns)
        self.lifelines = _lifelines(conns, self.ways)
        self._names: dict[tuple[str, str], str] = {}
        self._counts: dict[str, int] = {}

    def text(self) -> str:
        """The whole file."""
        frames = sum(len(conn.frames) for conn in self.conns)
        head = [
            "sequenceDiagram",
            f"    %% Drawn from {_harmless(self.name)}: {frames} frames on {len(self.conns)} "
            "connections, said again by puppets.",
            *(
                f"    %% Not drawn: {_harmless(what)}."
                for what in not_drawn(self.conns, self.others)
            ),
            "    %% @protocol hook",
            "    %% @seed 1",
            f"    participant {SERVER}",
            *(f"    participant {one.name}" for one in self.lifelines),
            f"    %% @host {SERVER} server",
            f"    %% @puppet {SERVER}",
        ]
        for one in self.lifelines:
            head += [f"    %% @host {one.name} desktop", f"    %% @puppet {one.name}"]
            head += [
                f"    %% @latency {one.name}->{SERVER} {self.ways.up}us..{self.ways.up}us",
                f"    %% @latency {SERVER}->{one.name} {self.ways.down}us..{self.ways.down}us",
            ]
        acts = sorted(act for one in self.lifelines for act in self._acts(one))
        body = [line for _, _, lines in acts for line in lines]
        last = acts[-1][0] + self.ways.up + self.ways.down
        return "\n".join([*head, *body, f"    %% @at {last}us", ""])

    def _acts(self, one: Lifeline) -> Iterator[tuple[int, int, list[str]]]:
        """(time, order, lines) of all that happens on a lifeline."""
        for number, conn in enumerate(one.conns, 1):
            began = conn.frames[0].at - self.first - self.ways.dial
            dial = {"is": "puppet-dials", "peer": SERVER, "lane": conn.lane or "slack"}
            yield (
                began,
                conn.frames[0].order,
                [
                    f"    %% {_harmless(conn.name)}, {_harmless(conn.client)}",
                    f"    %% @at {began}us",
                    f"    %% @act {one.name} {plain_json({**dial, 'greets': False})}",
                ],
            )
            link = f"{one.name}.{conn.lane or 'slack'}#{number}"
            yield from self._frames(one, conn, link)
            for fault in conn.faults:
                name = of_conn(fault, link, one.name, SERVER)
                at = fault.at - self.first
                if name and began < at:
                    yield at, fault.order, [f"    %% @at {at}us", f"    %% @fault {name}"]
            if conn.closed_us >= 0:
                at = max(conn.closed_us, conn.frames[-1].at) - self.first
                at += max(self.ways.up, self.ways.down)
                lines = [f"    %% @at {at}us", f"    %% @fault cut {link} {how_it_ends(conn)}"]
                yield at, self.last, lines

    def _frames(
        self, one: Lifeline, conn: SeenConn, link: str
    ) -> Iterator[tuple[int, int, list[str]]]:
        counts = {True: 0, False: 0}
        for frame in conn.frames:
            at = frame.at - self.first
            lines = list(self._says(one, frame, at))
            if len(lines) > 1:
                counts[frame.up] += 1
                way = f"{one.name}>{SERVER}" if frame.up else f"{SERVER}>{one.name}"
                name = f"{link} {way} {counts[frame.up]}"
                lines[2:2] = [f"    %% @fault {fault}" for fault in of_frame(frame, name)]
            yield at, frame.order, lines

    def _says(self, one: Lifeline, frame: SeenFrame, at: int) -> Iterator[str]:
        sender, receiver = (one.name, SERVER) if frame.up else (SERVER, one.name)
        value = decoded(frame.text)
        if not isinstance(value, dict):
            yield f"    %% {sender} writes to {receiver} what is no JSON object: not said again"
            return
        act = {"is": "puppet-sends", "peer": receiver, "frame": value}
        yield f"    %% @at {at}us"
        yield f"    %% @act {sender} {plain_json(act)}"
        told = _harmless(f"{value.get('type')}{self._items(value)}")
        yield f"    Note over {sender},{receiver}: {sender} to {receiver}, {told}"

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


def _lifelines(conns: list[SeenConn], ways: Ways) -> list[Lifeline]:
    """Connections of one device that were open at the same time stand side by side."""
    lines: list[Lifeline] = []
    for conn in conns:
        began = conn.frames[0].at - ways.dial
        ended = max(conn.frames[-1].at, conn.closed_us) + ways.up + ways.down
        for line in lines:
            mine = (line.client, line.lane or conn.lane) == (conn.client, conn.lane or line.lane)
            if mine and line.busy_until < began:
                break
        else:
            name = f"D{len(lines) + 1}" if lines else "D"
            line = Lifeline(name, conn.client, conn.lane)
            lines.append(line)
        line.conns.append(conn)
        line.busy_until = ended
    return lines


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
