"""What a run of a scenario answers: verdict, failures, violations, messages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from sim.core.invariant import Violation
from sim.core.trace import Trace


@attrs.frozen
class Failure:
    """A line of the diagram that did not come true."""

    line: int
    expected: str
    happened: str


@attrs.frozen
class ExtraFrame:
    """A frame that the diagram does not name. ``step`` is its event number."""

    step: int
    frame: str


@attrs.frozen
class ShownMessage:
    """A channel message about a request, as a reader sees it at the end."""

    request: str
    channel: str
    state: str
    text: str
    posts: int
    edits: int


@attrs.frozen(repr=False)
class Result:
    """Everything that ``hooktwin run`` prints or gives as JSON.

    ``str(result)`` is the verdict in lines, ``repr(result)`` in one line: both
    are made for ``assert result.ok, result``.
    """

    scenario: str
    seed: int
    digest: str
    steps: int
    virtual_s: float
    failures: tuple[Failure, ...]
    violations: tuple[Violation, ...]
    expected_violations: tuple[str, ...]
    extra: tuple[ExtraFrame, ...]
    messages: tuple[ShownMessage, ...]
    trace: Trace
    names: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        """The verdict for a person: what failed, where, and what happened instead."""
        return "\n".join(self._told())

    def __repr__(self) -> str:
        lines = (f"line {failure.line}" for failure in self.all_failures[:5] if failure.line)
        broken = dict.fromkeys(violation.invariant for violation in self.violations)
        told = ", ".join([*lines, *broken, *(f"{name} held" for name in self.missing_violations)])
        verdict = "holds" if self.ok else "fails"
        return f"<Result {self.scenario} seed {self.seed} {verdict}{': ' if told else ''}{told}>"

    def _told(self) -> Iterator[str]:
        verdict = "holds" if self.ok else "fails"
        yield f"{self.scenario} {verdict} (seed {self.seed}, {self.steps} steps)"
        for failure in self.all_failures:
            place = f"line {failure.line}: " if failure.line else ""
            yield f"  {place}expected {self._named(failure.expected)}"
            yield f"    happened {self._named(failure.happened)}"
        for broken in self.violations:
            expected = " (as expected)" if broken.invariant in self.expected_violations else ""
            yield f"  {broken.invariant} broken at step {broken.step}{expected}"
            yield f"    {self._named(broken.text)}"

    def _named(self, text: str) -> str:
        """A text with the diagram's names for real ids."""
        for name, real in self.names:
            text = text.replace(real, name) if len(real) > 8 else text
        return text

    @property
    def ok(self) -> bool:
        """All arrows and assertions hold, and just the expected invariants broke."""
        broken = tuple(dict.fromkeys(v.invariant for v in self.violations))
        return not self.failures and sorted(broken) == sorted(self.expected_violations)

    @property
    def missing_violations(self) -> tuple[str, ...]:
        """Invariants that ``@violates`` names and that held all the same."""
        broken = {v.invariant: None for v in self.violations}
        return tuple(name for name in self.expected_violations if name not in broken)

    @property
    def all_failures(self) -> tuple[Failure, ...]:
        """The lines that failed, and the invariants that should have broken and did not."""
        missing = (
            Failure(0, f"@violates {name}: this run breaks it", f"{name} held")
            for name in self.missing_violations
        )
        return (*self.failures, *missing)

    def to_json(self) -> dict[str, Any]:
        """What ``--json`` prints; ``names`` are the diagram's names with their real ids."""
        return {
            "ok": self.ok,
            "scenario": self.scenario,
            "seed": self.seed,
            "digest": self.digest,
            "steps": self.steps,
            "virtual_s": self.virtual_s,
            "failures": [attrs.asdict(one) for one in self.all_failures],
            "violations": [attrs.asdict(one) for one in self.violations],
            "extra": [attrs.asdict(one) for one in self.extra],
            "messages": [attrs.asdict(one) for one in self.messages],
            "driver": self.trace.header.driver,
            "without": list(self.trace.header.without),
            "names": dict(self.names),
        }
