"""Channels that asked for patience: a 429 is about everybody who writes there.

A message waits for its own Retry-After in ``writing``; here the others of the
same channel (or chat) learn of it. Channels that said nothing are not slowed
down, and an answer goes before snapshots (RC-99).
"""

from __future__ import annotations

PROGRESS_WAITS_US = 250_000
"""How much longer than answers a snapshot waits when the channel is back."""


class Pace:
    """Until when which channels want no calls."""

    __slots__ = ("_until",)

    def __init__(self) -> None:
        self._until: dict[tuple[str, str], int] = {}

    def hold(self, channel: str, chat: str, until_us: int) -> bool:
        """No calls before then. → whether that is later than what was known."""
        place = (channel, chat)
        if until_us <= self._until.get(place, 0):
            return False
        self._until[place] = until_us
        return True

    @property
    def is_asked_for(self) -> bool:
        """Whether any channel wants patience."""
        return bool(self._until)

    def rest_us(self, channel: str, chat: str, now_us: int, final: bool) -> int:
        """How long a write has to wait yet; 0: it may go."""
        until_us = self._until.get((channel, chat))
        if until_us is None:
            return 0
        end_us = until_us if final else until_us + PROGRESS_WAITS_US
        if now_us >= until_us + PROGRESS_WAITS_US:
            del self._until[channel, chat]
        return max(0, end_us - now_us)
