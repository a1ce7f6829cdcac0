"""One line of a log, in any of the forms that logs have: what happened, or what is wrong.

* a frame as it stood on the wire,
* ``{"ts", "dir", "conn", "raw"}``, under these or other usual names; without ``raw`` and
  with ``event`` it tells of an opening or a closing,
* any object with a frame in one of its fields, and any text before such an object
  (see :mod:`sim.check.fields`),
* a line of a trace (see :mod:`sim.check.recorded`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any, Final

import msgspec

from sim.check.clock import read_time
from sim.check.entry import CLOSED, FRAME, NO_FRAME, OPENED, TORN, BadLine, Entry
from sim.check.fields import CONN, Facts, facts_before, facts_of, frame_in, is_frame
from sim.check.source import LONGEST, TooLong
from sim.check.ways import plain
from sim.wire.result import ParseResult

Parse = Callable[[str], ParseResult]

EVENT: Final = ("event", "what", "kind", "type", "dir")
_SURE_EVENT: Final = (*CONN, "code", "url", "path")
"""One of these beside it, and a word is about a connection, whatever else the line says."""
_PROSE: Final = ("level", "msg", "message")
_VAGUE: Final = ("connection", "end", "ended", "error")
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


_OBJECT: Final = re.compile(rb'\{"(?:ts|v|time|raw|dir|conn|type|protocolVersion)"')
LONGEST_PREFIX: Final = 400
NOTHING: Final[Facts] = (None, "", "")
SALVAGED: Final = 8
"""Objects that are looked for in a line that is no JSON."""
_record = msgspec.json.Decoder(_Record).decode
_anything = msgspec.json.Decoder().decode


class LineReader:
    """Reads lines of logs; remembers which form the last one had, and tries it first."""

    def __init__(self, parse: Parse) -> None:
        self._parse = parse
        self.is_bare = False
        self._words: dict[str | None, str] = {None: ""}

    def read(self, number: int, line: bytes) -> Entry | BadLine | None:
        """What a line says; None for an empty one."""
        try:
            if self.is_bare:
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
        self.is_bare = False
        value = decoded(text)
        if isinstance(value, ValueError):
            behind = self._behind_text(number, text)
            if behind is not None:
                return behind
            column = _column(text, str(value)) + line.find(stripped)
            kind = TORN if _is_tail(text) else ""
            return BadLine(number, column, _reason(text, str(value)), kind)
        if not isinstance(value, dict):
            return BadLine(number, 1, "no JSON object: neither a frame nor a log's line")
        return self._sort_out(number, text, value)

    def _sort_out(
        self, number: int, text: str, value: dict[str, Any], before: Facts = NOTHING
    ) -> Entry | BadLine:
        if is_frame(value) and "raw" not in value:
            verdict = self._parse(text)
            self.is_bare = verdict.ok and before is NOTHING
            return Entry(FRAME, number, before[0], "", None, text, before[2], verdict)
        happened = _happening(value)
        found = None if happened and "raw" not in value else frame_in(value)
        if found is not None:
            raw, (at, conn, way) = found
            at = before[0] if at is None else at
            return Entry(FRAME, number, at, conn, None, raw, way or before[2], self._parse(raw))
        if happened:
            at, conn, _ = facts_of((value,))
            return Entry(happened, number, before[0] if at is None else at, conn, facts=value)
        names = ", ".join(list(value)[:6]) or "nothing"
        error = f"no frame in it: expected v and type (or messageType), or raw; there is {names}"
        return BadLine(number, 1, error, NO_FRAME)

    def _behind_text(self, number: int, text: str) -> Entry | BadLine | None:
        """A line whose JSON stands at its end, behind what a logger has put before it."""
        place = text.find("{")
        prefix = text[:place]
        if place <= 0 or place > LONGEST_PREFIX or '"' in prefix or "}" in prefix:
            return None
        value = decoded(text[place:])
        if not isinstance(value, dict):
            return None
        return self._sort_out(number, text[place:], value, facts_before(prefix))


def _happening(value: Mapping[str, Any]) -> str:
    """Whether a line tells that a connection was opened or closed; "" for neither."""
    what = next((plain(value[key]) for key in EVENT if plain(value.get(key))), "")
    if "v" in value or (what not in _OPENINGS and what not in _CLOSINGS):
        return ""
    is_sure = any(key in value for key in _SURE_EVENT)
    is_prose = any(key in value for key in _PROSE)
    if not is_sure and (is_prose or what in _VAGUE):
        return ""
    return OPENED if what in _OPENINGS else CLOSED


def _is_tail(text: str) -> bool:
    """Whether a line looks like the end of one whose beginning was cut off."""
    return text[:1] not in ("{", "[") and text.endswith("}") and '":' in text.replace("\\", "")


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
