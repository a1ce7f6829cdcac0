"""Who watches which row of the catalogue, derived from everything that names rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import attrs

from sim.cli.proving.comparisons import COMPARISONS
from sim.core.invariant import Invariant
from sim.core.rule import Rule, table_of
from sim.protocols.catalogue import FrameCheck, Row, Told, Trial
from sim.protocols.mutant import Mutant
from sim.protocols.proven import Proven, broken_by, proven
from sim.scenario.load import shipped_scenarios

_ROW = re.compile(r"\b(?:HK|OT|QT)-\d{2,3}\b")


@cache
def all_trials() -> tuple[Trial, ...]:
    """Those of the catalogues, and those that compare whole runs."""
    return (*(trial for one in proven() for trial in one.trials), *COMPARISONS)


@attrs.frozen
class Watched:
    """A row with all that is known about it.

    ``invariants`` are names of oracles, ``frames`` checks of the parser, ``tales``
    hand-made traces, ``scenarios`` names of shipped files, ``switches`` the rules
    that can be switched off.
    """

    row: Row
    invariants: tuple[str, ...] = ()
    frames: tuple[FrameCheck, ...] = ()
    trials: tuple[Trial, ...] = ()
    tales: tuple[Told, ...] = ()
    mutants: tuple[Mutant, ...] = ()
    switches: tuple[Rule, ...] = ()
    scenarios: tuple[str, ...] = ()

    @property
    def is_watched(self) -> bool:
        """Whether something has been seen, or can be seen, to notice that the row is broken."""
        return bool(self.frames or self.trials or self.tales or self.mutants)

    @property
    def watchers(self) -> tuple[str, ...]:
        """Their names: invariants, ``parser: FIELD``, ``trial: NAME``."""
        frames = dict.fromkeys(f"parser: {check.name}" for check in self.frames)
        return (*self.invariants, *frames, *(f"trial: {trial.name}" for trial in self.trials))

    @property
    def see_it_broken(self) -> str:
        """What to type."""
        for rule in self.switches:
            found = broken_by(rule.name)
            if found is not None:
                scenario, seed = found
                return f"hooktwin run {scenario} --without {rule.name} --seed {seed}"
        return f"hooktwin rules --check {self.row.id}"

    @property
    def why_no_mutant(self) -> str:
        """The reason, where no mutant of a twin breaks the row; "" where one does."""
        if self.mutants or self.switches:
            return ""
        if not self.is_watched:
            return "nothing watches it yet"
        if self.trials:
            return f"a trial has a wrong subject of its own: {self.trials[0].why}"
        if self.tales:
            return "a hand-made trace breaks it: no twin can be made to in a storm"
        return "the parser refuses the frame, whoever writes it"

    def to_json(self) -> dict[str, Any]:
        """Every field, JSON-able."""
        row = self.row
        return {
            "id": row.id,
            "section": row.section,
            "by": row.by,
            "rule": row.rule,
            "without": row.without,
            "watched": self.is_watched,
            "invariants": list(self.invariants),
            "frames": [{"type": check.what, "path": check.path} for check in self.frames],
            "trials": [trial.name for trial in self.trials],
            "tales": [f"{told.invariant}: {told.name}" for told in self.tales],
            "mutants": [mutant.name for mutant in self.mutants],
            "switches": [rule.name for rule in self.switches],
            "scenarios": list(self.scenarios),
            "why_no_mutant": self.why_no_mutant,
            "see_it_broken": self.see_it_broken,
        }


def _by_row(pairs: Iterable[tuple[str, Any]]) -> dict[str, tuple[Any, ...]]:
    """The values of each row, each once, in order."""
    found: dict[str, list[Any]] = {}
    for row, value in pairs:
        values = found.setdefault(row, [])
        if value not in values:
            values.append(value)
    return {row: tuple(values) for row, values in found.items()}


@cache
def oracles() -> Mapping[str, type[Invariant]]:
    """All invariants by name."""
    return {invariant.name: invariant for one in proven() for invariant in one.invariants}


@cache
def watched() -> Mapping[str, Watched]:
    """All rows in order, protocol by protocol."""
    shown = _by_row(_shown())
    found: dict[str, Watched] = {}
    for one in proven():
        found |= _watched(one, shown)
    return found


def _watched(one: Proven, shown: Mapping[str, tuple[Any, ...]]) -> dict[str, Watched]:
    known = {invariant.name for invariant in one.invariants}
    judges = _by_row((row, i.name) for i in one.invariants for row in i.catalogue)
    told = ((row, tale) for tale in one.tales if tale.invariant in known for row in tale.rows)
    tales = _by_row(told)
    for row, mine in tales.items():
        named = (*judges.get(row, ()), *(tale.invariant for tale in mine))
        judges[row] = tuple(dict.fromkeys(named))
    breaking: dict[str, list[Mutant]] = {}
    for mutant in one.mutants:
        breaking.setdefault(mutant.caught_by, []).append(mutant)
    switches = _by_row((row, rule) for rule in table_of(one.rules) for row in rule.catalogue)
    frames = _by_row((check.row, check) for check in one.checks)
    trials = _by_row((trial.row, trial) for trial in all_trials())
    return {
        id: Watched(
            row=row,
            invariants=judges.get(id, ()),
            frames=frames.get(id, ()),
            trials=trials.get(id, ()),
            tales=tales.get(id, ()),
            mutants=tuple(m for name in judges.get(id, ()) for m in breaking.get(name, ())),
            switches=switches.get(id, ()),
            scenarios=shown.get(id, ()),
        )
        for id, row in one.rows.items()
    }


def _shown() -> Iterable[tuple[str, str]]:
    """(row, scenario): what the catalogues say, what a rule breaks, what the files say."""
    for one in proven():
        for scenario, rows in one.shown.items():
            for row in rows:
                yield row, scenario
        for rule in table_of(one.rules):
            if rule.name in one.broken_by:
                for row in rule.catalogue:
                    yield row, one.broken_by[rule.name][0]
    for name, paths in shipped_scenarios().items():
        for path in paths:
            for row in _ROW.findall(_text(path)):
                yield row, name


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return ""


def summary() -> dict[str, int]:
    """How much there is of everything."""
    rows = watched().values()
    return {
        "rows": len(rows),
        "watched": sum(one.is_watched for one in rows),
        "mutants": sum(len(one.mutants) for one in proven()),
        "switchable": sum(len(table_of(one.rules)) for one in proven()),
        "invariants": len(oracles()),
        "frames": sum(len(one.checks) for one in proven()),
        "tales": sum(len(one.tales) for one in proven()),
        "trials": len(all_trials()),
    }
