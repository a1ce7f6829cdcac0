"""``hooktwin explain WORD``: a message type, a directive, a row, a rule … in full."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sim.cli.protocol_option import ProtocolOption

if TYPE_CHECKING:
    from rich.console import Console

    from sim.cli.proving.watchers import Watched
    from sim.core.errors import UsageError
    from sim.core.invariant import Invariant
    from sim.core.rule import Rule
    from sim.protocols.mutant import Mutant

EPILOG = (
    "Examples:\n\n"
    "  hooktwin explain turn.end              fields, limits, an example frame\n\n"
    "  hooktwin explain language              how a scenario is written\n\n"
    "  hooktwin explain @cut                  a directive of scenarios\n\n"
    "  hooktwin explain ownership-at-write    what a rule is for\n\n"
    "  hooktwin explain HK-187                a row of the catalogue, and who watches it\n\n"
    "  hooktwin explain OT-12                 the same of the relay protocol\n\n"
    "  hooktwin explain close-out-respects-owner    what an invariant wants\n\n"
    "  hooktwin explain server-goes-back      what a mutant does wrong\n\n"
    "  hooktwin explain --all --json          every message type, for programs\n\n"
    "  hooktwin explain ping --protocol relay a name that several protocols have"
)


def _complete(incomplete: str) -> list[str]:
    return [word for word in _known(None) if word.startswith(incomplete)]


def _known(protocol: str | None) -> tuple[str, ...]:
    from sim.cli import words

    names = (*words.declared(protocol), *words.rules(protocol), *words.invariants(protocol))
    more = (*words.rows(protocol), *words.mutants(protocol))
    return (*names, *more, *words.language_words())


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(epilog=EPILOG)(explain)


def explain(
    word: Annotated[
        str | None,
        typer.Argument(
            help="A message type, a @directive, 'language', a catalogue id, a rule …",
            autocompletion=_complete,
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All message types of a protocol.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON value on stdout.")] = False,
    protocol: ProtocolOption = None,
) -> None:
    """Explain a message type, the scenario language, a row of the catalogue, a rule …"""
    from sim.core.errors import UsageError

    if every == (word is not None):
        raise UsageError("give one word, or --all; for example: hooktwin explain turn.end")
    if every:
        _explain_all(as_json, protocol)
    else:
        assert word is not None
        _explain_one(word, protocol, as_json)


def _explain_saying(word: str, protocol: str | None, as_json: bool) -> bool:
    """Whether it was a name that only arrows have."""
    from sim.cli.explain_saying import lines_of, saying_of
    from sim.cli.terminal import console, print_json

    saying = saying_of(word, protocol)
    if saying is None:
        return False
    if as_json:
        print_json(saying)
    else:
        console().print("\n".join(lines_of(saying)), markup=False, highlight=False)
    return True


def _explain_all(as_json: bool, protocol: str | None) -> None:
    from sim.cli import words
    from sim.cli.terminal import console, print_json
    from sim.wire.describe import describe

    described = [describe(body) for body in words.message_types(protocol).values()]
    if as_json:
        print_json(described)
        return
    screen = console()
    for number, one in enumerate(described):
        if number:
            screen.print()
        show_message(screen, one)


def _explain_one(word: str, protocol: str | None, as_json: bool) -> None:
    """A word of any protocol, or of the one that is named. Raises UsageError for any other."""
    from sim.cli import words
    from sim.cli.terminal import console, print_json
    from sim.wire.describe import describe

    types = words.declared(protocol)
    # Where a protocol is named, its arrows come before directives of the same name.
    if protocol is not None and word not in types and _explain_saying(word, protocol, as_json):
        return
    if _explain_language(word, as_json):
        return
    if word in types:
        described = describe(types[word])
        print_json(described) if as_json else show_message(console(), described)
        if not as_json and protocol is None:
            _tell_namesakes(console(), word)
        return
    if not _explain_catalogued(word, protocol, as_json):
        if protocol is None and _explain_saying(word, None, as_json):
            return
        raise _unknown(word, protocol)


def _explain_catalogued(word: str, protocol: str | None, as_json: bool) -> bool:
    """Whether it was a row, a rule, an invariant or a mutant; then all that are called so."""
    from sim.cli import words
    from sim.cli.terminal import console, print_json

    row = words.rows(protocol).get(word.upper())
    mutant = words.mutants(protocol).get(word)
    rules, invariants = words.rules(protocol).values(), words.invariants(protocol).values()
    named = [r for r in rules if word == r.name or word.upper() in r.catalogue]
    judges = [i for i in invariants if word == i.name or word.upper() in i.catalogue]
    if not (row or mutant or named or judges):
        return False
    if as_json:
        values = [{"kind": "row", **row.to_json()}] if row else []
        values += [*map(rule_json, named), *map(_invariant_json, judges)]
        values += [_mutant_json(mutant)] if mutant else []
        print_json(values[0] if len(values) == 1 else values)
        return True
    screen = console()
    if row:
        _show_row(screen, row)
    for rule in named:
        _show_rule(screen, rule)
    for invariant in judges:
        _show_invariant(screen, invariant)
    if mutant:
        _show_mutant(screen, mutant)
    return True


def _tell_namesakes(screen: Console, word: str) -> None:
    """A name that several protocols have was told of the first; the others are a command away."""
    from sim.cli import words

    for other in words.owners(word)[1:]:
        screen.print(
            f"\nThe {other} protocol has one too: hooktwin explain {word} --protocol {other}"
        )


def _explain_language(word: str, as_json: bool) -> bool:
    """Whether the word belongs to the language of scenarios; then it is told."""
    from sim.cli import language
    from sim.cli.terminal import console, print_json

    one = language.directives().get(word.removeprefix("@"))
    if one is None and word not in language.OVERVIEW_WORDS:
        return False
    if as_json:
        print_json(one.to_json() if one else language.overview_json())
        return True
    from sim.cli.teaching import show_directive, show_language

    show_directive(console(), one) if one else show_language(console())
    return True


def _unknown(word: str, protocol: str | None) -> UsageError:
    """Near matches, or where the words are listed; never all of them."""
    import difflib

    from sim.cli import words
    from sim.core.errors import UsageError

    known = dict.fromkeys(_known(protocol))
    ids = (row for rule in words.rules(protocol).values() for row in rule.catalogue)
    every = [*known, *(row for row in ids if row not in known)]
    close = difflib.get_close_matches(word[:60], every, n=5, cutoff=0.6)
    close += [one for one in every if _says(one, word) and one not in close][:5]
    only = "" if protocol is None else f" --protocol {protocol}"
    lists = f"hooktwin explain language, hooktwin explain --all{only}, hooktwin rules{only}"
    offered = f"did you mean: {', '.join(close)}" if close else f"the words are listed by: {lists}"
    whose = "word" if protocol is None else f"name of the {protocol} protocol"
    return UsageError(f"unknown {whose} {word[:80]!r}; {offered}")


def _says(name: str, word: str) -> bool:
    """Whether a name has this word in it: GET is one of 'GET /question'."""
    import re

    return word.lower() in re.split(r"[^a-z]+", name.lower())


def show_message(screen: Console, described: dict[str, Any]) -> None:
    """A message type as a person reads it."""
    from rich.text import Text

    from sim.cli.terminal import to_json

    sender, _, receiver = described["direction"].partition(">")
    way = f"{sender} → {receiver}" if receiver else "either side may send it"
    screen.print(Text.assemble((described["type"], "bold"), f"   {way}   {described['section']}"))
    screen.print(described["summary"])
    feature = described["feature"]
    if feature:
        screen.print(f"Only when the {feature['announced_by']} announced {feature['name']}.")
    screen.print()
    _show_fields(screen, described["fields"])
    screen.print(f"Fields that are not declared are {described['unknown_fields']}.")
    if described["answer"]:
        screen.print("\nThe data of its result:")
        _show_fields(screen, described["answer"])
    if described["linkage"]:
        screen.print("\nBetween the fields:")
        for sentence in described["linkage"]:
            screen.print(f"  • {sentence}")
    screen.print(Text(f"\nAn example ({described['builder']} makes one):"))
    screen.print(Text(to_json(described["example"], indent=2)), soft_wrap=True)


def _show_fields(screen: Console, fields: list[dict[str, Any]]) -> None:
    from rich.table import Table

    if not fields:
        screen.print("It has no fields.")
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("field", style="cyan", no_wrap=True)
    table.add_column("value")
    table.add_column("presence")
    for field in fields:
        table.add_row(field["name"], _value(field), _presence(field))
    screen.print(table)


def _value(field: dict[str, Any]) -> str:
    """The type and those limits that it does not say already."""
    told = str(field["type"])
    limits = field["limits"]
    if "unique" in limits and limits["unique"] is not True:
        told += f", each with its own {limits['unique']}"
    return told + (" or null" if field["nullable"] else "")


def _presence(field: dict[str, Any]) -> str:
    if field["when"]:
        return "when " + " and ".join(f"{k} is {v}" for k, v in field["when"].items())
    return "required" if field["required"] else "optional"


def rule_json(rule: Rule) -> dict[str, Any]:
    """A rule as ``--json`` gives it."""
    return {
        "kind": "rule",
        "name": rule.name,
        "catalogue": list(rule.catalogue),
        "obeyed_by": rule.by,
        "reason": rule.reason,
        "without": rule.without,
    }


def _show_rule(screen: Console, rule: Rule) -> None:
    from rich.text import Text

    from sim.protocols.proven import broken_by

    head = f"   a rule that the {rule.by} obeys   {', '.join(rule.catalogue)}"
    broken = broken_by(rule.name)
    scenario, seed = (broken[0], f" --seed {broken[1]}") if broken else ("SCENARIO", "")
    screen.print(Text.assemble((rule.name, "bold"), head))
    facts = (
        ("why", rule.reason),
        ("without it", rule.without),
        ("try", f"hooktwin run {scenario} --without {rule.name}{seed}"),
    )
    _show_facts(screen, facts)


def _show_facts(screen: Console, facts: Iterable[tuple[str, str]]) -> None:
    from rich.table import Table

    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    for name, text in facts:
        table.add_row(f"  {name}", text)
    screen.print(table)


def _invariant_json(invariant: type[Invariant]) -> dict[str, Any]:
    return {
        "kind": "invariant",
        "name": invariant.name,
        "catalogue": list(invariant.catalogue),
        "obeyed_by": invariant.obeyed_by,
        "sentence": invariant.sentence,
    }


def _show_invariant(screen: Console, invariant: type[Invariant]) -> None:
    from rich.text import Text

    by = f"the {invariant.obeyed_by}" if invariant.obeyed_by else "everybody"
    head = f"   an invariant, kept by {by}   {', '.join(invariant.catalogue)}"
    screen.print(Text.assemble((invariant.name, "bold"), head))
    _show_facts(screen, [("always", invariant.sentence)])


def _show_row(screen: Console, one: Watched) -> None:
    from rich.text import Text

    row = one.row
    by = {"both": "both sides obey", "all": "everybody obeys"}.get(row.by)
    by = by or _obeying(row.by.split(", "))
    screen.print(Text.assemble((row.id, "bold"), f"   {by}   {row.section}"))
    runs = [f"hooktwin run {name}" for name in one.scenarios]
    facts = [
        ("rule", row.rule),
        ("without it", row.without),
        ("watched by", ", ".join(one.watchers) if one.is_watched else "nobody"),
        ("see it", "\n".join(runs) or "no scenario shows it"),
    ]
    proof = f"hooktwin rules --check {row.id}"
    if one.see_it_broken != proof:
        facts.append(("see it broken", one.see_it_broken))
    facts.append(("prove it", proof))
    mutants = ", ".join(mutant.name for mutant in one.mutants)
    facts.insert(3, ("mutants", mutants or f"none: {one.why_no_mutant}"))
    _show_facts(screen, facts)


def _obeying(sides: list[str]) -> str:
    """Who obeys, as in "the hook and the listener obey"."""
    *first, last = (f"the {side}" for side in sides)
    return f"{', '.join(first)} and {last} obey" if first else f"{last} obeys"


def _mutant_json(mutant: Mutant) -> dict[str, Any]:
    return {
        "kind": "mutant",
        "name": mutant.name,
        "side": mutant.side,
        "what": mutant.what,
        "caught_by": mutant.caught_by,
        "rule": mutant.rule,
    }


def _show_mutant(screen: Console, mutant: Mutant) -> None:
    from rich.text import Text

    screen.print(Text.assemble((mutant.name, "bold"), f"   a mutant of the {mutant.side}"))
    facts = (
        ("does", mutant.what),
        ("caught by", mutant.caught_by),
        ("in", f"at most {mutant.seeds} storms" if not mutant.needs else mutant.needs),
    )
    _show_facts(screen, facts)
