"""Which branches a diagram has, and which of them happened in a run.

An ``opt`` can happen or be left out, of an ``alt`` each branch can happen; ``par``, ``loop``,
``critical`` and ``break`` can be come to an end of. What a branch held that did not happen
after all has not happened, either.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import attrs

from sim.scenario.playing.branches import Alternatives
from sim.scenario.playing.expectation import Path
from sim.scenario.playing.walk import Shared
from sim.scenario.syntax import Alt, Branch, Break, Critical, Loop, Opt, Par, Scenario
from sim.scenario.tree import statements_in

HAPPENS: Final = "happens"
LEFT_OUT: Final = "is left out"


@attrs.frozen
class Way:
    """One way that a diagram leaves open: the branch in ``line``, and what becomes of it.

    ``block`` is its word in the diagram (``else`` for the second branch of an ``alt``).
    """

    line: int
    block: str
    label: str
    fate: str = HAPPENS

    @property
    def key(self) -> tuple[int, str]:
        """What runs tell of it."""
        return self.line, self.fate

    def __str__(self) -> str:
        label = f" {self.label}" if self.label else ""
        return f"line {self.line}: {self.block}{label} {self.fate}"


def ways_of(scenario: Scenario) -> tuple[Way, ...]:
    """All ways of a diagram, in order of their lines."""
    dropped = scenario.settings.omitted
    ways = (way for one in statements_in(scenario.body) for way in _ways(one))
    return tuple(sorted((w for w in ways if w.line not in dropped), key=lambda w: w.line))


def _ways(statement: object) -> Iterator[Way]:
    match statement:
        case Alt(branches=branches):
            yield from _branches("alt", "else", branches)
        case Par(branches=branches):
            yield from _branches("par", "and", branches)
        case Opt(line=line, label=label):
            yield Way(line, "opt", label)
            yield Way(line, "opt", label, LEFT_OUT)
        case Critical(line=line, label=label, options=options):
            yield Way(line, "critical", label)
            for option in options:
                yield Way(option.line, "option", option.label)
                yield Way(option.line, "option", option.label, LEFT_OUT)
        case Loop(line=line, label=label):
            yield Way(line, "loop", label)
        case Break(line=line, label=label):
            yield Way(line, "break", label)


def _branches(first: str, others: str, branches: tuple[Branch, ...]) -> Iterator[Way]:
    for number, branch in enumerate(branches):
        yield Way(branch.line, others if number else first, branch.label)


def covered(shared: Shared) -> dict[tuple[int, str], None]:
    """The keys of the ways that a run went, as far as it was decided when it ended."""
    found = {(line, HAPPENS): None for line, path in shared.passed if _is_real(path)}
    for group in shared.groups:
        if group.closed and _is_real(_around(group)):
            found.update(_decided(group))
    return found


def _decided(group: Alternatives) -> dict[tuple[int, str], None]:
    happened = [walk for walk in group.walks if not walk.thread.void]
    if not happened and not group.required:
        return {(group.walks[0].line, LEFT_OUT): None}
    return {(walk.line, HAPPENS): None for walk in happened}


def _around(group: Alternatives) -> Path:
    """The branches within which a block stands."""
    return group.walks[0].path[:-1]


def _is_real(path: Path) -> bool:
    """Whether all branches around have happened."""
    return all(group.closed and not group.walks[number].thread.void for group, number in path)
