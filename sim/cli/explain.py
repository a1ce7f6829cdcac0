"""``hooktwin explain WORD``: a message type, a rule or an invariant in full."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from sim.core.invariant import Invariant
    from sim.core.rule import Rule

EPILOG = (
    "Examples:\n\n"
    "  hooktwin explain turn.end              fields, limits, an example frame\n\n"
    "  hooktwin explain ownership-at-write    what a rule is for\n\n"
    "  hooktwin explain HK-187                the same, by its row in the catalogue\n\n"
    "  hooktwin explain --all --json          every message type, for programs"
)


def _complete(incomplete: str) -> list[str]:
    from sim.cli import words

    known = (*words.message_types(), *words.rules(), *words.invariants())
    return [word for word in known if word.startswith(incomplete)]


def add_to(app: typer.Typer) -> None:
    """Register the command."""
    app.command(epilog=EPILOG)(explain)


def explain(
    word: Annotated[
        str | None,
        typer.Argument(
            help="A message type, a rule, a catalogue id or an invariant.",
            autocompletion=_complete,
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All message types.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON value on stdout.")] = False,
) -> None:
    """Explain a message type, a rule or an invariant."""
    from sim.core.errors import UsageError

    if every == (word is not None):
        raise UsageError("give one word, or --all; for example: hooktwin explain turn.end")
    if every:
        _explain_all(as_json)
    else:
        assert word is not None
        _explain_one(word, as_json)


def _explain_all(as_json: bool) -> None:
    from sim.cli import words
    from sim.cli.terminal import console, print_json
    from sim.wire.describe import describe

    described = [describe(body) for body in words.message_types().values()]
    if as_json:
        print_json(described)
        return
    screen = console()
    for number, one in enumerate(described):
        if number:
            screen.print()
        show_message(screen, one)


def _explain_one(word: str, as_json: bool) -> None:
    from sim.cli import words
    from sim.cli.outcome import unknown
    from sim.cli.terminal import console, print_json
    from sim.wire.describe import describe

    types, rules, invariants = words.message_types(), words.rules(), words.invariants()
    if word in types:
        described = describe(types[word])
        print_json(described) if as_json else show_message(console(), described)
        return
    named = [r for r in rules.values() if word == r.name or word.upper() in r.catalogue]
    named_invariants = [
        i for i in invariants.values() if word == i.name or word.upper() in i.catalogue
    ]
    if not named and not named_invariants:
        ids = (row for rule in rules.values() for row in rule.catalogue)
        raise unknown("word", word, (*types, *rules, *invariants, *ids))
    if as_json:
        values = [*map(rule_json, named), *map(_invariant_json, named_invariants)]
        print_json(values[0] if len(values) == 1 else values)
        return
    screen = console()
    for rule in named:
        _show_rule(screen, rule)
    for invariant in named_invariants:
        _show_invariant(screen, invariant)


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

    head = f"   a rule that the {rule.by} obeys   {', '.join(rule.catalogue)}"
    screen.print(Text.assemble((rule.name, "bold"), head))
    facts = (
        ("why", rule.reason),
        ("without it", rule.without),
        ("try", f"hooktwin run SCENARIO --without {rule.name}"),
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
