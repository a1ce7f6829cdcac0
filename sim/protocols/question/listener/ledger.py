"""Which updates are being handled, and from which number on to poll (DQ-14)."""

from __future__ import annotations

from typing import Final

REMEMBERED: Final = 1_000
"""So many ended updates are known again when Telegram repeats them."""


class Ledger:
    """The updates that this life of a listener has taken.

    Telegram forgets what is below the offset of a getUpdates. So the offset passes an
    update only when its handling has ended, and what is above it comes again meanwhile.
    With ``waits`` off the offset passes an update as soon as it is taken.
    """

    __slots__ = ("_ended", "_next", "_open", "_waits")

    def __init__(self, waits: bool = True) -> None:
        self._waits = waits
        self._next = 0
        self._open: dict[int, None] = {}
        self._ended: dict[int, None] = {}

    @property
    def is_busy(self) -> bool:
        """Whether an update is being handled."""
        return bool(self._open)

    @property
    def offset(self) -> int:
        """The number to poll from: the oldest unfinished update, else the next one."""
        if self._waits and self._open:
            return min(self._open)
        return self._next

    def take(self, update_id: int) -> bool:
        """Begin an update. → False: it has been taken before, and must not be handled."""
        if update_id in self._open or update_id in self._ended:
            return False
        self._open[update_id] = None
        self._next = max(self._next, update_id + 1)
        return True

    def end(self, update_id: int) -> None:
        """An update's handling has ended, however. Raises KeyError for one not taken."""
        del self._open[update_id]
        self._ended[update_id] = None
        if len(self._ended) > REMEMBERED:
            del self._ended[next(iter(self._ended))]
