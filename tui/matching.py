"""The steps that a filter lets through, found in slices, in order."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Collection

from sim.view.filters import parse_filter
from tui.session import Session

SLICE = 500


class Matching:
    """One filter over one run. ``found`` grows until :attr:`done`.

    Raises FilterError for a text that does not parse.
    """

    def __init__(self, session: Session, text: str, causes: Collection[int] = ()) -> None:
        self.session = session
        self.text = text.strip()
        self.filter = parse_filter(text)
        self.lookup = session.lookup()
        self.lookup.sets["@causes"] = frozenset(causes)
        deeds = session.deeds[-1].step if session.deeds else -1
        self.lookup.sets["@branch"] = range(deeds + 1, session.count)
        self.found = array("Q")
        self.next = 0

    def __bool__(self) -> bool:
        return bool(self.text)

    @property
    def done(self) -> bool:
        return not self.text or self.next >= self.session.count

    def work(self, steps: int = SLICE) -> bool:
        """Look at some more steps; False when all have been looked at."""
        if self.done:
            return False
        until = min(self.next + steps, self.session.count)
        test, facts = self.filter.test, self.lookup.facts
        for n in range(self.next, until):
            if test(facts(n)):
                self.found.append(n)
        self.next = until
        return True

    def lets(self, n: int) -> bool:
        """Whether a step passes, looked at already or not."""
        if not self.text:
            return True
        if n < self.next:
            place = bisect_left(self.found, n)
            return place < len(self.found) and self.found[place] == n
        return self.filter.test(self.lookup.facts(n))

    def after(self, n: int) -> int | None:
        """The next match behind a step."""
        place = bisect_right(self.found, n)
        return self.found[place] if place < len(self.found) else None

    def before(self, n: int) -> int | None:
        """The match before a step."""
        place = bisect_left(self.found, n)
        return self.found[place - 1] if place else None
