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
    from sim.protocols.mutant import Mutant
    from sim.protocols.played import Played
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


def rules(protocol: str | None = None) -> dict[str, Rule]:
    """All rules that can be switched off, by name: of one protocol, or of all.

    Where several have a rule of the same name, that of the first protocol counts.
    Raises UsageError for a protocol that is not known.
    """
    from sim.core.rule import table_of

    found: dict[str, Rule] = {}
    for record in _played(protocol):
        for rule in table_of(record.rules):
            found.setdefault(rule.name, rule)
    return found


def invariants(protocol: str | None = None) -> dict[str, type[Invariant]]:
    """All oracles by name: of one protocol, or of all. Raises UsageError as :func:`rules`."""
    found: dict[str, type[Invariant]] = {}
    for record in _played(protocol):
        for invariant in record.invariants:
            found.setdefault(invariant.name, invariant)
    return found


def _played(protocol: str | None) -> list[Played]:
    from sim.protocols.played import PLAYED, played

    return [played(name) for name in (PLAYED if protocol is None else (protocol,))]


def rows(protocol: str | None = None) -> Mapping[str, Watched]:
    """All rows of the catalogues by id: of one protocol, or of all."""
    from sim.cli.proving.watchers import watched
    from sim.protocols.proven import proven

    if protocol is None:
        return watched()
    mine = {id for one in proven() if one.name == protocol for id in one.rows}
    return {id: row for id, row in watched().items() if id in mine}


def mutants(protocol: str | None = None) -> dict[str, Mutant]:
    """All mutants by name: of one protocol, or of all. Raises UsageError as :func:`rules`."""
    from sim.protocols import register
    from sim.protocols.proven import proven

    name = None if protocol is None else register.protocol(protocol).name
    mine = [one for one in proven() if name in (None, one.name)]
    return {mutant.name: mutant for one in mine for mutant in one.mutants}


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
