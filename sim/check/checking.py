"""A log from its first line to the verdict: read, put in order, judged, told with lines."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from sim.check.entry import FRAME, TORN, BadLine, Entry
from sim.check.exchange_log import ExchangeLog, record_of
from sim.check.feed import FrameFeed
from sim.check.judge import Finding, FrameJudge
from sim.check.lines import LineReader
from sim.check.protocols import judged
from sim.check.reading import (
    TRACE,
    WHOLE,
    all_of,
    form_of,
    peek,
    reader_of,
    spoken_of,
    whole_form,
)  # fmt: skip
from sim.check.recorded import TraceReader, judged_sides
from sim.check.rotated import Places
from sim.check.source import batches_of, is_empty, open_log
from sim.check.spoken import spoken_in
from sim.check.trace_feed import TraceFeed
from sim.check.usual import BATCH, UsualReader
from sim.check.verdict import (
    Located,
    Report,
    RuleVerdict,
    verdicts_of,
)
from sim.check.wanted import Wanted, check_rules
from sim.check.window import Disorder
from sim.core.trace import is_trace
from sim.drivers.collecting import paused_gc
from sim.protocols.register import DEFAULT_PROTOCOL

NOBODY: Final[frozenset[str]] = frozenset()
Tell = Callable[[str, Located | BadLine], None]


class Log:
    """One log that is being checked, line by line.

    ``tell`` is called with each finding, and with each line that cannot be read, as soon as
    it is known.
    """

    def __init__(
        self,
        name: str,
        wanted: Wanted,
        tell: Tell | None = None,
    ) -> None:
        """Raises UsageError for a rule that there is not."""
        self.name = name
        self.wanted = wanted
        self.form = ""
        self.lines = 0
        self.frames = 0
        self.bad: list[BadLine] = []
        self.found: list[Located] = []
        self._tell = tell
        self._is_sure = wanted.protocol is not None
        """Whether it is known what the frames speak."""
        self._record = judged(wanted.protocol or DEFAULT_PROTOCOL)
        self._named = NOBODY
        check_rules(wanted)
        self._from_middle = wanted.from_middle
        self._sides = self._record.sides
        self._seen = 0
        self._told_of: dict[str, str] = {}
        self._reader: LineReader | TraceReader | None = None
        self._usual = UsualReader()
        self.places = Places(name)
        self._judge: FrameJudge | None = None
        self._feed: FrameFeed | TraceFeed | None = None

    # -- lines -----------------------------------------------------------------------------

    def read(self, number: int, line: bytes) -> None:
        """The next line."""
        self.lines = number
        if not self._is_sure:
            self._find_out(line)
        reader = self._reader
        if reader is None:
            if is_empty(line):
                return
            reader = self._begin(form_of(line), line)
        entry = reader.read(number, line)
        if type(entry) is BadLine and isinstance(reader, LineReader):
            for one in reader.salvage(number, line, entry):
                self.take(one)
        elif entry is not None:
            self.take(entry)

    def read_all(self, first: int, lines: list[bytes]) -> None:
        """The next lines, ``first`` being the number of the first of them."""
        begun = 0
        while begun < len(lines) and not (self._is_sure and self._reader is not None):
            self.read(first + begun, lines[begun])
            begun += 1
        for start in range(begun, len(lines), BATCH):
            some = lines[start : start + BATCH]
            entries = self._usual.read(first + start, some) if self._is_usual() else None
            if entries is None:
                for number, line in enumerate(some, first + start):
                    self.read(number, line)
            else:
                self._take_all(entries)

    def _is_usual(self) -> bool:
        reader = self._reader
        return isinstance(reader, LineReader) and not reader.is_bare

    def _take_all(self, entries: Sequence[Entry]) -> None:
        assert isinstance(self._feed, FrameFeed)
        self.lines = entries[-1].line
        self.frames += len(entries)
        self._feed.push_all(entries)
        if self._judge is not None and len(self._judge.findings) > self._seen:
            self._collect()

    def read_whole(self, form: str, data: bytes) -> None:
        """A whole HAR file, or a JSON array."""
        if not self._is_sure:
            self._record = judged(spoken_in(data) or DEFAULT_PROTOCOL)
        self._begin(form)
        self.lines = data.count(b"\n") + 1
        for entry in WHOLE[form](data, self._record.parse):
            self.take(entry)

    def take(self, entry: Entry | BadLine) -> None:
        """What a line says."""
        if type(entry) is BadLine:
            is_head = entry.kind is TORN and not self.frames and not self.bad
            if is_head and isinstance(self._feed, FrameFeed):
                self._feed.from_middle = True  # what is left of a line, cut off by whoever wrote it
            placed = self.places.located(entry)
            self.bad.append(placed)
            if self._tell is not None:
                self._tell(self.places.of(entry.line)[0], placed)
            return
        assert self._feed is not None
        assert isinstance(entry, Entry)
        self.frames += entry.what is FRAME
        self._feed.push(entry)
        if self._judge is not None and len(self._judge.findings) > self._seen:
            self._collect()

    def settle(self) -> None:
        """Nothing more for the moment."""
        if isinstance(self._feed, FrameFeed):
            self._feed.settle()
            self._collect()

    def finish(self) -> Report:
        """The log is over. → what is to be said of it."""
        feed, judge = self._feed, self._judge
        if feed is not None and judge is not None:
            feed.finish()
            self._collect()
            judge.finish()
            self._collect()
        return Report(
            name=self.name,
            form=self.form or "empty",
            lines=self.lines,
            frames=self.frames,
            connections=0 if judge is None else judge.opened_count,
            bad=tuple(self.bad),
            found=tuple(self.found),
            rules=self._verdicts(),
            disorder=Disorder() if feed is None else feed.disorder,
            notes=tuple(self._notes()),
        )

    # -- inside ------------------------------------------------------------------------------

    def _find_out(self, line: bytes) -> None:
        """What the frames speak is shown by the first of them, or by a trace's header."""
        feed = self._feed
        if isinstance(feed, FrameFeed) and feed.has_begun:
            self._is_sure = True
            return
        spoken = spoken_of(line)
        if not spoken:
            return
        self._is_sure = True
        # A trace whose head is damaged is judged as begun: that judge only knows its hosts.
        if spoken != self._record.name and not isinstance(feed, TraceFeed):
            self._record = judged(spoken)
            if isinstance(feed, FrameFeed):
                self._begin(self.form)
                assert isinstance(self._feed, FrameFeed)
                self._feed.take_over(feed)

    def _begin(self, form: str, line: bytes = b"") -> LineReader | TraceReader:
        self.form = form
        record = self._record
        known = [word for word in self.wanted.rules if record.knows(word)]
        self._named = record.named(known or self.wanted.rules)
        is_told = form == TRACE and is_trace(line)
        self._sides = judged_sides(line, record.name) if is_told else record.sides
        self._judge = judge = FrameJudge(
            record.name,
            sides=self._sides,
            keep=False,
            without=self._unwanted(),
        )
        self._feed = (
            TraceFeed(judge) if form == TRACE else FrameFeed(judge, from_middle=self._from_middle)
        )
        self._reader = reader_of(form, self._record.parse)
        return self._reader

    def _unwanted(self) -> frozenset[str]:
        """The rules that need not be judged."""
        every = self._record.rules
        return frozenset(every) - self._named if self._named or self.wanted.only_wire else NOBODY

    def _counts(self, finding: Finding) -> bool:
        if self.wanted.only_rules if finding.is_wire else self.wanted.only_wire:
            return False
        return not self._named or finding.rule in self._named

    def _silent(self) -> frozenset[str]:
        """Rules that this log cannot show."""
        feed = self._feed
        if not isinstance(feed, FrameFeed):
            return NOBODY
        silent = self._record.whole_story if feed.from_middle else NOBODY
        return silent if feed.has_times and not feed.is_coarse else silent | self._record.fine_clock

    def _collect(self) -> None:
        """Give new findings their lines, and tell of them."""
        judge, feed = self._judge, self._feed
        if judge is None or feed is None:
            return
        silent = self._silent()
        new = judge.findings[self._seen :]
        for number, finding in enumerate(new, self._seen):
            line = feed.lines[number] if number < len(feed.lines) else self._last_of(finding)
            if finding.rule not in silent and self._counts(finding):
                self._keep(finding, line)
        self._seen = len(judge.findings)

    def _last_of(self, finding: Finding) -> int:
        """The line for what never came: the last one of the connection that it is about."""
        lines = {} if self._feed is None else self._feed.last_lines
        told = set(finding.text.replace(",", " ").split())
        return next((line for conn, line in lines.items() if conn in told), self.lines)

    def _keep(self, finding: Finding, line: int) -> None:
        rule = finding.rule
        known = self._told_of.get(rule)
        if known is None:
            known = self._told_of[rule] = self._record.sentence_of(rule)
        sections = self._record.sections_of(finding.catalogue)
        file, line = self.places.of(line)
        located = Located(file, line, finding, known, sections)
        self.found.append(located)
        if self._tell is not None:
            self._tell(file, located)

    def _verdicts(self) -> tuple[RuleVerdict, ...]:
        judge, record = self._judge, self._record
        if judge is None:
            return ()
        form = tuple(rule for rule in record.forms if rule.obeyed_by in judge.sides)
        every: list[Any] = [_Form(rule, judge.frames[rule.obeyed_by]) for rule in form]
        every = [] if self.wanted.only_rules else every
        every += [] if self.wanted.only_wire else judge.invariants
        wanted = [one for one in every if not self._named or one.name in self._named]
        return verdicts_of(wanted, self.found, self._silent(), record.sections_of)

    def _mixed(self) -> Iterator[str]:
        foreign: Counter[str] = Counter() if self._judge is None else Counter(self._judge.foreign)
        if isinstance(self._feed, FrameFeed):
            foreign.update(self._feed.foreign)
        for other, count in sorted(foreign.items()):
            if other not in ("", self._record.name):
                yield (
                    f"{count} frames look like those of the {other} protocol: it mixes protocols; "
                    f"--protocol {other} judges them"
                )

    def _notes(self) -> Iterator[str]:
        if self.places.several:
            yield f"read as one log: {', '.join(self.places.several)}"
        feed = self._feed
        yield from self._mixed()
        late = [] if self._judge is None else self._judge.invariants
        for one in late:
            if one.undecided and not one.exercised and one.name not in self._silent():
                yield f"the log ends before the deadline of {one.name}: it was not judged"
        for side in sorted(self._record.sides - self._sides):
            yield f"the trace's {side} is a puppet of its scenario: it was not judged"
        if isinstance(feed, TraceFeed) and feed.passed_over:
            yield (
                f"{feed.passed_over} frames were not judged: their connection was closed, or "
                "its opening is not in the file"
            )
        if not isinstance(feed, FrameFeed):
            return
        if feed.unsaid:
            yield (
                f"{feed.unsaid} pings and pongs were not judged: the log does not say who sent them"
            )
        if feed.nobodys:
            yield (
                f"{feed.nobodys} texts without a type were not judged: the log does not say who "
                "sent them"
            )
        if feed.from_middle:
            yield "the log begins in the middle: rules that need its beginning were not judged"
        elif feed.strangers:
            names = ", ".join(feed.strangers[:3]) + (" …" if len(feed.strangers) > 3 else "")
            yield (
                f"no hello was seen on {names}: if the log begins in the middle, say --from-middle"
            )
        if self.frames and feed.has_times and feed.is_coarse:
            yield "the log's times are whole seconds: rules about less were not judged"


