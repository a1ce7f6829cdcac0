"""Which rows of the transition tables runs go through, and which they never do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import attrs

from sim.core.table import Table
from sim.protocols.played import PLAYED, played


@cache
def tables() -> tuple[Table, ...]:
    """The tables of all protocols; what is played goes through those of one."""
    return tuple(table for name in PLAYED for table in played(name).tables)


@attrs.frozen
class Used:
    """One table: its role, how many rows it has, and those that were never used."""

    role: str
    rows: int
    never: tuple[tuple[str, str], ...]

    @property
    def used(self) -> int:
        return self.rows - len(self.never)


@contextmanager
def noted() -> Iterator[None]:
    """While this is open the tables note which of their rows are gone through."""
    for table in tables():
        table.used = {}
    try:
        yield
    finally:
        for table in tables():
            table.used = None


def used() -> tuple[Used, ...]:
    """All tables as they are noted now; none where nobody notes."""
    return tuple(
        Used(table.role, len(table.rows()), tuple(row for row in table.rows() if row not in seen))
        for table in tables()
        if (seen := table.used) is not None
    )
