"""A record of calls, or a trace of a run without frames, from its first line to the verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from sim.check.entry import TORN, BadLine
from sim.check.exchange_lines import Exchanges, is_exchange
from sim.check.exchange_protocols import EXCHANGED, Exchanged, exchanged
from sim.check.finding import Finding
from sim.check.lines import decoded
from sim.check.rotated import Places
from sim.check.verdict import Located, Report, verdicts_of
from sim.check.wanted import Wanted, check_rules
from sim.check.window import Disorder
from sim.core.dispatch import Judges, plan_for
from sim.core.errors import UsageError
from sim.core.event import CallIssued, Event
from sim.core.http import HttpRequest
from sim.core.invariant import Invariant
from sim.core.trace import decode_event, decode_header, is_snapshot, is_trace

TRACE: Final = "trace"
CALLS: Final = "calls"
FIRST_LINES: Final = 5
"""Lines that show whether a file is about calls."""


def exchanged_in(line: bytes) -> Exchanged | None:
    """Whose calls a file is about, by one of its first lines; None for no such file."""
    if is_trace(line):
        try:
            return exchanged(decode_header(Path("the trace"), line).protocol)
        except UsageError:
            return None
    if b'"at_ms"' not in line:
        return None
    return exchanged(EXCHANGED[0]) if is_exchange(decoded(line.decode(errors="replace"))) else None


def record_of(wanted: Wanted, start: bytes) -> Exchanged | None:
    """The record of the protocol that a file is judged by, which begins so; None for one
    with frames."""
    if wanted.protocol is not None:
        return exchanged(wanted.protocol)
    found = (exchanged_in(line) for line in start.splitlines()[:FIRST_LINES])
    return next((one for one in found if one is not None), None)


class ExchangeLog:
    """One file that is being checked; the same methods as those of ``checking.Log``."""

    def __init__(
        self,
        name: str,
        wanted: Wanted,
        record: Exchanged,
        tell: Callable[[str, Located | BadLine], None] | None = None,
    ) -> None:
        """Raises UsageError for a rule that there is not."""
        check_rules(wanted)
        self.name = name
        self.record = record
        self.form = ""
        self.lines = 0
        self.places = Places(name)
        self.bad: list[BadLine] = []
        self.found: list[Located] = []
        self._wanted = wanted
        known = [word for word in wanted.rules if record.knows(word)]
        self._named = record.named(known)
        self._tell = tell
        self._calls = 0
        self._callers: dict[str, None] = {}
        self._exchanges = Exchanges()
        self._judge: _Judging | None = None
        self._outside: tuple[str, ...] = ()

    def read(self, number: int, line: bytes) -> None:
        """The next line."""
        self.lines = number
        stripped = line.strip()
        if not stripped or is_snapshot(stripped):
            return
        if is_trace(stripped):
            self.form = TRACE
            self._outside = decode_header(Path(self.name), stripped).outside
            shown = self.record.shown_with(self._outside)
            self._judge = _Judging(self.record, shown, is_log=False)
        elif self.form == TRACE:
            self._event(number, stripped)
        else:
            self._line(number, stripped)

    def read_all(self, first: int, lines: list[bytes]) -> None:
        """The next lines, ``first`` being the number of the first of them."""
        for number, line in enumerate(lines, first):
            self.read(number, line)

    def settle(self) -> None:
        """Nothing more for the moment."""

    def finish(self) -> Report:
        """The log is over. → what is to be said of it."""
        if self.form == CALLS:
            record = self.record
            judge = _Judging(record, record.by_calls, True, self._exchanges.start_ms)
            self._judge = judge
            for line, event in self._exchanges.moments():
                self._take(line, event)
        judged = self._judge
        if judged is not None:
            for finding in judged.finish():
                self._find(self.lines, finding)
        invariants: list[Any] = [] if judged is None else judged.invariants
        wanted = [one for one in invariants if not self._named or one.name in self._named]
        return Report(
            name=self.name,
            form=self.form or "empty",
            lines=self.lines,
            frames=self._calls,
            connections=len(self._callers),
            bad=tuple(self.bad),
            found=tuple(self.found),
            rules=verdicts_of(wanted, self.found, frozenset(), self.record.sections_of),
            disorder=Disorder(),
            notes=tuple(self._notes()),
            is_of_calls=True,
        )

    # -- inside ----------------------------------------------------------------------------

    def _notes(self) -> Iterator[str]:
        if self.places.several:
            yield f"read as one log: {', '.join(self.places.several)}"
        if self._outside:
            who = " and ".join(self._outside)
            yield f"of real programs ({who}) only what they asked for was judged"
        if self.form == CALLS and self._calls:
            yield "rules about logs, claims and locks were not judged: a record of calls has none"
            if self._exchanges.start_ms is None:
                yield "the record does not say when it began: ages were not judged"

    def _event(self, number: int, line: bytes) -> None:
        try:
            event = self.record.typed(decode_event(line))
        except (UsageError, msgspec.MsgspecError, ValueError, RecursionError) as error:
            self._is_bad(number, len(line.decode(errors="replace")) + 1, f"no event: {error}")
            return
        self._take(number, event)

    def _line(self, number: int, line: bytes) -> None:
        value = decoded(line.decode(errors="replace"))
        if isinstance(value, ValueError):
            torn = "the line ends in the middle" if line.startswith(b"{") else "no JSON object"
            self._is_bad(number, len(line.decode(errors="replace")) + 1, torn, TORN)
            return
        if is_exchange(value):
            self.form = CALLS
            self._exchanges.take(number, value)

    def _is_bad(self, number: int, column: int, text: str, kind: str = "") -> None:
        placed = self.places.located(BadLine(number, column, text, kind))
        self.bad.append(placed)
        if self._tell is not None:
            self._tell(self.places.of(number)[0], placed)

    def _take(self, line: int, event: Event) -> None:
        if isinstance(event, CallIssued) and isinstance(event.request, HttpRequest):
            self._calls += 1
            self._callers[event.caller] = None
        assert self._judge is not None
        for finding in self._judge.on(event):
            self._find(line, finding)

    def _find(self, line: int, finding: Finding) -> None:
        if self._wanted.only_wire or (self._named and finding.rule not in self._named):
            return
        file, number = self.places.of(line)
        sentence = next(one.sentence for one in self.record.invariants if one.name == finding.rule)
        rows = self.record.sections_of(finding.catalogue)
        located = Located(file, number, finding, sentence, rows)
        self.found.append(located)
        if self._tell is not None:
            self._tell(file, located)


class _Judging:
    """The oracles of one file, and the fold that they ask."""

    def __init__(
        self,
        record: Exchanged,
        makers: tuple[type[Invariant], ...],
        is_log: bool,
        start_ms: int | None = None,
    ) -> None:
        self.view = record.view(is_log, start_ms)
        made: Any = makers
        self.invariants: list[Invariant] = [make(self.view) for make in made]
        self._plan = {
            kind: Judges(row, self.invariants) for kind, row in plan_for(self.invariants).items()
        }
        self._n = self._at = 0

    def on(self, event: Event) -> Iterator[Finding]:
        """What is wrong with the next event."""
        self._n, self._at = event.n, event.at
        self.view.on(event)
        judges = self._plan.get(type(event))
        if judges is None:
            return
        key = None if judges.key is None else judges.key(event)
        for handler in judges[key]:
            text = handler(event)
            if text is not None:
                yield self._finding(judges.owner(key, handler), text)

    def finish(self) -> Iterator[Finding]:
        """What never came true."""
        for one in self.invariants:
            for text in one.at_end():
                yield self._finding(one, text)

    def _finding(self, one: Invariant, text: str) -> Finding:
        return Finding(one.name, one.obeyed_by, text, self._n, self._at, "", one.catalogue)