class _Form:
    """The rule that frames must have the right form, which the judge itself applies."""

    def __init__(self, rule: Any, exercised: int) -> None:
        self.name = rule.name
        self.sentence = rule.sentence
        self.catalogue = rule.catalogue
        self.obeyed_by = rule.obeyed_by
        self.exercised = exercised
        self.undecided = 0


def log_for(name: str, wanted: Wanted, tell: Tell | None, start: bytes) -> Log | ExchangeLog:
    """Who reads a file that begins so. Raises UsageError for a rule that there is not."""
    record = record_of(wanted, start)
    return Log(name, wanted, tell) if record is None else ExchangeLog(name, wanted, record, tell)


def check_rotated(
    names: Sequence[str],
    wanted: Wanted,
    tell: Tell | None = None,
) -> Report:
    """Check files that are one log, oldest first (:func:`sim.check.rotated.joined`).

    Its name is that of the newest. Raises UsageError where one of them cannot be read.
    """
    if len(names) == 1:
        return check_file(names[0], wanted, tell)
    with open_log(names[0]) as first_file:
        log = log_for(names[-1], wanted, tell, peek(names[0], first_file))
    with _undisturbed():
        for name in names:
            before = log.lines
            log.places.next_file(before, name)
            with open_log(name) as file:
                for first, lines in batches_of(name, file):
                    log.read_all(before + first, lines)
    return log.finish()


def check_file(
    name: str,
    wanted: Wanted,
    tell: Tell | None = None,
) -> Report:
    """Check one file, or standard input (``-``). Raises UsageError where it cannot be read."""
    with open_log(name) as file, _undisturbed():
        start = peek(name, file)
        log = log_for(name, wanted, tell, start)
        form = whole_form(start)
        if form and isinstance(log, Log):
            log.read_whole(form, all_of(name, file))
            return log.finish()
        for first, lines in batches_of(name, file):
            log.read_all(first, lines)
    return log.finish()


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Without cyclic collections: what a log leaves behind has no cycles, and is much."""
    with paused_gc():
        yield
        gc.freeze()
    gc.unfreeze()
