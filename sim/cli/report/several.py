"""The verdicts of several scenarios: one row or one JSON line each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sim.cli.outcome import unusable_json
from sim.cli.report.verdict import Asked
from sim.cli.terminal import clean, console, print_json, say

if TYPE_CHECKING:
    from sim.cli.run import Wish
    from sim.core.errors import UsageError
    from sim.scenario.playing.result import Result


class Summary:
    """Collects verdicts; JSON lines are written as they come."""

    def __init__(self, as_json: bool) -> None:
        self.as_json = as_json
        self._results: list[tuple[str, Result | None]] = []

    def add(self, name: str, result: Result) -> None:
        """One scenario has been played."""
        self._results.append((name, result))
        if self.as_json:
            print_json(result.to_json())

    def add_unusable(self, name: str, error: UsageError) -> None:
        """One scenario cannot be run."""
        self._results.append((name, None))
        say(f"hooktwin: {error}")
        if self.as_json:
            print_json(unusable_json(name, error))

    def end(self, wish: Wish) -> None:
        """Print the table."""
        if self.as_json:
            return
        from rich.table import Table

        table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
        table.add_column("")
        table.add_column("scenario", no_wrap=True)
        for title in ("seed", "steps", "virtual s"):
            table.add_column(title, justify="right")
        table.add_column("verdict")
        for name, result in self._results:
            table.add_row(*_row(name, result))
        screen = console()
        screen.print(table)
        passed = sum(result is not None and result.ok for _, result in self._results)
        screen.print(f"\n{passed} of {len(self._results)} scenarios hold")
        for name, result in self._results:
            if result is not None and not result.ok:
                command = Asked(name, wish.driver, wish.without).command(result.seed)
                screen.print(f"  see: {clean(command)}", soft_wrap=True)


def _row(name: str, result: Result | None) -> tuple[str, ...]:
    if result is None:
        return "✗", clean(name), "", "", "", "cannot be run"
    numbers = (str(result.seed), str(result.steps), f"{result.virtual_s:.1f}")
    return "✓" if result.ok else "✗", clean(result.scenario), *numbers, _verdict(result)


def _verdict(result: Result) -> str:
    if result.ok:
        return f"breaks {', '.join(result.expected_violations)}" if result.violations else "holds"
    told = [f"line {failure.line}" for failure in result.failures[:3]]
    told += [violation.invariant for violation in result.violations]
    told += [f"{name} held" for name in result.missing_violations]
    return ", ".join(told)
