"""Lines of the usual form, many at once: each is decoded into what the feed wants of it."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final

import msgspec

from sim.check.clock import read_time
from sim.check.entry import FRAME, Entry
from sim.check.ways import plain

LONGEST: Final = 1 << 22
"""Characters of a frame that is read together with others."""
BATCH: Final = 256
"""Lines that are read together: if one of them has another form, all are read singly."""


class Usual(msgspec.Struct, gc=False):
    """A frame of ``{"ts", "dir", "conn", "raw"}``; used like an :class:`~sim.check.entry.Entry`.

    ``line`` is set by the reader, whatever the line says under its name. The ``verdict`` is
    left to the feed: a frame that is read only when it is judged is still at hand then.
    """

    what: ClassVar[str] = FRAME
    up: ClassVar[None] = None
    facts: ClassVar[None] = None

    text: Annotated[str, msgspec.Meta(max_length=LONGEST)] = msgspec.field(name="raw")
    at: int | float | str | None = msgspec.field(name="ts", default=None)
    word: str | None = msgspec.field(name="dir", default=None)
    conn: str | int | None = None
    line: int = msgspec.field(name=" line", default=0)
    verdict: None = msgspec.field(name=" verdict", default=None)


_decode = msgspec.json.Decoder(Usual).decode


class UsualReader:
    """Reads frames of the usual form together."""

    def __init__(self) -> None:
        self._words: dict[str | None, str] = {None: ""}

    def read(self, first: int, lines: list[bytes]) -> list[Entry] | None:
        """What the lines from number ``first`` on say; None: one of them has another form."""
        try:
            entries: list[Any] = list(map(_decode, lines))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None
        words = self._words
        for entry in entries:
            entry.line = first
            first += 1
            word = words.get(entry.word)
            entry.word = self._learn(entry.word) if word is None else word
            if type(entry.at) is not float and entry.at is not None:
                entry.at = read_time(entry.at)
            if type(entry.conn) is not str:
                entry.conn = "" if entry.conn is None else str(entry.conn)
        return entries

    def _learn(self, word: str | None) -> str:
        self._words[word] = known = plain(word)
        return known
