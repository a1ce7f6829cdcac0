"""Which rows of the transition tables a search goes through, and which it never does."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import attrs

from sim.core.table import Table
from sim.protocols.hook import machine, machine_desktop

TABLES: tuple[Table, ...] = (*machine.TABLES, *machine_desktop.TABLES)


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
    for table in TABLES:
        table.used = {}
    try:
        yield
    finally:
        for table in TABLES:
            table.used = None


def used() -> tuple[Used, ...]:
    """All tables as they are noted now; none where nobody notes."""
    return tuple(
        Used(table.role, len(table.rows()), tuple(row for row in table.rows() if row not in seen))
        for table in TABLES
        if (seen := table.used) is not None
    )
