"""A trace as bytes: events are found by their number and decoded one at a time.

Lines are in order of ``n``, so a number is found by bisecting the bytes: about
twenty looks at a file of a gigabyte, and no index. A file that is still being
written opens too: what stands behind its last newline is left out until
:meth:`TraceFile.refresh` finds the rest.
"""

from __future__ import annotations

import json
import mmap
import re
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from sim.core.errors import TraceError
from sim.core.event import Event, Noted
from sim.core.trace import (
    Header,
    Trace,
    decode_event,
    decode_header,
    is_snapshot,
    lines_of,
    read_within,
)

KEPT = 4096
"""Decoded events that are remembered."""

DAMAGED = "damaged line"
"""What a lenient trace notes instead of an event that cannot be read."""

_NUMBER = re.compile(rb'\s*\{\s*"kind"\s*:\s*"(\w+)"\s*,\s*"n"\s*:\s*(\d+)')
_NEAR = 1 << 14
READ_WHOLE = 16 << 20
"""Files of up to so many bytes are read, larger ones mapped."""

Bytes = bytes | mmap.mmap


class TraceFile:
    """Header and lines of one trace.

    ``count`` is the number of its events, ``truncated`` whether the last line is
    unfinished; ``offsets`` are the lines' places as far as an index knows them.
    ``lenient``: a damaged or missing line does not raise, it is a note that says so.
    Make one with :meth:`open` or :meth:`of_trace`.
    """

    lenient = False

    def __init__(self, name: str, data: Bytes, path: Path | None = None) -> None:
        self.name = name
        self.path = path
        self.data: Bytes = data
        self.header = Header()
        self.first = 0
        self.end = 0
        self.count = 0
        self.truncated = False
        self.offsets: Sequence[int] = ()
        self._spans: dict[int, tuple[int, int]] = {}
        self._events: OrderedDict[int, Event] = OrderedDict()
        self._read_header()
        self._measure()

    @classmethod
    def open(cls, path: Path) -> TraceFile:
        """Map a file. Raises TraceError, with place and remedy, for what is no trace."""
        return cls(str(path), _mapped(path), path)

    @classmethod
    def of_trace(cls, trace: Trace, name: str = "") -> TraceFile:
        """A run that is still in memory."""
        return cls(name or trace.header.scenario, b"".join(lines_of(trace)))

    def refresh(self) -> bool:
        """Look again at a file that is being written; True when it has grown.

        A file that is gone, shorter, or another one by now stays as it was read.
        """
        if self.path is None:
            return False
        before = (self.data, self.end, self.count, self.truncated)
        try:
            if self.path.stat().st_size <= len(self.data):
                return False
            grown = _mapped(self.path)
            if grown[: self.first] != self.data[: self.first]:
                return False
            self.data = grown
            self._measure()
        except (OSError, TraceError):
            self.data, self.end, self.count, self.truncated = before
            return False
        return self.count != before[2]

    def _read_header(self) -> None:
        end = self.data.find(b"\n")
        if end < 0:
            raise TraceError(
                f"{self.name}:1: this is no hooktwin trace (no header line); "
                "write one with 'hooktwin run SCENARIO --trace FILE'"
            )
        self.header = decode_header(Path(self.name), bytes(self.data[:end]))
        self.first = end + 1

    def _measure(self) -> None:
        self.end = max(self.data.rfind(b"\n") + 1, self.first)
        self.truncated = self.end < len(self.data)
        self.count = 0
        end = self.end
        while end > self.first:
            start = self.data.rfind(b"\n", self.first, end - 1) + 1 or self.first
            kind, n = self._number(start, end)
            if kind != "Snapshot":
                self.count = n + 1
                return
            end = start

    def _number(self, start: int, end: int) -> tuple[str, int]:
        """(kind, n) of a line. Raises TraceError for a line without them."""
        found = _NUMBER.match(self.data, start, min(end, start + 200))
        if found is not None:
            return found[1].decode(), int(found[2])
        try:
            line = json.loads(self.data[start:end])
            return str(line["kind"]), int(line["n"])
        except (ValueError, KeyError, TypeError) as error:
            raise TraceError(f"{self.name}: byte {start}: no event of a trace: {error}") from error

    # -- lines -------------------------------------------------------------------

    def span(self, n: int) -> tuple[int, int]:
        """(start, end) of an event's line in bytes. Raises IndexError."""
        if not 0 <= n < self.count:
            raise IndexError(f"step {n}: the trace has steps 0 to {self.count - 1}")
        if n < len(self.offsets):
            start = self.offsets[n]
            return start, self.data.find(b"\n", start, self.end)
        known = self._spans.get(n)
        if known is not None:
            return known
        before = self._spans.get(n - 1)
        return self._walk(before[1] + 1, n) if before is not None else self._search(n)

    def _search(self, n: int) -> tuple[int, int]:
        low, high = self.first, self.end
        while high - low > _NEAR:
            middle = self.data.rfind(b"\n", low, (low + high) // 2) + 1 or low
            if middle <= low:
                middle = self.data.find(b"\n", (low + high) // 2, high) + 1
                if middle in (0, high):
                    break
            _, found = self._number(middle, high)
            low, high = (middle, high) if found <= n else (low, middle)
        return self._walk(low, n)

    def _walk(self, start: int, n: int) -> tuple[int, int]:
        """The line of event ``n``, at or behind ``start``; its neighbours are remembered."""
        if len(self._spans) > 8 * KEPT:
            self._spans.clear()
        while start < self.end:
            end = self.data.find(b"\n", start, self.end)
            kind, found = self._number(start, end)
            if kind != "Snapshot":
                self._spans[found] = (start, end)
                if found >= n:
                    break
            start = end + 1
        if n not in self._spans:
            raise TraceError(f"{self.name}: step {n} is missing; the trace was edited")
        return self._spans[n]

    def line(self, n: int) -> bytes:
        """The text of an event without its end."""
        start, end = self.span(n)
        return bytes(self.data[start:end])

    def line_number(self, n: int) -> int:
        """In which line of the file an event stands, from 1. Raises IndexError, TraceError."""
        start, _ = self.span(n)
        pieces = range(0, start, READ_WHOLE)
        return 1 + sum(self.data[at : min(at + READ_WHOLE, start)].count(b"\n") for at in pieces)

    def event(self, n: int) -> Event:
        """An event, decoded: frames, requests and rows are plain JSON values.

        Raises TraceError for a damaged line, IndexError outside the trace.
        """
        known = self._events.get(n)
        if known is not None:
            return known
        try:
            event = self._decoded(n)
        except TraceError as error:
            if not self.lenient:
                raise
            # Not remembered: before there is an index, a search may stumble over damage elsewhere.
            return Noted(n=n, at=0, cause=-1, host="", what=DAMAGED, data=str(error))
        self._events[n] = event
        if len(self._events) > KEPT:
            self._events.popitem(last=False)
        return event

    def _decoded(self, n: int) -> Event:
        try:
            event = decode_event(self.line(n))
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            raise TraceError(f"{self.name}: step {n}: no event of this format: {error}") from error
        if event.n != n:
            raise TraceError(f"{self.name}: step {n} is missing; the trace was edited")
        return event

    def snapshot_before(self, n: int) -> tuple[int, Any] | None:
        """(events before it, scene) of the newest snapshot that knows no event behind ``n``.

        None when the file has none there (it may be older than snapshots are).
        """
        if self.count == 0:
            return None
        try:
            limit = self.span(min(n, self.count - 1))[0] if n < self.count else self.end
        except TraceError:
            if not self.lenient:
                raise
            return None
        place = self.data.rfind(b'\n{"kind":"Snapshot"', max(0, limit - (8 << 20)), limit)
        if place < 0:
            return None
        end = self.data.find(b"\n", place + 1)
        line = bytes(self.data[place + 1 : end])
        if not is_snapshot(line):
            return None
        try:
            told = msgspec.json.decode(line)
            return int(told["n"]), told["scene"]
        except (msgspec.DecodeError, KeyError, TypeError, ValueError):
            return None


def _mapped(path: Path) -> Bytes:
    """The bytes of a file. A small one is read: who maps a file that somebody else shortens
    is killed by the system when he looks behind its end.
    """
    try:
        with path.open("rb") as file:
            if path.stat().st_size <= READ_WHOLE:
                return read_within(path, file)
            try:
                return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            except (ValueError, OSError):  # an empty file, or a pipe
                return read_within(path, file)
    except OSError as error:
        raise TraceError(f"{path}: cannot read the trace: {error.strerror}") from error
