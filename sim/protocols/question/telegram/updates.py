"""What a bot has yet to be told: updates in order, until a later offset confirms them."""

from __future__ import annotations

from typing import Any, Final

import attrs

from sim.protocols.question.telegram.plan import FIRST_UPDATE
from sim.protocols.question.telegram.refusals import bad

KEPT_US: Final = 24 * 3_600_000_000
MOST: Final = 100
LONGEST_POLL_S: Final = 50


@attrs.frozen
class Update:
    """``wire`` is the object that goes out, ``at_us`` when it came up."""

    id: int
    at_us: int
    wire: dict[str, Any]


class Inbox:
    """The updates of one bot, and who is waiting for them.

    ``pollers`` are the keys of the calls that wait, oldest first.
    """

    __slots__ = ("_again", "_allowed", "_next", "_waiting", "pollers")

    def __init__(self) -> None:
        self._next = FIRST_UPDATE
        self._waiting: list[Update] = []
        self._again: list[Update] = []
        self._allowed: tuple[str, ...] = ()
        self.pollers: list[str] = []

    def listen(self, allowed: Any) -> None:
        """Which kinds the bot wants from now on; None leaves it as it was, [] is all."""
        if allowed is None:
            return
        if not isinstance(allowed, (list, tuple)):
            raise bad("Bad Request: can't parse allowed updates: expected an Array")
        self._allowed = tuple(str(one) for one in allowed)

    def add(self, kind: str, content: dict[str, Any], now_us: int) -> Update | None:
        """Something has happened; None: the bot does not want to know."""
        if self._allowed and kind not in self._allowed:
            return None
        update = Update(self._next, now_us, {"update_id": self._next, kind: content})
        self._next += 1
        self._waiting.append(update)
        return update

    def repeat(self, update: Update) -> None:
        """It goes out once more even when it is confirmed."""
        self._again.append(update)

    def confirm(self, offset: int) -> None:
        """Updates before ``offset`` are done with; a negative one keeps only so many."""
        if offset < 0:
            self._waiting = self._waiting[offset:]
        else:
            self._waiting = [one for one in self._waiting if one.id >= offset]

    def take(self, limit: int, now_us: int) -> list[dict[str, Any]]:
        """The oldest of those that are not confirmed; they stay until they are."""
        self._waiting = [one for one in self._waiting if now_us - one.at_us <= KEPT_US]
        known = {one.id for one in self._waiting}
        found = [one for one in self._again if one.id not in known] + self._waiting
        self._again = [one for one in self._again if one.id in known]
        most = limit if 1 <= limit <= MOST else MOST
        return [one.wire for one in found[:most]]
