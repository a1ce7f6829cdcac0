"""Which rows of the catalogue speak of what has just happened: for explanations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache

import attrs

from sim.cli import words
from sim.cli.proving.watchers import Watched
from sim.protocols.proven import proven


@attrs.frozen
class Told:
    """A row: its id, and the rule in one sentence."""

    id: str
    rule: str


def of_invariant(name: str, protocol: str) -> list[Told]:
    """The rows that an invariant watches."""
    rows = words.rows()
    found = words.invariants(protocol).get(name)
    ids = found.catalogue if found is not None else ()
    return [Told(one, rows[one].row.rule) for one in ids if one in rows]


def of_reaction(protocol: str, kind: str, seen: str, done: str, scenario: str = "") -> list[Told]:
    """At most one row that says why a ``kind`` of host answers what it has ``seen`` by what it
    has ``done``: it speaks of both. One that the scenario shows goes first."""
    best: tuple[int, Watched] | None = None
    for one in _rows(protocol):
        told = one.row.by.replace(",", " ").split()
        if not {kind, "both", "all"} & set(told):
            continue
        rule = one.row.rule
        if not (_speaks_of(rule, seen) and _speaks_of(rule, done)):
            continue
        score = 2 * (scenario in one.scenarios) + (seen in rule) + (done in rule)
        if best is None or score > best[0]:
            best = (score, one)
    return [] if best is None else [Told(best[1].row.id, best[1].row.rule)]


def of_known_reaction(protocol: str, kind: str, seen: str, done: str) -> list[Told]:
    """The row that the catalogue itself names for such a reaction; often none."""
    mine = next((one for one in proven() if one.name == protocol), None)
    rows = words.rows()
    for of, wanted, act, row in () if mine is None else mine.reactions:
        if of == kind and fnmatchcase(seen, wanted) and fnmatchcase(done, act):
            return [Told(row, rows[row].row.rule)]
    return []


def of_scenario(name: str, protocol: str) -> list[str]:
    """The ids of the rows that a shipped scenario shows."""
    return [one.row.id for one in _rows(protocol) if name in one.scenarios]


@cache
def _rows(protocol: str) -> tuple[Watched, ...]:
    mine = next((one for one in proven() if one.name == protocol), None)
    ids = () if mine is None else tuple(mine.rows)
    rows = words.rows()
    return tuple(rows[one] for one in ids if one in rows)


def _speaks_of(rule: str, what: str) -> bool:
    """A rule says ``ack`` for ``task.ack``, and ``acked`` too."""
    if not what:
        return False
    return any(re.search(rf"\b{re.escape(one)}(?:s|ed|es)?\b", rule) for one in _ways(what))


def _ways(what: str) -> Iterator[str]:
    yield what
    last = what.rpartition(".")[2]
    if last != what and last not in ("request", "state", "start", "get", "set", "message"):
        yield last
