"""Arguments that several directives share: ``-name``, ``+name``, ``after "…"``."""

from __future__ import annotations

from collections.abc import Collection

from sim.scenario.arguments import Arguments
from sim.scenario.source import all_of, near


def read_switch(args: Arguments, what: str, known: Collection[str] | None) -> tuple[str, bool]:
    """``-name`` or ``+name``: the name, and whether it is on. Raises ScenarioError."""
    at = args.take(what, ("-name", "+name"))
    if at.text[:1] not in ("+", "-") or len(at.text) < 2:
        raise at.fail(f"a {what} is switched with a sign", ("-name", "+name"))
    name = at.cut(1)
    if known is not None and name.text not in known:
        told = f"unknown {what} {name.text[:60]!r}"
        told += all_of(name.text, known, "hooktwin rules --switches", 40) if what == "rule" else ""
        raise name.fail(told, near(name.text, known, limit=40))
    return name.text, at.text[0] == "+"


def read_after(args: Arguments, word: str, *others: str) -> str:
    """``after "deliver …"``: the text behind the word. Raises ScenarioError."""
    if not args.skip(word):
        raise args.fail_here(f"{word!r} is missing: {args.usage}", (word, *others))
    return args.string()
