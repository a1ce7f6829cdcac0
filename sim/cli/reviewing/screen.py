"""A review on the terminal: what failed, what it covers, and where the rest stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from sim.cli.drawing.screen import fit
from sim.cli.reviewing.reviewed import Review, Reviewed, Verdict, failures_of
from sim.cli.reviewing.told import note_of, tables_told, ways_told
from sim.cli.terminal import clean

if TYPE_CHECKING:
    from rich.console import Console

SIGNS = {Verdict.HOLDS: ("✓", "bold green"), Verdict.CUT_SHORT: ("·", "bold yellow")}
BAD = ("✗", "bold red")


def show(review: Review, screen: Console) -> None:
    """The table of verdicts, what to paste, the sums."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", expand=True)
    table.add_column("", min_width=1)
    table.add_column("scenario", no_wrap=True)
    table.add_column("verdict", no_wrap=True, min_width=max(map(len, Verdict)))
    for title in ("schedules", "branches"):
        table.add_column(title, justify="right", no_wrap=True, min_width=len(title))
    table.add_column("", no_wrap=True, overflow="ellipsis", ratio=1)
    for one in review.every:
        sign = Text(*SIGNS.get(one.verdict, BAD))
        note = "" if one.error is not None else fit(note_of(one), screen.width)
        table.add_row(
            sign, clean(one.name), str(one.verdict), f"{one.schedules:,}", ways_told(one), note
        )
    screen.print(table)
    for one in review.bad:
        _show_bad(one, screen)
    screen.print()
    for name, area in review.coverage.areas.items():
        screen.print(Text(f"  {name}: {tables_told(area)}", "dim"), soft_wrap=True)
    style = {"✓": "bold green", "·": "bold yellow"}.get(review.sign, "bold red")
    sign = Text(f"{review.sign} ", style)
    screen.print(sign.append(review.summary(), "bold"), soft_wrap=True)


def _show_bad(one: Reviewed, screen: Console) -> None:
    if one.error is not None:
        screen.print(Text(f"  {clean(str(one.error))}", "red"), soft_wrap=True)
    if failures_of(one):
        screen.print(Text(f"  see: {clean(one.command)}", "bold"), soft_wrap=True)
    for found in one.found:
        screen.print(Text(f"  replay: {clean(found.replay)}", "bold"), soft_wrap=True)
