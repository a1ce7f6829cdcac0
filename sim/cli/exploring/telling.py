"""What a search has found, for the person who asked."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sim.cli import words
from sim.cli.drawing.screen import fit
from sim.cli.drawing.telling import Names
from sim.cli.exploring.chain import tell_chain
from sim.cli.exploring.documents import rows_of
from sim.cli.exploring.junit import replay_line
from sim.cli.exploring.playing import play_schedule
from sim.cli.terminal import clean
from sim.explore.trial import RAISES
from sim.explore.wording import says

if TYPE_CHECKING:
    from rich.console import Console

    from sim.cli.exploring.searching import Explored
    from sim.explore.finding import Finding
    from sim.explore.schedule import Case, Schedule

ROWS = 4
"""Rows of the catalogue that are quoted."""

_LINE = re.compile(r"\bline (\d+) of the diagram\b")


def show(explored: Explored, screen: Console) -> None:
    """All findings of one scenario, and how far the search went."""
    for finding in explored.findings:
        _show_finding(explored, finding, screen)
        screen.print()
    _show_sum(explored, screen)


def _show_finding(explored: Explored, finding: Finding, screen: Console) -> None:
    case = explored.case
    played = play_schedule(case, finding.schedule)
    result = played.result
    head = Text("✗ ", "bold red").append(clean(explored.name), "bold")
    screen.print(head.append(f"  breaks {finding.invariant} at step {finding.step}", "red"))
    names = Names(result.names)
    screen.print(facts(_meaning(finding, names)))
    screen.print(_sizes(explored, finding), style="dim")
    for line in tell_choices(case, finding.schedule, screen.width):
        screen.print(line)
    for told in tell_chain(played, finding.chain, screen.width):
        screen.print(told, no_wrap=True, overflow="crop")
    if finding.sentence:
        sentence = names.within(finding.sentence)
        screen.print(Padding(Text(clean(quoted(case, sentence)), "green"), (0, 0, 0, 2)))
    _show_curve(explored, finding, screen)
    for line in _to_paste(explored, finding):
        # Commands are to be copied: the terminal may break them, we must not.
        screen.print(line, soft_wrap=True)


def _meaning(finding: Finding, names: Names) -> Iterator[tuple[str, str]]:
    invariant = words.invariants().get(finding.invariant)
    if invariant is not None:
        yield "must be", invariant.sentence
    elif finding.invariant == RAISES:
        yield "must be", "No handler of an actor raises an exception."
    yield "happened", names.within(finding.text)
    rows = invariant.catalogue if invariant is not None else ()
    for id in rows[:ROWS]:
        watched = words.rows().get(id)
        if watched is not None:
            yield id, watched.row.rule
    if len(rows) > ROWS:
        yield "also", ", ".join(rows[ROWS:])


def facts(told: Iterable[tuple[str, str]]) -> Table:
    """Names with their texts; long ones hang."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    for name, text in told:
        table.add_row(f"  {name}", clean(text))
    return table


def _sizes(explored: Explored, finding: Finding) -> str:
    """Where it was found, and what shrinking made of it."""
    tried = finding.outcome.tried
    by = f" ({tried.strategy})" if tried.strategy else " (the timed run)"
    before, after = finding.outcome, finding.shrunk
    choices = f"{len(before.schedule.steps)} → {len(after.schedule.steps)} choices"
    return (
        f"  found as schedule {tried.number + 1:,}{by}\n"
        f"  shrunk with {finding.replays} runs: {before.events} → {after.events} events, {choices}"
    )


def tell_choices(case: Case, schedule: Schedule, width: int) -> Iterator[Text | Padding]:
    """The choices in words, and which lines of the diagram are left out."""
    kind = "no drawn latencies" if schedule.flat else "drawn latencies"
    told = ":" if schedule.steps else ": none, the timed run does it"
    yield Text(f"  choices (seed {schedule.seed}, {kind}){told}")
    for number, text in enumerate(choices_told(case, schedule), 1):
        line = Table.grid(padding=(0, 1, 0, 0))
        line.add_column(no_wrap=True)
        line.add_column()
        line.add_row(f"    {number}.", text)
        yield Padding(line, 0)
    if schedule.dropped:
        told = f"  not needed of the diagram: {lines_told(schedule.dropped)}"
        yield Text(fit(told, width), "dim")


