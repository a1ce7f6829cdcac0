"""The statements of a tree in document order, blocks included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sim.scenario.syntax import Alt, Break, Critical, Loop, Opt, Par, Statement


class Rest:
    """The statements from ``start`` on, and what follows them; iterated over at need only."""

    __slots__ = ("after", "start", "statements")

    def __init__(
        self, statements: Sequence[Statement], start: int, after: Iterable[Statement]
    ) -> None:
        self.statements = statements
        self.start = start
        self.after = after

    def __iter__(self) -> Iterator[Statement]:
        for index in range(self.start, len(self.statements)):
            yield self.statements[index]
        yield from self.after


def statements_in(body: Iterable[Statement]) -> Iterator[Statement]:
    """Each statement, a block before its content."""
    for one in body:
        yield one
        match one:
            case Par() | Alt():
                for branch in one.branches:
                    yield from statements_in(branch.body)
            case Opt() | Loop() | Break():
                yield from statements_in(one.body)
            case Critical():
                yield from statements_in(one.body)
                for branch in one.options:
                    yield from statements_in(branch.body)
            case _:
                pass
