"""One line of a log, in any of the forms that logs have: what happened, or what is wrong.

* a frame as it stood on the wire,
* ``{"ts", "dir", "conn", "raw"}``, under these or other usual names; without ``raw`` and
  with ``event`` it tells of an opening or a closing,
* a line of a trace (see :mod:`sim.check.recorded`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any, Final

import msgspec

from sim.check.clock import read_time
from sim.check.entry import CLOSED, FRAME, OPENED, BadLine, Entry
from sim.check.source import LONGEST, TooLong
from sim.check.ways import plain
from sim.wire.encode import encode_json
from sim.wire.result import ParseResult

Parse = Callable[[str], ParseResult]

RAW: Final = ("raw", "text", "frame", "data", "message", "msg", "payload", "body")
TIME: Final = ("ts", "time", "timestamp", "at", "t", "@timestamp", "date")
WAY: Final = ("dir", "direction", "way", "from", "sender", "by")
CONN: Final = ("conn", "connection", "link", "socket", "session", "cid", "connId", "id")
EVENT: Final = ("event", "what", "kind", "type", "dir")
_OPENINGS: Final = ("open", "opened", "connect", "connected", "connection")
_CLOSINGS: Final = ("close", "closed", "disconnect", "disconnected", "end", "ended", "error")
_PLACE: Final = re.compile(r"\((?:byte|char) (\d+)\)")
_STDLIB_PLACE: Final = re.compile(r"column (\d+)")
_ANY_PLACE: Final = re.compile(r"\((?:byte|char) \d+\)|: line \d+ column \d+")


class _Record(msgspec.Struct):
    """The usual form, under its usual names."""

    raw: str
    ts: int | float | str | None = None
    dir: str | None = None
    conn: str | int | None = None


_OBJECT: Final = re.compile(rb'\{"(?:ts|v|time|raw|dir|conn|type)"')
SALVAGED: Final = 8
"""Objects that are looked for in a line that is no JSON."""
_record = msgspec.json.Decoder(_Record).decode
_anything = msgspec.json.Decoder().decode


class LineReader:
    """Reads lines of logs; remembers which form the last one had, and tries it first."""

    def __init__(self, parse: Parse) -> None:
        self._parse = parse
        self._bare = False
        self._words: dict[str | None, str] = {None: ""}

    def read(self, number: int, line: bytes) -> Entry | BadLine | None:
        """What a line says; None for an empty one."""
        try:
            if self._bare:
                return self._read_bare(number, line)
            record = _record(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return self._read_slowly(number, line)
        word = self._words.get(record.dir)
        if word is None:
            word = self._words[record.dir] = plain(record.dir)
        at, conn = record.ts, record.conn
        if at is not None and type(at) is not float:
            at = read_time(at)
        if type(conn) is not str:
            conn = "" if conn is None else str(conn)
        raw = record.raw
        return Entry(FRAME, number, at, conn, None, raw, word, self._parse(raw))

    def salvage(self, number: int, line: bytes, bad: BadLine) -> list[Entry | BadLine]:
        """What can be had of a line that is no JSON as a whole.

        Several writers of one file tear each other's lines: objects may follow each other
        without a newline, or a whole one the beginning of another.
        """
        places = [one.start() for one in islice(_OBJECT.finditer(line), 1, SALVAGED)]
        found: list[Entry | BadLine] = []
        start = 0
        for place in places:
            first = self.read(number, line[start:place])
            if isinstance(first, Entry):
                found.append(first)
                start = place
        if start:
            rest = self.read(number, line[start:])
            return [*found, rest if isinstance(rest, Entry) else bad]
        # Its beginning is lost; there may be a whole one behind it.
        behind = (self.read(number, line[place:]) for place in places)
        whole = next((one for one in behind if isinstance(one, Entry)), None)
        return [bad] if whole is None else [bad, whole]

    def _read_bare(self, number: int, line: bytes) -> Entry | BadLine | None:
        text = line.decode()
        verdict = self._parse(text)
        if not verdict.ok:
            return self._read_slowly(number, line)
        return Entry(FRAME, number, None, "", None, text, "", verdict)

    def _read_slowly(self, number: int, line: bytes) -> Entry | BadLine | None:
        """Any form, or what is wrong with the line."""
        if isinstance(line, TooLong):
            return BadLine(number, LONGEST + 1, f"longer than {LONGEST >> 20} MiB: passed over")
        stripped = line.strip(b" \t\r")
        if not stripped:
            return None
        try:
            text = stripped.decode()
        except UnicodeDecodeError as error:
            column = len(line[: line.find(stripped) + error.start].decode(errors="replace")) + 1
            byte = stripped[error.start]
            return BadLine(number, column, f"not UTF-8 (byte 0x{byte:02x})")
        self._bare = False
        value = decoded(text)
        if isinstance(value, ValueError):
            column = _column(text, str(value)) + line.find(stripped)
            return BadLine(number, column, _reason(text, str(value)))
        if not isinstance(value, dict):
            return BadLine(number, 1, "no JSON object: neither a frame nor a log's line")
        return self._sort_out(number, text, value)

    def _sort_out(self, number: int, text: str, value: dict[str, Any]) -> Entry | BadLine:
        raw = None if "v" in value and "raw" not in value else _raw_of(value)
        facts = _facts_of(value)
        if raw is not None:
            return Entry(FRAME, number, *facts[:2], None, raw, facts[2], self._parse(raw))
        what = next((plain(value[key]) for key in EVENT if plain(value.get(key))), "")
        if "v" not in value and (what in _OPENINGS or what in _CLOSINGS):
            happened = OPENED if what in _OPENINGS else CLOSED
            return Entry(happened, number, *facts[:2], facts=value)
        if "v" in value or "type" in value:
            verdict = self._parse(text)
            self._bare = verdict.ok
            return Entry(FRAME, number, None, "", None, text, "", verdict)
        names = ", ".join(list(value)[:6]) or "nothing"
        return BadLine(number, 1, f"no frame in it: expected v and type, or raw; there is {names}")


def decoded(text: str) -> Any:
    """The JSON value of a text, or the ValueError that says why there is none."""
    try:
        return _anything(text)
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError) as error:
        from sim.wire.decode import NotJson, decode_json

        try:
            return decode_json(text)
        except NotJson as fault:
            return ValueError(str(error) if _PLACE.search(str(error)) else str(fault))


def _raw_of(value: Mapping[str, Any]) -> str | None:
    for key in RAW:
        found = value.get(key)
        if isinstance(found, str):
            return found
        if isinstance(found, dict) and ("v" in found or "type" in found):
            return encode_json(found)
    return None


def _facts_of(value: Mapping[str, Any]) -> tuple[float | None, str, str]:
    """Time, connection and direction."""
    at = next((read_time(value[key]) for key in TIME if key in value), None)
    conn = next((value[key] for key in CONN if isinstance(value.get(key), str | int)), "")
    way = next((plain(value[key]) for key in WAY if plain(value.get(key))), "")
    return at, str(conn), way


def _column(text: str, error: str) -> int:
    """Where a decoder stopped, in characters from 1."""
    found = _PLACE.search(error)
    if found is not None:
        before = text.encode(errors="surrogatepass")[: int(found[1])]
        return len(before.decode(errors="replace")) + 1
    found = _STDLIB_PLACE.search(error)
    return int(found[1]) if found is not None else len(text) + 1


def _reason(text: str, error: str) -> str:
    if not text.startswith("{"):
        return "no JSON"
    if "truncated" in error or _column(text, error) > len(text):
        return "the line ends in the middle of its JSON"
    plainly = _ANY_PLACE.sub("", error).replace("JSON is malformed: ", "").strip(" :")
    return f"no valid JSON: {plainly}"
