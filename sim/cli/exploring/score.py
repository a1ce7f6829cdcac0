"""How many mutants are noticed: all of them, one storm each, again and again, within a time.

So whatever time there is goes to those that nobody has noticed yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import attrs

from sim.cli.proving.lessons import LESSONS
from sim.cli.proving.mutants import storm_of as storm_with
from sim.cli.proving.prove import is_noticed_in_a_story
from sim.cli.proving.watchers import watched
from sim.protocols.mutant import Mutant
from sim.protocols.proven import broken_by

STORY = "a story"


@attrs.define(eq=False)
class Tried:
    """A mutant and what became of it: ``caught`` says where, ``raised`` what it ended in."""

    mutant: Mutant
    storms: int = 0
    begun: bool = False
    caught: str = ""
    raised: str = ""

    @property
    def is_over(self) -> bool:
        """Whether it was caught, or tried as long as it may take."""
        return bool(self.caught or self.raised) or (self.begun and self.storms >= self.most)

    @property
    def most(self) -> int:
        """How many storms it may take; what needs a story of its own has none."""
        return 0 if self.mutant.needs in LESSONS else self.mutant.seeds

    @property
    def survives(self) -> bool:
        """Whether nobody noticed it, however long it was tried."""
        return self.is_over and not self.caught

    def once(self) -> None:
        """Its story first, then one storm after the other."""
        try:
            if not self.begun:
                self.begun = True
                self.caught = STORY if is_noticed_in_a_story(self.mutant) else ""
                return
            storm = storm_with(self.mutant, self.storms)
            storm.run()
            self.storms += 1
            if self.mutant.caught_by in storm.broken():
                self.caught = f"storm {self.storms}"
        except Exception as error:  # an actor that ends so has not been noticed by its oracle
            self.raised = f"{type(error).__name__}: {error}"


@attrs.define(eq=False)
class Score:
    """What is known so far. ``run`` adds to it until ``is_over`` says so, or Ctrl-C."""

    tried: list[Tried]
    interrupted: bool = False

    @classmethod
    def of(cls, mutants: Iterable[Mutant]) -> Score:
        """Nothing has been tried."""
        return cls([Tried(mutant) for mutant in mutants])

    def run(self, is_over: Callable[[], bool], tell: Callable[[Score], Any]) -> None:
        """Round by round; whoever was caught is out."""
        try:
            while left := [one for one in self.tried if not one.is_over]:
                for one in left:
                    if is_over():
                        return
                    one.once()
                    tell(self)
        except KeyboardInterrupt:
            self.interrupted = True

    @property
    def caught(self) -> list[Tried]:
        """Those that their invariant has noticed."""
        return [one for one in self.tried if one.caught]

    @property
    def survivors(self) -> list[Tried]:
        """Those that were tried long enough and not noticed."""
        return [one for one in self.tried if one.survives]

    @property
    def unfinished(self) -> list[Tried]:
        """Those that there was no time for."""
        return [one for one in self.tried if not one.is_over]

    @property
    def storms(self) -> int:
        """All storms together."""
        return sum(one.storms for one in self.tried)


def closest(mutant: Mutant) -> tuple[str, str]:
    """The scenario in which its invariant has most to watch, and a row that both name.

    ("", "") when no scenario shows a row of this invariant.
    """
    found = broken_by(mutant.rule)
    if found is not None:
        return found[0], next(iter(_rows(mutant)), "")
    rows: dict[str, list[str]] = {}
    for row in _rows(mutant):
        for scenario in watched()[row].scenarios:
            rows.setdefault(scenario, []).append(row)
    if not rows:
        return "", ""
    best = max(rows, key=lambda scenario: len(rows[scenario]))
    return best, rows[best][0]


def _rows(mutant: Mutant) -> Iterator[str]:
    for id, one in watched().items():
        if mutant.caught_by in one.invariants:
            yield id
