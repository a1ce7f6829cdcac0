"""What a parsed filter is made of: values that say yes or no to the facts of a step."""

from __future__ import annotations

import re
from typing import Protocol

import attrs

from sim.view.filters.facts import NUMBER_FIELDS, TEXT_FIELDS, Facts

FIELDS = (*TEXT_FIELDS, *NUMBER_FIELDS, "finding")
SELECTORS = ("@cursor", "@marked", "@causes", "@branch")


class Filter(Protocol):
    """A predicate over steps."""

    def test(self, facts: Facts) -> bool:
        """Whether the step passes."""


@attrs.frozen
class Everything:
    """The empty filter."""

    def test(self, facts: Facts) -> bool:
        return True


@attrs.frozen
class Both:
    left: Filter
    right: Filter

    def test(self, facts: Facts) -> bool:
        return self.left.test(facts) and self.right.test(facts)


@attrs.frozen
class Either:
    left: Filter
    right: Filter

    def test(self, facts: Facts) -> bool:
        return self.left.test(facts) or self.right.test(facts)


@attrs.frozen
class Not:
    term: Filter

    def test(self, facts: Facts) -> bool:
        return not self.term.test(facts)


@attrs.frozen
class Visible:
    """A bare word: what is visible of the step contains it, in any case."""

    text: str

    def test(self, facts: Facts) -> bool:
        return self.text in facts.visible


@attrs.frozen
class VisibleMatches:
    pattern: re.Pattern[str]

    def test(self, facts: Facts) -> bool:
        return self.pattern.search(facts.visible) is not None


@attrs.frozen
class Matches:
    """A text field one of whose values fits a glob (whole) or a pattern (anywhere)."""

    field: str
    pattern: re.Pattern[str]

    def test(self, facts: Facts) -> bool:
        return any(self.pattern.search(text) for text in facts.texts(self.field))


@attrs.frozen
class Within:
    """A number field between two bounds, both included unless ``open_low``/``open_high``."""

    field: str
    low: float | None
    high: float | None
    open_low: bool = False
    open_high: bool = False

    def test(self, facts: Facts) -> bool:
        value = facts.number(self.field)
        if value is None:
            return False
        if self.low is not None and (value < self.low or (self.open_low and value == self.low)):
            return False
        return self.high is None or value < self.high or (value == self.high and not self.open_high)


@attrs.frozen
class Selected:
    """``@marked`` and the like; ``finding`` is one too."""

    name: str

    def test(self, facts: Facts) -> bool:
        return facts.within(self.name)


@attrs.frozen
class Finding:
    """``finding:NAME``: the step broke an invariant whose name fits."""

    pattern: re.Pattern[str]

    def test(self, facts: Facts) -> bool:
        sets = facts.lookup.sets
        return any(
            facts.n in steps and self.pattern.search(name.removeprefix("finding:"))
            for name, steps in sets.items()
            if name.startswith("finding:")
        )
