"""What a review knows of one scenario, and of all of them."""

from __future__ import annotations

import shlex
from enum import StrEnum

import attrs

from sim.cli.reviewing.coverage import Coverage, Seen
from sim.cli.terminal import clean
from sim.core.errors import UsageError
from sim.explore.finding import Finding
from sim.explore.schedule import Case
from sim.scenario.playing.covered import Way
from sim.scenario.playing.result import Result


class Verdict(StrEnum):
    """What became of a scenario, the worst first."""

    BROKEN = "cannot be read"
    FAILS = "fails"
    FOUND = "a search breaks it"
    CUT_SHORT = "interrupted"
    HOLDS = "holds"

    @property
    def is_bad(self) -> bool:
        """Whether it makes the review fail."""
        return self in (Verdict.BROKEN, Verdict.FAILS, Verdict.FOUND)


@attrs.frozen
class Found:
    """A finding of the search, the case that it belongs to, and what to paste to see it again."""

    finding: Finding
    case: Case
    replay: str
    schedules: int


@attrs.define(eq=False)
class Reviewed:
    """One scenario. ``name`` is what the command line or its folder called it.

    ``error``: why it could not be played, ``raised``: what a handler of an actor has raised in
    the timed run. ``result`` is the timed run without its events, ``picture`` that of one
    that fails. ``found`` has what the diagram does not say itself, ``shown`` the
    invariants that it does (``@violates``) and that broke. ``schedules`` and ``situations`` are
    those of the search. ``ways`` are its branches, ``seen`` says how often each was gone.
    """

    name: str
    protocol: str = ""
    without: tuple[str, ...] = ()
    error: UsageError | None = None
    raised: str = ""
    result: Result | None = None
    picture: str = ""
    found: list[Found] = attrs.field(factory=list)
    shown: tuple[str, ...] = ()
    schedules: int = 0
    situations: int = 0
    told: str = ""
    interrupted: bool = False
    ways: tuple[Way, ...] = ()
    seen: Seen = attrs.field(factory=Seen)

    @property
    def verdict(self) -> Verdict:
        """In one word."""
        if self.error is not None:
            return Verdict.BROKEN
        if self.raised or (self.result is not None and not self.result.ok and not self.is_half):
            return Verdict.FAILS
        if self.found:
            return Verdict.FOUND
        return Verdict.CUT_SHORT if self.interrupted else Verdict.HOLDS

    @property
    def is_half(self) -> bool:
        """Whether even the timed run was not played to its end."""
        return self.interrupted and not self.schedules

    @property
    def never(self) -> tuple[Way, ...]:
        """The ways that no run went."""
        return tuple(way for way in self.ways if way.key not in self.seen.ways)

    @property
    def command(self) -> str:
        """What plays the timed run again."""
        words = ["hooktwin", "run", self.name]
        words += [] if self.result is None else ["--seed", str(self.result.seed)]
        for rule in self.without:
            words += ["--without", rule]
        return shlex.join(words)


@attrs.define(eq=False)
class Review:
    """All of them, in order. ``command`` repeats the review, ``wanted`` is how many there are."""

    command: str
    wanted: int
    every: list[Reviewed] = attrs.field(factory=list)
    interrupted: bool = False
    coverage: Coverage = attrs.field(factory=Coverage)

    @property
    def bad(self) -> list[Reviewed]:
        """Those that make it fail, the worst first."""
        order = list(Verdict)
        bad = [one for one in self.every if one.verdict.is_bad]
        return sorted(bad, key=lambda one: order.index(one.verdict))

    @property
    def ok(self) -> bool:
        """Whether nothing failed and nothing is missing."""
        return not self.bad and not self.interrupted

    @property
    def sign(self) -> str:
        """✓ all is well, ✗ something failed, · nothing did until it was interrupted."""
        if self.bad:
            return "✗"
        return "·" if self.interrupted else "✓"

    @property
    def schedules(self) -> int:
        """Of all searches together."""
        return sum(one.schedules for one in self.every)

    @property
    def findings(self) -> int:
        """How many there are."""
        return sum(len(one.found) for one in self.every)

    def summary(self) -> str:
        """One sentence."""
        count = len(self.every)
        holding = sum(one.verdict is Verdict.HOLDS for one in self.every)
        words = f"{holding} of {count} scenarios hold"
        words += f", {self.findings} finding{'s' if self.findings != 1 else ''}"
        words += f" in {self.schedules:,} schedules"
        if self.interrupted:
            words += f"; interrupted: {self.wanted} scenarios were wanted"
        return words


def within(result: Result, text: str) -> str:
    """A text of a run with the diagram's names for real ids."""
    from sim.cli.drawing.telling import Names

    return Names(result.names).within(text)


def failures_of(one: Reviewed) -> list[tuple[int, str, str]]:
    """(line, expected, happened) of all that failed in the timed run; line 0: no line."""
    result = one.result
    if one.raised:
        return [(0, "no handler of an actor raises an exception", clean(one.raised))]
    if result is None or result.ok:
        return []
    told = [
        (failure.line, within(result, failure.expected), within(result, failure.happened))
        for failure in result.all_failures
    ]
    told += [
        (0, f"{broken.invariant} holds", f"step {broken.step}: {within(result, broken.text)}")
        for broken in result.violations
        if broken.invariant not in result.expected_violations
    ]
    return told
