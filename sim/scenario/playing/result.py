"""What a run of a scenario answers: verdict, failures, violations, messages."""

from __future__ import annotations

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


@attrs.frozen
class Result:
    """Everything that ``hooktwin run`` prints or gives as JSON."""

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
    trace: Trace = attrs.field(repr=False)
    names: tuple[tuple[str, str], ...] = ()

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
        """The object of section 5 of the scenario language."""
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
        }
