"""Rows that the parser watches: one frame that it takes, and its bad twin.

A frame is written as its type and what differs from the type's example.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, Final

import attrs

from sim.protocols.hook.frames import MESSAGES
from sim.protocols.hook.parse import parse_hook_message
from sim.wire.result import ParseResult

GONE: Final = object()
"""Instead of a value: the field is left out."""

Parser = Callable[[object], ParseResult]


@attrs.frozen
class FrameCheck:
    """``row`` is watched by the parser: ``good`` passes, ``bad`` is refused at ``path``.

    A ``bad`` frame that is large may be a function that makes it.
    """

    row: str
    what: str
    path: str | None
    good: Any
    bad: Any

    @property
    def name(self) -> str:
        """The message type and field, as a reader looks it up."""
        return self.path or f"{self.what} (as a whole)"

    def fault(self, parse: Parser = parse_hook_message) -> str:
        """What is wrong with this check; "" when the parser does what the row says."""
        verdict = parse(self.good)
        if not verdict.ok:
            return f"the good {self.what} is refused: {verdict.error}"
        verdict = parse(self.bad() if callable(self.bad) else self.bad)
        if verdict.ok:
            return f"the bad {self.what} is accepted"
        if verdict.path != self.path:
            return f"the bad {self.what} is refused at {verdict.path}, not at {self.path}"
        return ""


def _frame(kind: str, fields: dict[str, Any], envelope: dict[str, Any]) -> dict[str, Any]:
    """The example of a type with other fields; ``a__b`` reaches into objects and lists."""
    cls = MESSAGES[kind]
    payload: dict[str, Any] = copy.deepcopy(cls.EXAMPLE)
    for name, value in fields.items():
        place: Any = payload
        *way, last = name.split("__")
        for step in way:
            place = place[int(step) if step.isdigit() else step]
        if value is GONE:
            del place[last]
        else:
            place[last] = value
    return {**cls.enclose("f-1", 1760000000000, payload), **envelope}


def check(
    row: str, kind: str, path: str | None, /, *, good: dict[str, Any] | None = None, **bad: Any
) -> FrameCheck:
    """A check by what is different in the bad frame (and in the good one)."""
    at = None if path is None else (f"{kind}.{path}" if path else kind)
    return FrameCheck(row, kind, at, _frame(kind, good or {}, {}), _frame(kind, bad, {}))


def whole(
    row: str, kind: str, path: str | None, /, *, good: dict[str, Any] | None = None, **bad: Any
) -> FrameCheck:
    """The same for the fields around the payload."""
    return FrameCheck(row, kind, path, _frame(kind, {}, good or {}), _frame(kind, {}, bad))
