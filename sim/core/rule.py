"""Protocol rules that can be switched off.

A protocol declares an attrs class with one boolean field per rule, made by
:func:`rule`; the class is both the switchboard that endpoints read
(``self.rules.ownership_at_write``) and the table that ``hooktwin rules``
prints.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from functools import cache
from typing import Any, TypeVar

import attrs

from sim.core.errors import UsageError

MOST_TOLD = 10

R = TypeVar("R")


@attrs.frozen
class Rule:
    """One switchable behaviour.

    ``name`` as the command line writes it, ``catalogue`` the rows of the
    protocol's rule catalogue, ``by`` the endpoint that obeys it, ``reason`` why
    it exists, ``without`` what a user sees when it is off.
    """

    name: str
    catalogue: tuple[str, ...]
    by: str
    reason: str
    without: str


def rule(*catalogue: str, by: str, reason: str, without: str) -> bool:
    """Declare a rule as a field of a rule set; on unless switched off."""
    facts = {"catalogue": catalogue, "by": by, "reason": reason, "without": without}
    field: bool = attrs.field(default=True, metadata=facts)
    return field


@cache
def table_of(rule_set: Any) -> tuple[Rule, ...]:
    """All rules of a rule set (an attrs class), in order of declaration."""
    return tuple(
        Rule(name=field.name.replace("_", "-"), **field.metadata)
        for field in attrs.fields(rule_set)
    )


def switch_off(rule_set: type[R], names: frozenset[str]) -> R:
    """A rule set with these rules off. Raises UsageError for an unknown name.

    Rule sets are frozen: the same question gets the same object.
    """
    declared: Any = rule_set
    made: R = _switched_off(declared, names)
    return made


def _offered(name: str, known: Sequence[str]) -> str:
    """All of a short list, else the nearest: nobody reads a hundred names."""
    if len(known) <= MOST_TOLD:
        return f"known rules: {', '.join(known)}"
    close = get_close_matches(name[:60], known, n=3, cutoff=0.6)
    if close:
        return f"did you mean: {', '.join(close)}"
    far = get_close_matches(name[:60], known, n=MOST_TOLD, cutoff=0.0)
    return f"{len(far)} of {len(known)}: {', '.join(far)}; see: hooktwin rules --switches"


@cache
def _switched_off(rule_set: Any, names: frozenset[str]) -> Any:
    known = {r.name: r.name.replace("-", "_") for r in table_of(rule_set)}
    for name in sorted(names):
        if name not in known:
            raise UsageError(f"unknown rule {name!r}; {_offered(name, sorted(known))}")
    return rule_set(**{known[name]: False for name in sorted(names)})
