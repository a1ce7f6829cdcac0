"""What those must know of a protocol who prove that its rules are watched: one record each.

``register`` has what can be said about frames alone, ``played`` what can be said of runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final

import attrs

from sim.core.invariant import Invariant
from sim.protocols import register
from sim.protocols.catalogue import FrameCheck, Row, Told, Trial
from sim.protocols.mutant import Mutant


@attrs.frozen(eq=False)
class Proven:
    """One protocol, as far as its catalogue is concerned.

    ``rows`` by id; ``prefix`` begins the ids. ``rules`` is the class of the switchable
    rules. ``shown``: which shipped scenario shows which rows; ``broken_by``: rule →
    (scenario, seed) that goes wrong without it.
    """

    name: str
    prefix: str
    rows: Mapping[str, Row]
    rules: Any
    invariants: tuple[type[Invariant], ...]
    checks: tuple[FrameCheck, ...]
    trials: tuple[Trial, ...]
    tales: tuple[Told, ...]
    mutants: tuple[Mutant, ...]
    shown: Mapping[str, tuple[str, ...]]
    broken_by: Mapping[str, tuple[str, int]]
    reactions: tuple[tuple[str, str, str, str], ...] = ()


def _hook() -> Proven:
    from sim.protocols.hook.catalogue import ROWS
    from sim.protocols.hook.catalogue.frame_tables import CHECKS
    from sim.protocols.hook.catalogue.shown import BROKEN_BY, SHOWN
    from sim.protocols.hook.catalogue.tales import TALES
    from sim.protocols.hook.catalogue.trials import TRIALS
    from sim.protocols.hook.invariants import INVARIANTS
    from sim.protocols.hook.mutants import all_mutants
    from sim.protocols.hook.rules import HookRules

    return Proven(
        "hook", "HK", ROWS, HookRules, INVARIANTS, CHECKS, TRIALS, TALES, all_mutants(), SHOWN,
        BROKEN_BY,
    )  # fmt: skip


def _relay() -> Proven:
    from sim.protocols.relay.catalogue import ROWS
    from sim.protocols.relay.catalogue.frame_tables import CHECKS
    from sim.protocols.relay.catalogue.shown import BROKEN_BY, SHOWN
    from sim.protocols.relay.catalogue.tales import TALES
    from sim.protocols.relay.catalogue.trials import TRIALS
    from sim.protocols.relay.invariants import INVARIANTS
    from sim.protocols.relay.mutants import all_mutants
    from sim.protocols.relay.rules import RelayRules

    return Proven(
        "relay", "OT", ROWS, RelayRules, INVARIANTS, CHECKS, TRIALS, TALES, all_mutants(), SHOWN,
        BROKEN_BY,
    )  # fmt: skip


def _question() -> Proven:
    from sim.protocols.question.catalogue import ROWS
    from sim.protocols.question.catalogue.frame_tables import CHECKS
    from sim.protocols.question.catalogue.shown import BROKEN_BY, REACTIONS, SHOWN
    from sim.protocols.question.catalogue.tales import TALES
    from sim.protocols.question.invariants import INVARIANTS
    from sim.protocols.question.mutants import all_mutants
    from sim.protocols.question.rules import QuestionRules

    return Proven(
        "question", "QT", ROWS, QuestionRules, INVARIANTS, CHECKS, (), TALES, all_mutants(),
        SHOWN, BROKEN_BY, REACTIONS,
    )  # fmt: skip


_TABLE: Final[Mapping[str, Callable[[], Proven]]] = MappingProxyType(
    {"hook": cache(_hook), "relay": cache(_relay), "question": cache(_question)}
)


@cache
def proven() -> tuple[Proven, ...]:
    """The records of all protocols. No two have a row, a rule, an invariant or a mutant alike."""
    return tuple(make() for make in _TABLE.values())


def rows_of(protocol: str | None) -> Mapping[str, Row]:
    """The rows of one protocol, or of all. Raises UsageError for one that is not known."""
    name = None if protocol is None else register.protocol(protocol).name
    wanted = [one for one in proven() if name in (None, one.name)]
    return {id: row for one in wanted for id, row in one.rows.items()}


def proven_by(mutant: Mutant) -> Proven:
    """The protocol whose invariant must notice a mutant; the first where none has it."""
    for one in proven():
        if any(invariant.name == mutant.caught_by for invariant in one.invariants):
            return one
    return proven()[0]


def broken_by(rule: str) -> tuple[str, int] | None:
    """The (scenario, seed) that goes wrong without a rule, where one is known."""
    return next((one.broken_by[rule] for one in proven() if rule in one.broken_by), None)
