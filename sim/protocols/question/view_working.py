"""Which attempts a listener is at: the others are never walked again, however many there were."""

from __future__ import annotations

from bisect import insort

from sim.protocols.question.view_records import Attempt


class Working:
    """Attempts that have not ended, or end with a call that takes long, in order of arrival."""

    def __init__(self) -> None:
        self._places: dict[Attempt, int] = {}
        self._of: dict[str, list[Attempt]] = {}

    def of(self, listener: str) -> list[Attempt]:
        """What a listener is at."""
        self._of[listener] = [one for one in self._of.get(listener, ()) if one.is_at_work]
        return list(self._of[listener])

    def came(self, attempt: Attempt) -> None:
        """A listener has got an update."""
        self._places[attempt] = len(self._places)
        self._of.setdefault(attempt.listener, []).append(attempt)

    def speaks(self, attempt: Attempt) -> None:
        """It calls somebody, after its end perhaps: then it is at work again."""
        mine = self._of[attempt.listener]
        if attempt not in mine:
            insort(mine, attempt, key=self._places.__getitem__)
