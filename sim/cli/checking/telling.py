"""What ``check`` says to a person: findings as they come, the verdicts at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sim.check.entry import NO_FRAME, TORN, BadLine
from sim.check.verdict import BROKEN, KEPT, NOT_JUDGED, Located, Report, RuleVerdict, merged
from sim.cli.terminal import clean, console, print_json, say

if TYPE_CHECKING:
    from rich.console import Console

    from sim.core.errors import UsageError

SHOWN = 3
"""Findings of one rule in one file, or lines of it with the same fault."""
MORE = {"": "lines that cannot be read", TORN: "lines that cannot be read",
        NO_FRAME: "lines without a frame"}  # fmt: skip
ROWS_SHOWN = 3
MARKS = {BROKEN: "✗", KEPT: "✓"}
STYLES = {BROKEN: "red", KEPT: "green"}


class Teller:
    """Prints findings at once and counts those that it keeps back."""

    def __init__(self, *, as_json: bool, every: bool, quiet: bool) -> None:
        self._as_json = as_json
        self._every = every
        self._quiet = quiet
        # by file, and rule or kind of line
        self._told: Counter[tuple[str, bool, str]] = Counter()
        self._screen: Console = console()

    def tell(self, name: str, one: Located | BadLine) -> None:
        """A finding, or a line that cannot be read."""
        is_bad = isinstance(one, BadLine)
        key = (name, is_bad, one.kind if isinstance(one, BadLine) else one.finding.rule)
        self._told[key] += 1
        if self._as_json or self._quiet or (self._told[key] > SHOWN and not self._every):
            return
        lines = _bad(name, one) if isinstance(one, BadLine) else _finding(one)
        for line in lines:
            self._screen.print(line, soft_wrap=True)

    def unreadable(self, name: str, error: UsageError) -> None:
        """A file that cannot be read at all."""
        say(f"hooktwin: {error}")

    def end(self, reports: Sequence[Report], unreadable: Sequence[tuple[str, UsageError]]) -> None:
        """The verdicts."""
        rules = merged(reports)
        if self._as_json:
            print_json(_document(reports, unreadable, rules))
            return
        if not self._quiet:
            self._kept_back()
            if rules:
                self._screen.print()
                self._screen.print(_table(rules))
                self._screen.print()
        for report in reports:
            for line in _summary(report):
                self._screen.print(line, soft_wrap=True)

    def _kept_back(self) -> None:
        for (name, is_bad, what), count in self._told.items():
            if count > SHOWN and not self._every:
                these = MORE[what] if is_bad else f"of {what}"
                told = f"{clean(name)}: {count - SHOWN} more {these} (--all shows them)"
                self._screen.print(told, soft_wrap=True)


def _finding(one: Located) -> Iterator[str]:
    """As compilers write it, so that editors find the line."""
    finding = one.finding
    yield clean(f"{one.place}: {finding.rule} ({finding.side}): {finding.text}")
    where = " ".join(finding.catalogue) + "".join(f", {section}" for section in one.sections)
    kind = f"field {finding.path}" if finding.path else one.sentence
    yield clean(f"    {kind}  [{where}]")


def _bad(name: str, one: BadLine) -> Iterator[str]:
    why = "" if one.kind == NO_FRAME else "cannot be read: "
    yield clean(f"{name}:{one.line}:{one.column}: {why}{one.error}")


def _table(rules: Sequence[RuleVerdict]) -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("", "rule"):
        table.add_column(title, no_wrap=True)
    table.add_column("of", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("seen", justify="right")
    table.add_column("rows", no_wrap=True)
    order = {BROKEN: 0, KEPT: 1, NOT_JUDGED: 2}
    for one in sorted(rules, key=lambda rule: order.get(rule.verdict, 3)):
        verdict = f"broken {one.broken}×" if one.verdict == BROKEN else one.verdict
        style = STYLES.get(one.verdict, "dim")
        cells = (MARKS.get(one.verdict, "·"), one.rule, one.side, verdict, str(one.seen or ""))
        table.add_row(*(Text(cell, style=style) for cell in cells), _rows(one.catalogue))
    return table


def _rows(catalogue: Sequence[str]) -> str:
    """The first rows of the catalogue; --json has all."""
    more = len(catalogue) - ROWS_SHOWN
    return " ".join(catalogue[:ROWS_SHOWN]) + (f" +{more}" if more > 0 else "")


def _summary(report: Report) -> Iterator[str]:
    wire = sum(one.finding.is_wire for one in report.found)
    broken = sum(one.verdict == BROKEN for one in report.rules if one.broken)
    mark = "✓" if report.is_clean and report.is_readable else "✗"
    told = [
        _extent(report),
        f"{_count(wire, 'wire fault')}",
        f"{_count(len(report.found) - wire, 'finding')} of other rules",
        f"{_count(broken, 'rule')} broken" if broken else "no rule broken",
    ]
    yield clean(f"{mark} {report.name} ({report.form})  {', '.join(told)}")
    yield from (f"  {clean(note)}" for note in _notes(report))


def _notes(report: Report) -> Iterator[str]:
    disorder = report.disorder
    others = sum(bad.kind == NO_FRAME for bad in report.bad)
    if len(report.bad) > others:
        yield f"{_count(len(report.bad) - others, 'line')} cannot be read"
    if others:
        yield f"{_count(others, 'line')} without a frame: not judged"
    if not report.frames:
        yield "there is no frame in it: nothing could be judged"
    if disorder.moved:
        yield (
            f"{_count(disorder.moved, 'line')} put in order of time, up to "
            f"{disorder.by_us / 1e6:.3f} s, first line {disorder.line}"
        )
    if disorder.late:
        yield f"{_count(disorder.late, 'line')} much too late: judged where they stand"
    yield from report.notes


def _extent(report: Report) -> str:
    """How much there was to judge."""
    if report.is_of_calls:
        callers = _count(report.connections, "host")
        return f"{_count(report.frames, 'call')} over HTTP by {callers}"
    return f"{_count(report.frames, 'frame')} on {_count(report.connections, 'connection')}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _document(
    reports: Sequence[Report],
    unreadable: Sequence[tuple[str, UsageError]],
    rules: Sequence[RuleVerdict],
) -> dict[str, Any]:
    ok = not unreadable and all(one.is_clean and one.is_readable for one in reports)
    return {
        "ok": ok,
        "frames": sum(report.frames for report in reports),
        "findings": [one.to_json() for report in reports for one in report.found],
        "bad_lines": [
            {"file": report.name, "line": bad.line, "column": bad.column, "error": bad.error}
            for report in reports
            for bad in report.bad
        ],
        "rules": [rule.to_json() for rule in rules],
        "files": [report.to_json() for report in reports],
        "unreadable": [{"file": name, "error": str(error)} for name, error in unreadable],
    }
