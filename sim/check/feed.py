"""From the entries of a log to a judge: whose frames they are, on which connection, when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import attrs

from sim.check.clock import unit_of
from sim.check.course import Link
from sim.check.entry import CLOSED, FRAME, OPENED, Entry
from sim.check.judge import FrameJudge
from sim.check.passing import NoRoutes, Routes, Take
from sim.check.protocols import NAMELESS
from sim.check.spoken import spoken_in
from sim.check.usual import Usual
from sim.check.ways import KNOWN, Ways
from sim.check.window import Disorder, Timed, Window

HEAD: Final = 256
"""Entries that are looked at before the first is judged: for the log's clock and its words."""
_USUAL: Final[Any] = Usual
NO_TYPE: Final = "(bad)"  # of an OpaqueFrame whose text has none
_EPOCH_US: Final = 1e14  # a number from here on is a date, in microseconds
_NEVER_US: Final = 1e17  # three thousand years: no time, whatever it was meant to be


@attrs.define(eq=False)
class Conn:
    """A connection of a log. ``greeting`` is the payload of its newest hello."""

    name: str
    told: str
    generation: int = 1
    greeting: Any = None
    facts: Any = None


class FrameFeed:
    """Shows a judge the frames of a log that knows no more than they.

    The log's clock and the words that it has for directions are found out from its first
    frames. A connection begins with its first frame; where the log names none, each hello
    that repeats the one before, or is of another client, begins the next one.
    """

    def __init__(self, judge: FrameJudge, *, from_middle: bool = False) -> None:
        """``from_middle``: connections that nobody has greeted yet are not judged."""
        self.from_middle = from_middle
        self._judge = judge
        self._ways = Ways(judge.protocol)
        self._window = Window()
        self._head: list[Entry] | None = []
        self._unit = 0.0
        self._base = 0.0
        self._last = 0
        self._clocks: dict[bool, float] = {}
        self._conns: dict[str, Conn] = {}
        # by what a log calls them: connections of which nothing is to be found out any more
        self._settled: dict[str, Link] = {}
        self._routes = _Routes(judge)
        self._short_way: Take = judge.take if isinstance(judge, FrameJudge) else _nowhere
        self._read = judge.protocol.swift().reader(judge.protocol.parse)
        self.has_times = False
        self.is_coarse = False
        self.lines: list[int] = []
        # by name, whether it is still open or not: for the lines of the last frames
        self._lines: dict[str, Link] = {}
        self.unsaid = 0
        self.nobodys = 0
        # by the protocol that they look like: frames of which nobody knows who sent them
        self.foreign: Counter[str] = Counter()

    @property
    def strangers(self) -> list[str]:
        """Connections that no hello was seen on."""
        return [conn.name for conn in self._conns.values() if conn.greeting is None]

    @property
    def last_lines(self) -> dict[str, int]:
        """By connection, the line of its last frame."""
        return {name: link.line for name, link in self._lines.items()}

    @property
    def disorder(self) -> Disorder:
        """What had to be put in order."""
        return self._window.disorder

    def push(self, entry: Entry) -> None:
        """The next entry of the log."""
        if self._head is None:
            self._take(entry)
            return
        self._head.append(entry)
        if len(self._head) >= HEAD:
            self._begin()

    def push_all(self, entries: Sequence[Entry]) -> None:
        """The next entries of the log, all of them frames."""
        if self._head is not None or not self.has_times:
            for entry in entries:
                self.push(self._read_now(entry))
            return
        base, unit = self._base, self._unit
        try:
            times = [round((entry.at - base) * unit) for entry in entries]  # type: ignore[operator]
            is_sane = min(times) > -_NEVER_US and max(times) < _NEVER_US
        except (TypeError, ValueError, OverflowError):
            is_sane = False
        if not is_sane:
            for entry in entries:
                self._take(self._read_now(entry))
            return
        self._last = times[-1]
        ready = self._window.push_all(times, entries)
        if ready:
            self._judge_all(ready)

    def _read_now(self, entry: Entry) -> Entry:
        """The entry with its verdict."""
        usual = entry
        return Entry(
            FRAME, usual.line, usual.at, usual.conn, None, usual.text, usual.word,
            self._read(usual.text),
        )  # fmt: skip

    @property
    def has_begun(self) -> bool:
        """Whether any entry has been judged, or is about to be."""
        return self._head is None

    def take_over(self, other: FrameFeed) -> None:
        """What another has not begun to judge: it was of the wrong protocol."""
        self.from_middle = other.from_middle
        for entry in other._head or ():
            if entry.what is FRAME:
                entry.verdict = self._judge.protocol.parse(entry.text)
            self.push(entry)

    def settle(self) -> None:
        """Nothing more for the moment: judge what was held back."""
        self._begin()
        self._judge_all(self._window.flush())

    def finish(self) -> None:
        """The log is over."""
        self.settle()

    # -- time ----------------------------------------------------------------------------

    def _begin(self) -> None:
        head, self._head = self._head, None
        if head is None:
            return
        self._ways.learn(head)
        times = [entry.at for entry in head if entry.at is not None]
        self.has_times = bool(times)
        if times:
            self._unit = unit_of(times, self._pairs(head))
            self._base = min(times)
            steps = [time * self._unit / 1e6 for time in times]
            self.is_coarse = len(times) > 1 and all(step.is_integer() for step in steps)
        for entry in head:
            self._take(entry)

    def _pairs(self, head: Iterable[Entry]) -> Iterator[tuple[float, float]]:
        """(the log's time, the sender's own clock) of the side that sent the first frame."""
        first: bool | None = None
        for entry in head:
            message = getattr(entry.verdict, "message", None)
            if message is None or entry.at is None:
                continue
            up = self._up(entry, message)
            if first is None:
                first = up
            if up is first and up is not None:
                yield entry.at, float(message.ts)

    def _take(self, entry: Entry) -> None:
        if not self.has_times:
            self._judge_all(((self._by_sender(entry), entry),))
            return
        at = entry.at
        if at is not None:
            since = (at - self._base) * self._unit
            if -_NEVER_US < since < _NEVER_US:
                self._last = round(since)
        ready = self._window.push(self._last, entry)
        if ready:
            self._judge_all(ready)

    def _by_sender(self, entry: Entry) -> int:
        """The time of a frame that nobody has noted: what its sender's clock has gone."""
        message = getattr(entry.verdict, "message", None)
        up = None if message is None else self._up(entry, message)
        if message is not None and up is not None and abs(message.ts) < _EPOCH_US:
            began = self._clocks.setdefault(up, message.ts)
            self._last = max(self._last, int((message.ts - began) * 1_000))
        return self._last

    # -- who and where -------------------------------------------------------------------

    def _up(self, entry: Entry, message: Any) -> bool | None:
        if entry.up is not None:
            return entry.up
        return self._ways.is_up(entry.word, message.type, message)

    def _judge_all(self, ready: Iterable[Timed]) -> None:
        """Entries whose turn it is; each finding gets the line of its entry."""
        found, lines = self._judge.findings, self.lines
        count = len(lines)
        settled, routes, read, take = self._settled, self._routes, self._read, self._short_way
        for at_us, entry in ready:
            if type(entry) is _USUAL:
                frame = read(entry.text)
                link = settled.get(entry.conn)
                route = routes[entry.word][type(frame)]
                if link is None or route is None or route.greets:
                    self._frame(at_us, entry, frame)
                else:  # nearly always
                    link.line = entry.line
                    take(at_us, link, route, frame)
            else:
                self._entry(at_us, entry)
            if len(found) != count:
                lines.extend([entry.line] * (len(found) - count))
                count = len(found)

    def _entry(self, at_us: int, entry: Entry) -> None:
        if entry.what is FRAME:
            self._frame(at_us, entry, entry.verdict)
        elif entry.what is OPENED:
            conn = self._conns[entry.conn] = Conn(self._name(entry.conn), entry.conn)
            conn.facts = entry.facts
            self._settled.pop(entry.conn, None)
        elif entry.what is CLOSED:
            self._closed(at_us, entry)

    def _frame(self, at_us: int, entry: Entry, verdict: Any) -> None:
        judge, message = self._judge, verdict.message
        up = entry.up
        if up is None:
            up = KNOWN.get(entry.word)
        if up is None:
            up = self._said_by(entry, message)
        if up is None:
            if message is not None:
                self.unsaid += 1  # a ping or a pong: both may send it
                return
            kind = _type_in(entry.text)
            if kind == NO_TYPE:
                self.nobodys += 1
                self.foreign[spoken_in(entry.text)] += 1
                return
            up = self._ways.sender_of(kind) is not False
        conn = self._conns.get(entry.conn)
        greets = ""
        if up and message is not None and message.type == judge.protocol.greeting:
            greets = judge.protocol.client_of(message)
        if conn is None or conn.name not in judge.links or (greets and self._is_new(conn, message)):
            conn = self._open(at_us, entry, greets)
        if greets:
            conn.greeting = message.wire["payload"]
        elif self.from_middle and conn.greeting is None and message is not None:
            return
        link = judge.links[conn.name]
        if not link.lane and message is not None:
            lane = judge.protocol.lane_of(message)
            if lane:
                judge.learn_lane(conn.name, lane)
        self._lines[conn.name] = link
        link.line = entry.line
        judge.passed(at_us, conn.name, up, entry.text, verdict)
        is_known = conn.greeting is not None or not self.from_middle
        if link.lane and is_known:
            self._settled[entry.conn] = link

    def _said_by(self, entry: Entry, message: Any) -> bool | None:
        if message is None:
            return self._ways.is_up(entry.word, "")
        link = self._lines.get(self._conns[entry.conn].name) if entry.conn in self._conns else None
        lane = "" if link is None else link.lane
        return self._ways.is_up(entry.word, message.type, message, lane)

    def _is_new(self, conn: Conn, message: Any) -> bool:
        """Whether a hello begins another connection, in a log that names none."""
        if conn.told or conn.greeting is None:
            return False
        return self._judge.protocol.is_anew(message.wire["payload"], conn.greeting)

    def _open(self, at_us: int, entry: Entry, greets: str) -> Conn:
        told, before = entry.conn, self._conns.get(entry.conn)
        if before is not None and before.name in self._judge.links:
            self._judge.closed(at_us, before.name)
        again = before is not None and before.greeting is not None
        generation = before.generation + 1 if before is not None and again else 1
        name = self._name(told)
        name = f"{name}#{generation}" if generation > 1 else name
        facts = None if before is None else before.facts
        conn = self._conns[told] = Conn(name, told, generation, facts=facts)
        self._settled.pop(told, None)
        record = self._judge.protocol
        client = greets if greets and greets != NAMELESS else f"client of {name}"
        lane = _lane_in(facts, told, record.lanes)
        self._judge.opened(at_us, name, client, record.centre, lane)
        return conn

    def _name(self, told: str) -> str:
        return told or "the connection"

    def _closed(self, at_us: int, entry: Entry) -> None:
        conn, facts = self._conns.get(entry.conn), entry.facts
        if conn is None:
            return
        self._settled.pop(entry.conn, None)
        code, reason = facts.get("code"), facts.get("reason")
        self._judge.closed(
            at_us,
            conn.name,
            "",
            code if type(code) is int else 1006,
            reason if isinstance(reason, str) else "",
        )