def choices_told(case: Case, schedule: Schedule) -> list[str]:
    """Each choice in words, harmless, with the lines of the diagram that it names."""
    return [clean(quoted(case, says(step))) for step in schedule.steps]


def lines_told(numbers: Iterable[int]) -> str:
    """``lines 3, 5-9``."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    told = [f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
    many = len(told) > 1 or "-" in told[0]
    return f"line{'s' if many else ''} {', '.join(told)}"


def quoted(case: Case, text: str) -> str:
    """Lines of the diagram by what they say, not by their numbers alone."""
    source = case.scenario.source_text.splitlines()

    def quote(found: re.Match[str]) -> str:
        number = int(found[1])
        said = source[number - 1].strip() if 0 < number <= len(source) else ""
        return f"line {number} ({fit(said, 60)})" if said else found[0]

    return _LINE.sub(quote, text)


def _show_curve(explored: Explored, finding: Finding, screen: Console) -> None:
    from sim.cli.exploring.curve import tell_curve
    from sim.cli.terminal import speaks_unicode

    curve = explored.curves.get(finding.invariant)
    if curve:
        for line in tell_curve(curve, screen.width, unicode=speaks_unicode(screen.file)):
            screen.print(line)


def _to_paste(explored: Explored, finding: Finding) -> Iterator[Text]:
    files = explored.files.get(finding.invariant)
    if finding.token is None and files is None:
        yield Text("  no token of 80 characters leads to it; keep it as a file:", "dim")
        yield _command("again", replay_line(explored, finding))
    else:
        yield _command("replay", replay_line(explored, finding))
    if finding.invariant != RAISES:
        # The sentence of the invariant stands above already; its row says more.
        rows = rows_of(finding.invariant)
        yield _command("explain", f"hooktwin explain {rows[0] if rows else finding.invariant}")
    if files is not None:
        yield _command("saved", shlex.join(["hooktwin", "run", str(files[1])]))


def _command(name: str, text: str) -> Text:
    return Text(f"  {name}: ", "dim").append(clean(text), "bold")


def _show_sum(explored: Explored, screen: Console) -> None:
    """How far the search went, and how to go on."""
    search, wish = explored.search, explored.wish
    found = len(explored.findings)
    sign = Text("✗ ", "bold red") if found else Text("✓ ", "bold green")
    sign = (
        Text("· ", "bold yellow")
        if (explored.interrupted or explored.failure) and not found
        else sign
    )
    what = f"{found} finding{'s' if found > 1 else ''}" if found else "nothing found"
    count = search.schedules
    line = sign.append(clean(explored.name), "bold")
    line.append(f"  {what} in {count:,} schedule{'' if count == 1 else 's'}")
    line.append(f" ({explored.seconds:.1f} s, {len(search.covered)} situations)")
    screen.print(line, soft_wrap=True)
    told = search.strategy.told()
    if told and not explored.interrupted:
        screen.print(f"  {told}")
    elif not found or wish.everything or explored.interrupted:
        screen.print(Text(f"  {_why_it_ended(explored)}", "dim"))
        again = wish.command(explored.name, seed=explored.case.seed + 1)
        screen.print(_command("go on with other draws", again), soft_wrap=True)


def _why_it_ended(explored: Explored) -> str:
    search = explored.search
    if explored.interrupted:
        return "interrupted; there was more to try"
    if explored.failure is not None:
        return "it could not go on; there was more to try"
    if search.most is not None and search.schedules >= search.most:
        return f"--max-schedules {search.most:,} is used up; there is more to try"
    return "the time is over; there is more to try"
