"""What runs went through: branches of diagrams, rules that were put to the test, state tables."""

from __future__ import annotations

from collections import Counter

import attrs

from sim.core.invariant import Invariant
from sim.core.rule import Rule, table_of
from sim.core.table import Table
from sim.explore.rows import Used, tables
from sim.protocols.played import Played, played
from sim.scenario.playing.covered import covered
from sim.scenario.playing.play import Run


@attrs.define(eq=False)
class Seen:
    """What the runs of one scenario went through.

    ``ways``: how many of them went each way of the diagram; ``tested``: how often each
    invariant had an occasion to break; ``taken``: rows of state tables, by the table's role.
    """

    ways: Counter[tuple[int, str]] = attrs.field(factory=Counter)
    tested: Counter[str] = attrs.field(factory=Counter)
    taken: dict[str, frozenset[tuple[str, str]]] = attrs.field(factory=dict)

    def take(self, run: Run) -> None:
        """One more run is over."""
        self.ways.update(dict.fromkeys(covered(run.shared), 1))
        for invariant in run.monitor.invariants:
            if invariant.exercised:
                self.tested[invariant.name] += invariant.exercised

    def note_tables(self, used: tuple[Used, ...]) -> None:
        """The tables as all of these runs have left them."""
        rows = {table.role: table.rows() for table in tables()}
        for one in used:
            self.taken[one.role] = frozenset(rows[one.role]).difference(one.never)


@attrs.define(eq=False)
class Area:
    """One protocol: its scenarios and what their runs together went through."""

    record: Played
    scenarios: int = 0
    tested: Counter[str] = attrs.field(factory=Counter)
    taken: dict[str, frozenset[tuple[str, str]]] = attrs.field(factory=dict)

    def add(self, seen: Seen) -> None:
        """The runs of one more scenario."""
        self.scenarios += 1
        self.tested.update(seen.tested)
        for role, rows in seen.taken.items():
            self.taken[role] = self.taken.get(role, frozenset()) | rows

    @property
    def tables(self) -> tuple[tuple[Table, Used], ...]:
        """Those of the protocol, as they were gone through."""
        return tuple((table, self._used(table)) for table in self.record.tables)

    def _used(self, table: Table) -> Used:
        taken = self.taken.get(table.role, frozenset())
        never = tuple(row for row in table.rows() if row not in taken)
        return Used(table.role, len(table.rows()), never)

    @property
    def idle(self) -> tuple[type[Invariant], ...]:
        """The invariants that no run put to the test: silence of theirs means nothing."""
        return tuple(one for one in self.record.invariants if not self.tested[one.name])

    @property
    def idle_rules(self) -> tuple[Rule, ...]:
        """The rules that can be switched off and whose invariants were all idle."""
        watching = {
            rule.name: [one for one in self.record.invariants if set(one.catalogue) & set(rows)]
            for rule in table_of(self.record.rules)
            if (rows := rule.catalogue)
        }
        return tuple(
            rule
            for rule in table_of(self.record.rules)
            if (known := watching.get(rule.name))
            and not any(self.tested[one.name] for one in known)
        )

    @property
    def rows(self) -> tuple[int, int]:
        """(gone through, of how many) over all tables."""
        used = [one for _, one in self.tables]
        return sum(one.used for one in used), sum(one.rows for one in used)


@attrs.define(eq=False)
class Coverage:
    """By protocol, in the order in which they were met."""

    areas: dict[str, Area] = attrs.field(factory=dict)

    def add(self, protocol: str, seen: Seen) -> None:
        """The runs of one more scenario."""
        self.areas.setdefault(protocol, Area(played(protocol))).add(seen)
