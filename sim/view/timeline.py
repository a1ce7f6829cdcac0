"""The run along one line of a screen: how much happens where, and what stands out.

A column of the line stands for an equal share of the steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import attrs

from sim.view.columns import Columns, place_of

SIGNS: Mapping[str, str] = {"hello": "h", "turn.end": "e"}
"""Frame types that get a letter of their own; a protocol may hand over others."""

FAULT = "x"
FINDING = "!"
DIFFERENCE = "≠"
_RANK = {"": 0, " ": 0, DIFFERENCE: 3, FAULT: 4, FINDING: 5}


@attrs.frozen
class Buckets:
    """``counts`` of events and the most telling ``marks`` per column."""

    counts: tuple[int, ...]
    marks: tuple[str, ...]
    steps: int

    def column_of(self, step: int) -> int:
        """Where a step stands."""
        return column_of(step, self.steps, len(self.counts))

    def step_of(self, column: int) -> int:
        """The first step of a column."""
        width = max(len(self.counts) - 1, 1)
        last = max(self.steps - 1, 0)
        return min(max(-(-column * last // width), 0), last)


def column_of(step: int, steps: int, width: int) -> int:
    """The column of a step when ``steps`` are spread over ``width`` columns."""
    if steps <= 1 or width <= 1:
        return 0
    return min(max(step, 0), steps - 1) * (width - 1) // (steps - 1)


def buckets(
    columns: Columns,
    width: int,
    *,
    findings: Iterable[int] = (),
    differences: Iterable[int] = (),
    signs: Mapping[str, str] = SIGNS,
) -> Buckets:
    """Fold what has been read of a trace into ``width`` columns."""
    steps = columns.trace.count
    marks = [""] * width
    counts = [0] * width
    fault = place_of("FaultInjected")
    delivered = place_of("FrameDelivered")
    letters = {
        place: signs[text] for place, text in enumerate(columns.words.texts) if text in signs
    }
    for column in range(width):
        low, high = _range(column, width, steps, len(columns))
        counts[column] = high - low
        if columns.kind.find(fault, low, high) >= 0:
            marks[column] = FAULT
        elif letters:
            marks[column] = _letter(columns, low, high, delivered, letters)
    for step in differences:
        _put(marks, column_of(step, steps, width), DIFFERENCE)
    for step in findings:
        _put(marks, column_of(step, steps, width), FINDING)
    return Buckets(tuple(counts), tuple(marks), steps)


_LOOKED_AT = 64
"""Frames of a column that are looked at for a letter: a line shows no more anyway."""


def _letter(
    columns: Columns, low: int, high: int, delivered: int, letters: Mapping[int, str]
) -> str:
    place = low
    for _ in range(_LOOKED_AT):
        place = columns.kind.find(delivered, place, high)
        if place < 0:
            return ""
        letter = letters.get(columns.type[place])
        if letter:
            return letter
        place += 1
    return ""


def _range(column: int, width: int, steps: int, known: int) -> tuple[int, int]:
    """The steps of a column that have been read."""
    if width <= 1 or steps <= 1:
        return (0, known) if column == 0 else (0, 0)
    low = -(-column * (steps - 1) // (width - 1))
    high = -(-(column + 1) * (steps - 1) // (width - 1))
    return min(low, known), min(max(high, low), known)


def _put(marks: list[str], column: int, sign: str) -> None:
    if marks and _RANK.get(sign, 1) > _RANK.get(marks[column], 1 if marks[column] else 0):
        marks[column] = sign


def next_mark(marks: Sequence[int], step: int) -> int | None:
    """The first of some steps behind this one."""
    return min((mark for mark in marks if mark > step), default=None)


def previous_mark(marks: Sequence[int], step: int) -> int | None:
    """The last of some steps before this one."""
    return max((mark for mark in marks if mark < step), default=None)


def faults(columns: Columns) -> list[int]:
    """The steps at which something was done to the run, as far as it has been read."""
    fault, found, place = place_of("FaultInjected"), [], -1
    while (place := columns.kind.find(fault, place + 1)) >= 0:
        found.append(place)
    return found
