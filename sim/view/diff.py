"""Two runs side by side: where they part, and which steps stand beside each other.

Runs of one schedule are equal up to their first difference. Behind it steps are
aligned by what they are (kind, frame type or request, ends), not by number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any

import attrs

from sim.view.scene import kind_of
from sim.view.tracefile import TraceFile

CHUNK = 1 << 16
MOST_ALIGNED = 4000
"""Steps behind the first difference that are aligned; the rest stand one below the other."""


@attrs.frozen
class Pair:
    """A line of the comparison; -1 where one run has nothing.

    ``same``: the two are the same event. ``stretch``: it begins a stretch of differences.
    """

    left: int
    right: int
    same: bool
    stretch: bool = False


def first_difference(left: TraceFile, right: TraceFile) -> int | None:
    """The number of the first event that is not the same in both; None if none is.

    Compares bytes and decodes nothing; snapshots between events do not count.
    """
    low, high = 0, min(left.count, right.count)
    whole = high
    while low < high:
        step = min(high, low + 4096)
        if all(left.line(n) == right.line(n) for n in range(low, step)):
            low = step
            continue
        return next(n for n in range(low, step) if left.line(n) != right.line(n))
    return None if left.count == right.count else whole


def identity(event: Any) -> tuple[str, ...]:
    """What makes steps of two runs the same thing: kind, words, ends, request."""
    ends = [
        str(getattr(event, name, ""))
        for name in ("host", "sender", "receiver", "caller", "callee", "client", "link", "type")
    ]
    subject = getattr(event, "request", None)
    state = subject.get("state", "") if isinstance(subject, dict) else ""
    return (type(event).__name__, *ends, kind_of(subject), str(state))


def align(
    left: TraceFile, right: TraceFile, identity: Callable[[Any], Any], shown: Callable[[Any], bool]
) -> list[Pair]:
    """All shown steps of both runs in pairs.

    ``identity`` of an event is equal where two events are the same thing in both
    runs; ``shown`` says which events get a line.
    """
    parted = first_difference(left, right)
    common = min(left.count, right.count) if parted is None else parted
    pairs = [Pair(n, n, True) for n in range(common) if shown(left.event(n))]
    rest_left = [n for n in range(common, left.count) if shown(left.event(n))][:MOST_ALIGNED]
    rest_right = [n for n in range(common, right.count) if shown(right.event(n))][:MOST_ALIGNED]
    rest = _aligned(
        rest_left,
        rest_right,
        [identity(left.event(n)) for n in rest_left],
        [identity(right.event(n)) for n in rest_right],
    )
    return [*pairs, *_with_stretches(rest)]


def _aligned(
    left: Sequence[int], right: Sequence[int], ours: Sequence[Any], theirs: Sequence[Any]
) -> Iterator[Pair]:
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    for verb, a, b, c, d in matcher.get_opcodes():
        if verb == "equal":
            yield from (Pair(left[a + i], right[c + i], True) for i in range(b - a))
            continue
        for i in range(max(b - a, d - c)):
            one = left[a + i] if i < b - a else -1
            other = right[c + i] if i < d - c else -1
            yield Pair(one, other, False)


def _with_stretches(pairs: Iterator[Pair]) -> Iterator[Pair]:
    different = False
    for pair in pairs:
        yield attrs.evolve(pair, stretch=not pair.same and not different)
        different = not pair.same
