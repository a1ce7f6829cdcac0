"""What a protocol knows, by name: message types, rules, invariants, tables.

The commands that teach look everything up here, and nothing is listed twice:
the protocol's own modules are the source.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sim.cli.proving.watchers import Watched
    from sim.core.invariant import Invariant
    from sim.core.rule import Rule
    from sim.core.table import Table
    from sim.protocols.hook import HookBody
    from sim.protocols.hook.mutants import Mutant


def message_types() -> Mapping[str, type[HookBody]]:
    """All declared message types by their wire name."""
    from sim.protocols.hook import MESSAGES

    return MESSAGES


def rules() -> dict[str, Rule]:
    """All rules that can be switched off, by name."""
    from sim.core.rule import table_of
    from sim.protocols.hook.rules import HookRules

    return {rule.name: rule for rule in table_of(HookRules)}


def invariants() -> dict[str, type[Invariant]]:
    """All oracles by name."""
    from sim.protocols.hook.invariants import INVARIANTS

    return {invariant.name: invariant for invariant in INVARIANTS}


def rows() -> Mapping[str, Watched]:
    """All rows of the catalogue by id."""
    from sim.cli.proving.watchers import watched

    return watched()


def mutants() -> dict[str, Mutant]:
    """All mutants by name."""
    from sim.protocols.hook.mutants import all_mutants

    return {mutant.name: mutant for mutant in all_mutants()}


def tables() -> dict[str, Table]:
    """All transition tables of the protocol's ``machine*`` modules, by role."""
    from sim.core.table import Table
    from sim.protocols import hook

    found: dict[str, Table] = {}
    for module in pkgutil.iter_modules(hook.__path__):
        if module.name.startswith("machine"):
            loaded = importlib.import_module(f"{hook.__name__}.{module.name}")
            for value in vars(loaded).values():
                if isinstance(value, Table):
                    found[value.role] = value
    return found


def language_words() -> tuple[str, ...]:
    """What ``explain`` tells about the language of scenarios."""
    from sim.cli import language

    return (language.OVERVIEW_WORDS[0], *(f"@{name}" for name in language.directives()))
