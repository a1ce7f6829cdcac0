"""The last lines of a run: what held, what did not, and how to see it again."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
from rich.table import Table
from rich.text import Text

from sim.cli.drawing.screen import fit
from sim.cli.drawing.telling import Names
from sim.cli.terminal import clean

if TYPE_CHECKING:
    from sim.core.invariant import Violation
    from sim.scenario.playing.result import Failure, Result
    from sim.scenario.syntax import Scenario

Line = Text | Table


@attrs.frozen
class Asked:
    """What the command line asked for, to repeat it in ``reproduce with``."""

    scenario: str
    driver: str
    without: tuple[str, ...] = ()

    def command(self, seed: int) -> str:
        """What to paste to see the run again."""
        words = ["hooktwin", "run", self.scenario, "--seed", str(seed)]
        for rule in self.without:
            words += ["--without", rule]
        if self.driver != "trio":
            words += ["--driver", self.driver]
        return shlex.join(words)


def tell_verdict(
    result: Result, scenario: Scenario, asked: Asked, width: int, *, every: bool = False
) -> Iterator[Line]:
    """The verdict; ``every`` lists the extra frames too."""
    names = Names(result.names)
    yield _headline(result)
    yield tell_numbers(result, asked.driver)
    if asked.without:
        yield Text(f"  rules off: {', '.join(asked.without)}", "yellow")
    lines = _source_lines(scenario)
    # A loop fails at the same line again and again: the first time tells most.
    places = Counter((failure.line, failure.expected) for failure in result.failures)
    for failure in result.failures:
        times = places.pop((failure.line, failure.expected), 0)
        if times:
            yield from _failure(failure, times, lines, names, width)
    for violation in result.violations:
        yield from tell_violation(
            violation, violation.invariant in result.expected_violations, names
        )
    for name in result.missing_violations:
        yield Text(f"  @violates {clean(name)}: but it held in this run", "red")
    yield from _extra(result, every)
    if not result.ok:
        yield Text(f"  reproduce with: {clean(asked.command(result.seed))}", "bold")


def _headline(result: Result) -> Text:
    name = clean(result.scenario)
    if result.ok:
        broke = ", as it says" if result.expected_violations else ""
        words = f"what the diagram says came true; {_broken(result)}{broke}"
        return Text("✓ ", "bold green").append(name, "bold").append(f"  {words}")
    count = len(result.failures)
    came = (
        f"{count} expectation{'s' if count != 1 else ''} failed" if count else "the diagram holds"
    )
    return Text("✗ ", "bold red").append(name, "bold").append(f"  {came}; {_broken(result)}")


def _broken(result: Result) -> str:
    count = len(result.violations)
    return f"{count or 'no'} invariant{'s' if count > 1 else ''} broken"


def tell_numbers(result: Result, driver: str) -> Text:
    """What identifies a run, and how long it was."""
    return Text(
        f"  seed {result.seed} · {driver} · {result.steps} steps · {result.virtual_s:.3f} s virtual"
        f"\n  digest {result.digest}",
        "dim",
    )


def _source_lines(scenario: Scenario) -> list[str]:
    """The file's lines as its author counts them; the diagram's where the file is gone."""
    try:
        return Path(scenario.path).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, ValueError):
        return scenario.source_text.splitlines()


def _failure(
    failure: Failure, times: int, lines: list[str], names: Names, width: int
) -> Iterator[Line]:
    if 0 < failure.line <= len(lines):
        source = lines[failure.line - 1].strip()
        place = f"  line {failure.line}: "
        yield Text(place, "red").append(fit(clean(source), width - len(place)))
    yield _facts(
        ("expected", names.within(failure.expected)),
        ("happened", names.within(failure.happened)),
        *([("again", f"{times - 1} times")] if times > 1 else ()),
    )


def tell_violation(violation: Violation, expected: bool, names: Names) -> Iterator[Line]:
    """An invariant that broke: its sentence, and what happened instead."""
    from sim.cli import words

    style = "yellow" if expected else "red"
    tail = " (this scenario shows it)" if expected else ""
    yield Text(f"  {clean(violation.invariant)} broken at step {violation.step}{tail}", style)
    invariant = words.invariants().get(violation.invariant)
    sentence = [("must be", invariant.sentence)] if invariant is not None else []
    yield _facts(*sentence, ("happened", names.within(violation.text)))


def _facts(*facts: tuple[str, str]) -> Table:
    """Words with a name before them; long ones hang."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    for name, text in facts:
        table.add_row(f"    {name}", clean(text))
    return table


def _extra(result: Result, every: bool) -> Iterator[Text]:
    count = len(result.extra)
    if not count:
        return
    frames = f"{count} frame{'s' if count > 1 else ''} that the diagram does not name"
    yield Text(f"  {frames}" + (":" if every else " (--show all lists them)"), "dim")
    if every:
        for one in result.extra:
            yield Text(f"    step {one.step}  {clean(one.frame)}", "dim")
