"""Rows that the parser watches: one frame that it takes, and its bad twin.

A frame is written as its type and what differs from the type's example.
"""

from __future__ import annotations

import copy
from typing import Any

from sim.protocols.catalogue import GONE, FrameCheck
from sim.protocols.hook.frames import MESSAGES
from sim.protocols.hook.parse import parse_hook_message

__all__ = ["GONE", "check", "judged", "whole"]


def judged(row: str, what: str, path: str | None, good: Any, bad: Any) -> FrameCheck:
    """A check with whole frames, or texts."""
    return FrameCheck(row, what, path, good, bad, parse_hook_message)


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
    return judged(row, kind, at, _frame(kind, good or {}, {}), _frame(kind, bad, {}))


def whole(
    row: str, kind: str, path: str | None, /, *, good: dict[str, Any] | None = None, **bad: Any
) -> FrameCheck:
    """The same for the fields around the payload."""
    return judged(row, kind, path, _frame(kind, {}, good or {}), _frame(kind, {}, bad))
