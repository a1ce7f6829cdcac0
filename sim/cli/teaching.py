"""What ``explain`` prints about the scenario language."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from sim.cli import language

if TYPE_CHECKING:
    from rich.console import Console


def show_directive(screen: Console, one: language.Directive) -> None:
    """One directive in full."""
    screen.print(Text.assemble((f"@{one.name}", "bold"), f"   a directive, {one.where}"))
    facts = (
        ("written", f"%% {one.usage}"),
        ("or", f"Note over D,S: {one.usage}   (where the audience should see it)"),
        ("does", one.does),
        ("example", f"%% {one.example}"),
        ("all of them", "hooktwin explain language"),
    )
    _show_pairs(screen, facts, "dim")


def show_language(screen: Console) -> None:
    """Arrows, items, acts and directives on one page."""
    screen.print(Text.assemble(("A scenario", "bold"), " is a Mermaid sequenceDiagram that runs."))
    screen.print(
        "Arrows out of simulated hosts are expectations (60 virtual seconds); arrows of people "
        "and of agents say what they do. Directives stand in %% comments or in notes."
    )
    _show_section(screen, "Arrows", language.ARROWS)
    _show_section(screen, "Items, between the brackets of a frame", language.ITEMS)
    for place in language.PLACES:
        usages = [usage for usage, where in language.acts() if where == place]
        screen.print(Text(f"\nActs of a person, {place}", "bold"))
        screen.print(Text("  " + " · ".join(usages)))
    told = ((one.usage, one.does.partition(". ")[0]) for one in language.directives().values())
    _show_section(screen, "Directives (hooktwin explain @cut tells more of one)", told)
    screen.print(Text("\nBlocks", "bold"))
    screen.print(Text("  par/and · alt/else · opt · loop 3 times · critical/option · break"))
    screen.print(Text(f"\nIn prose: {language.DOCUMENT}"))


def _show_section(screen: Console, title: str, pairs: Iterable[tuple[str, str]]) -> None:
    screen.print(Text(f"\n{title}", "bold"))
    _show_pairs(screen, pairs, "cyan")


def _show_pairs(screen: Console, pairs: Iterable[tuple[str, str]], style: str) -> None:
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style=style)
    table.add_column()
    for left, right in pairs:
        table.add_row(Text(f"  {left}"), Text(right))
    screen.print(table)
