"""How fast a bot may write into one chat."""

from __future__ import annotations

from collections import deque

import attrs

SECOND_US = 1_000_000
MINUTE_US = 60 * SECOND_US


@attrs.frozen
class Pace:
    """At most so many writes (posts and edits) per chat; 0: no such limit."""

    per_second: int = 0
    per_minute: int = 0
    per_minute_in_groups: int = 0


class Clocked:
    """Watches one bot's pace, chat by chat."""

    __slots__ = ("_pace", "_writes")

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._writes: dict[str, deque[int]] = {}

    def write(self, chat: str, is_group: bool, now_us: int) -> int:
        """Count a write. → 0, or how long to wait (whole seconds, in µs): it did not happen."""
        pace = self._pace
        per_minute = (is_group and pace.per_minute_in_groups) or pace.per_minute
        if not (pace.per_second or per_minute):
            return 0
        limits = ((pace.per_second, SECOND_US), (per_minute, MINUTE_US))
        writes = self._writes.setdefault(chat, deque())
        while writes and writes[0] <= now_us - MINUTE_US:
            writes.popleft()
        wait_us = max(_wait(writes, count, within, now_us) for count, within in limits)
        if wait_us == 0:
            writes.append(now_us)
        return -(-wait_us // SECOND_US) * SECOND_US


def _wait(writes: deque[int], count: int, within_us: int, now_us: int) -> int:
    """How long until fewer than ``count`` writes lie within that time."""
    if count == 0 or len(writes) < count:
        return 0
    return max(0, writes[-count] + within_us - now_us)
