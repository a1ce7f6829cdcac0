"""What every protocol's catalogue is made of: rows, and proofs that somebody watches them.

A *row* is a behaviour that the protocol document demands. A *frame check* is a frame and
its bad twin, which the parser tells apart; a *tale* some events made by hand and their
bad twin, which an invariant tells apart; a *trial* asks the same question of what is
shipped and of what is wrong on purpose.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol

import attrs

from sim.core.invariant import Violation
from sim.wire.result import ParseResult

Parser = Callable[[object], ParseResult]
Subject = Callable[[Any], Any]
GONE: Final = object()
"""Instead of a value: the field is left out."""


@attrs.frozen
class Row:
    """A behaviour that the protocol document demands.

    ``section`` of the document, ``by`` whom it is obeyed, ``rule`` in one
    sentence, ``without`` what a person sees where it is broken.
    """

    id: str
    section: str
    by: str
    rule: str
    without: str


@attrs.frozen
class FrameCheck:
    """``row`` is watched by the parser: ``good`` passes, ``bad`` is refused at ``path``.

    A ``bad`` frame that is large may be a function that makes it. ``parse`` is the
    protocol's parser.
    """

    row: str
    what: str
    path: str | None
    good: Any
    bad: Any
    parse: Parser

    @property
    def name(self) -> str:
        """The message type and field, as a reader looks it up."""
        return self.path or f"{self.what} (as a whole)"

    def fault(self, parse: Parser | None = None) -> str:
        """What is wrong with this check; "" when the parser does what the row says."""
        parse = parse or self.parse
        verdict = parse(self.good)
        if not verdict.ok:
            return f"the good {self.what} is refused: {verdict.error}"
        verdict = parse(self.bad() if callable(self.bad) else self.bad)
        if verdict.ok:
            return f"the bad {self.what} is accepted"
        if verdict.path != self.path:
            return f"the bad {self.what} is refused at {verdict.path}, not at {self.path}"
        return ""


@attrs.frozen
class Trial:
    """``test`` gives what is wrong with a subject; "" when nothing is."""

    row: str
    name: str
    why: str
    test: Callable[[Subject], str]
    shipped: Subject
    wrong: Subject

    def fault(self) -> str:
        """What is wrong with the trial, or with what is shipped."""
        found = self.test(self.shipped)
        if found:
            return found
        return "" if self.test(self.wrong) else f"{self.name} passes what is wrong on purpose"


class Ended(Protocol):
    """What is told: at its end it has a verdict."""

    def finish(self) -> list[Violation]:
        """The end; what was wrong."""


Story = Callable[[Any, bool], None]


@attrs.frozen
class Told:
    """``story`` shows that ``invariant`` watches ``rows``; it is told on a fresh ``tale``."""

    rows: tuple[str, ...]
    invariant: str
    story: Story
    tale: Callable[[Any], Ended] = attrs.field(repr=False)

    @property
    def name(self) -> str:
        """As a reader would say it."""
        return self.story.__name__.replace("_", " ")

    def fault(self, invariant: type[Any]) -> str:
        """What is wrong with this tale; "" when the watcher tells good from bad."""
        for bad in (False, True):
            tale = self.tale(invariant)
            self.story(tale, bad)
            broken = tale.finish()
            if bad and not broken:
                return f"{self.invariant} does not mind: {self.name}"
            if not bad and broken:
                return f"{self.invariant} complains of a good tale: {broken[0].text}"
        return ""


class Tales(list[Told]):
    """A module's tales, all told on the same kind of stage; the decorator that collects them."""

    def __init__(self, tale: Callable[[Any], Ended]) -> None:
        super().__init__()
        self.tale = tale

    def of(self, invariant: str, *rows: str) -> Callable[[Story], Story]:
        """This story is about these rows and that invariant."""

        def keep(story: Story) -> Story:
            self.append(Told(rows, invariant, story, self.tale))
            return story

        return keep
