"""What of a diagram can be left out: whole actors, blocks, single lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs

from sim.scenario.arguments import LISTENING_KINDS
from sim.scenario.syntax import Arrow, Scenario, Statement
from sim.scenario.tree import statements_in


@attrs.frozen
class Parts:
    """``actors``: the lines of each host that may be missing; ``lines``: all, in order.

    ``blocks`` are statements with statements inside.
    """

    actors: tuple[frozenset[int], ...]
    blocks: tuple[frozenset[int], ...]
    lines: tuple[int, ...]

    def groups(self) -> Iterator[frozenset[int]]:
        """Ever smaller parts, from the end: what comes last is least needed."""
        yield from self.blocks
        size = len(self.lines)
        while size > 1:
            size = (size + 1) // 2
            for end in range(len(self.lines), 0, -size):
                yield frozenset(self.lines[max(0, end - size) : end])
            if size == 1:
                return


def parts_of(scenario: Scenario) -> Parts:
    """The parts of one diagram."""
    statements = list(statements_in(scenario.body))
    lines = tuple(dict.fromkeys(one.line for one in statements))
    actors = [_lines_of(who.id, statements) for who in scenario.participants if _may_miss(who.kind)]
    blocks = [_block(one) for one in statements if _inside(one)]
    return Parts(tuple(a for a in actors if a), tuple(blocks), lines)


def _may_miss(kind: str) -> bool:
    """The one host with which all others connect is there in every diagram."""
    return kind not in LISTENING_KINDS


def _lines_of(who: str, statements: Sequence[Statement]) -> frozenset[int]:
    return frozenset(
        one.line for one in statements if isinstance(one, Arrow) and who in (one.source, one.target)
    ) | frozenset(one.line for one in statements if getattr(one, "host", None) == who)


def _inside(statement: Statement) -> list[Statement]:
    found = list(statements_in((statement,)))
    return [one for one in found if one is not statement]


def _block(statement: Statement) -> frozenset[int]:
    return frozenset([statement.line, *(one.line for one in _inside(statement))])
