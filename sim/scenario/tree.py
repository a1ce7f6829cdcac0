"""The statements of a tree in document order, blocks included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sim.scenario.syntax import Alt, Break, Critical, Loop, Opt, Par, Statement


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