class _Routes(dict[str, Routes | NoRoutes]):
    """By a log's word for the direction; those that depend on the frame take the long way."""

    def __init__(self, judge: FrameJudge) -> None:
        super().__init__()
        self._judge = judge

    def __missing__(self, word: str) -> Routes | NoRoutes:
        up = KNOWN.get(word)
        is_sure = up is not None and isinstance(self._judge, FrameJudge)
        self[word] = made = self._judge.routes[bool(up)] if is_sure else NoRoutes()
        return made


def _nowhere(at_us: int, link: Link, route: Any, frame: Any) -> None:
    """Who is no judge of ours has no short way."""


def _type_in(text: str) -> str:
    """The type that a refused frame claims to have."""
    from sim.core.op import OpaqueFrame

    return OpaqueFrame(text, "").type


def _lane_in(facts: Any, told: str, lanes: Sequence[str]) -> str:
    """The channel that a path or the name of a connection gives away."""
    path = str(facts.get("path") or facts.get("url") or "") if isinstance(facts, dict) else ""
    last = path.partition("?")[0].rstrip("/").rpartition("/")[2]
    words = told.replace("#", ".").replace("/", ".").split(".")
    asked = path.partition("?")[2].split("&")
    return next((lane for lane in lanes if lane in (last, *words) or f"role={lane}" in asked), "")
