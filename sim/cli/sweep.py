"""``hooktwin run FILE --seeds N``: the same scenario in N orders of things."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import attrs

from sim.cli import outcome

if TYPE_CHECKING:
    from sim.cli.run import Wish
    from sim.scenario.playing.result import Result
    from sim.scenario.syntax import Scenario

LISTED = 20
"""Failing seeds that the table lists."""


@attrs.frozen
class Trouble:
    """A seed that failed: its first failure or violation."""

    seed: int
    steps: int
    first: str


@attrs.define
class Sweep:
    """What became of one scenario's seeds so far."""

    name: str
    wanted: int
    played: int = 0
    troubles: list[Trouble] = attrs.field(factory=list)
    interrupted: bool = False

    def add(self, result: Result) -> None:
        """One more seed has been played."""
        self.played += 1
        if not result.ok:
            self.troubles.append(Trouble(result.seed, result.steps, first_trouble(result)))

    @property
    def code(self) -> int:
        """The exit code."""
        if self.interrupted:
            return outcome.INTERRUPTED
        return outcome.FAILED if self.troubles else outcome.OK


def first_trouble(result: Result) -> str:
    """The first failure or violation of a run, in one line."""
    from sim.cli.drawing.telling import Names

    names = Names(result.names)
    for violation in result.violations:
        if violation.invariant not in result.expected_violations:
            return f"{violation.invariant}, step {violation.step}: {names.within(violation.text)}"
    for failure in result.all_failures:
        place = f"line {failure.line}: " if failure.line else ""
        return f"{place}{names.within(failure.expected)}: {names.within(failure.happened)}"
    return ""


def sweep_all(files: list[str], wish: Wish, seeds: int) -> int:
    """Play every file with the seeds 1 to N; the worst exit code."""
    from sim.cli.reading import read_scenario

    codes = [outcome.OK]
    for name in files:
        swept = _sweep(name, read_scenario(name), wish, seeds)
        if not wish.as_json:
            _show(swept, wish)
        codes.append(swept.code)
        if swept.interrupted:
            break
    return max(codes)


def _sweep(name: str, scenario: Scenario, wish: Wish, seeds: int) -> Sweep:
    from rich.progress import Progress

    from sim.cli.terminal import console, print_json

    swept = Sweep(name, seeds)
    screen = console(stderr=True)
    with Progress(console=screen, transient=True, disable=not screen.is_terminal) as progress:
        task = progress.add_task("seeds", total=seeds)
        try:
            for result in _results(scenario, wish, seeds):
                if result is None:
                    swept.interrupted = True
                    break
                swept.add(result)
                if wish.as_json:
                    print_json(result.to_json())
                progress.update(task, completed=swept.played, description=_so_far(swept))
        except KeyboardInterrupt:
            swept.interrupted = True
    return swept


def _so_far(swept: Sweep) -> str:
    failed = len(swept.troubles)
    return f"{failed} failed" if failed else "seeds"


def _results(scenario: Scenario, wish: Wish, seeds: int) -> Iterator[Result | None]:
    """Seed by seed; None when somebody pressed Ctrl-C in the middle of one."""
    from sim.cli.run import was_interrupted
    from sim.drivers.collecting import swept
    from sim.play import play

    with swept() as after_run:
        for seed in range(1, seeds + 1):
            result = play(
                scenario, seed=seed, without=wish.without, driver=wish.driver, speed=wish.speed
            )
            yield None if was_interrupted(result) else result
            after_run()


def _show(swept: Sweep, wish: Wish) -> None:
    from rich.table import Table
    from rich.text import Text

    from sim.cli.drawing.screen import fit
    from sim.cli.report.verdict import Asked
    from sim.cli.terminal import clean, console

    screen = console()
    passed = swept.played - len(swept.troubles)
    sign = Text("✗ ", "bold red") if swept.troubles else Text("✓ ", "bold green")
    so_far = f" (interrupted; {swept.wanted} were wanted)" if swept.interrupted else ""
    words = f"  {passed} of {swept.played} seeds hold{so_far}"
    screen.print(Text.assemble(sign, (clean(swept.name), "bold"), words), soft_wrap=True)
    if not swept.troubles:
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("seed", "steps"):
        table.add_column(title, justify="right")
    table.add_column("first failure or violation", no_wrap=True)
    for one in swept.troubles[:LISTED]:
        told = fit(clean(one.first), screen.width - 16)
        table.add_row(str(one.seed), str(one.steps), Text(told))
    screen.print(table)
    if len(swept.troubles) > LISTED:
        screen.print(f"  … and {len(swept.troubles) - LISTED} more (--json lists them all)")
    command = Asked(swept.name, wish.named_driver, wish.without).command(swept.troubles[0].seed)
    screen.print(Text(f"  reproduce with: {clean(command)}", "bold"), soft_wrap=True)
