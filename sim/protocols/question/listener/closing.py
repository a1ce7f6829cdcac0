"""Which questions this life of a listener is about to close, or has closed (DQ-13, DQ-10).

Claims keep handlers of one entry apart. Two entries may be about one question, where the
list or an entry names no call; it is closed once all the same.
"""

from __future__ import annotations

from typing import Final

REMEMBERED: Final = 1_000


class Closing:
    """Questions by requestID: one reply or reject at a time, and none after a success."""

    __slots__ = ("_closed", "_under_way")

    def __init__(self) -> None:
        self._under_way: dict[str, None] = {}
        self._closed: dict[str, None] = {}

    def begin(self, request_id: str) -> bool:
        """Whether it may be closed now; then :meth:`end` has to follow."""
        if request_id in self._under_way or request_id in self._closed:
            return False
        self._under_way[request_id] = None
        return True

    def end(self, request_id: str, *, closed: bool) -> None:
        """The call has ended; ``closed``: OpenCode has taken it."""
        del self._under_way[request_id]
        if closed:
            self._closed[request_id] = None
            if len(self._closed) > REMEMBERED:
                del self._closed[next(iter(self._closed))]
