"""What a reader of logs makes of a line: a frame, an opening or a closing, or a fault."""

from __future__ import annotations

from typing import Any, Final

import attrs

FRAME: Final = "frame"
OPENED: Final = "opened"
CLOSED: Final = "closed"
DELIVERED: Final = "delivered"
LOST: Final = "lost"
DOUBLED: Final = "doubled"
FAULT: Final = "fault"

NO_FRAME: Final = "no frame"
TORN: Final = "torn"


class Entry:
    """One thing that happened, as a log tells it.

    ``at`` is the log's own time, in whatever unit, None where it has none; ``line`` where it
    stands. ``up``: whether the client sent it; None: not said, then ``word`` is what the log
    says of the direction. ``verdict`` is the parser's, where a reader had to ask it.
    ``facts`` are those of an opening or closing, and of a recorded event.
    """

    __slots__ = ("at", "conn", "facts", "line", "text", "up", "verdict", "what", "word")

    def __init__(
        self,
        what: str,
        line: int,
        at: float | None = None,
        conn: str = "",
        up: bool | None = None,
        text: str = "",
        word: str = "",
        verdict: Any = None,
        facts: Any = None,
    ) -> None:
        self.what = what
        self.line = line
        self.at = at
        self.conn = conn
        self.up = up
        self.text = text
        self.word = word
        self.verdict = verdict
        self.facts = facts


@attrs.frozen
class BadLine:
    """A line of which nothing can be made. ``column`` counts characters from 1.

    ``kind`` is NO_FRAME for a whole line that is about something else, TORN for the end of
    one whose beginning was cut off, else "".
    """

    line: int
    column: int
    error: str
    kind: str = ""
