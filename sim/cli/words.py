"""What the protocols know, by name: message types, rules, invariants, tables.

The commands that teach look everything up here, and nothing is listed twice:
the protocol's own modules are the source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sim.cli.proving.watchers import Watched
    from sim.core.invariant import Invariant
    from sim.core.rule import Rule
    from sim.core.table import Table
    from sim.protocols.hook.mutants import Mutant
    from sim.wire.declare import Body


def message_types(protocol: str | None = None) -> Mapping[str, type[Body]]:
    """The message types of one protocol by their wire name; of the hook protocol unless named.

    Raises UsageError for a protocol that is not known.
    """
    from sim.protocols import register

    return register.protocol(protocol or register.DEFAULT_PROTOCOL).messages


def declared(protocol: str | None = None) -> Mapping[str, type[Body]]:
    """Everything that has a declaration: message types, and what stands within them.

    Of all protocols unless one is named. Raises UsageError for one that is not known.
    """
    from sim.protocols import register

    return register.declared(protocol)


def protocols() -> tuple[str, ...]:
    """The names of the protocols."""
    from sim.protocols.register import PROTOCOLS

    return PROTOCOLS


def owners(word: str) -> tuple[str, ...]:
    """The protocols that have a declaration of this name."""
    from sim.protocols import register

    return register.owners(word)


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


def tables(protocol: str | None = None) -> dict[str, Table]:
    """All transition tables by role: of one protocol, or of all.

    Raises UsageError for a protocol that is not known.
    """
    from sim.protocols import register

    wanted = register.PROTOCOLS if protocol is None else (protocol,)
    found: dict[str, Table] = {}
    for one in wanted:
        found |= register.protocol(one).tables()
    return found


def language_words() -> tuple[str, ...]:
    """What ``explain`` tells about the language of scenarios."""
    from sim.cli import language

    return (language.OVERVIEW_WORDS[0], *(f"@{name}" for name in language.directives()))
