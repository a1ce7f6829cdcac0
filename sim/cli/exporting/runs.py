"""The run that an export is about: a trace file, a scenario, or a finding."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import attrs

from sim.core.errors import UsageError
from sim.core.invariant import Violation
from sim.protocols import register
from sim.view.tracefile import TraceFile
from sim.world.host import START_MS

LOOKED_AT: Final = 200
"""Frames that are asked what time it was."""

EARLIEST_MS: Final = 1_500_000_000_000
LATEST_MS: Final = 4_102_444_800_000
"""From 2017 to 2100: other times are no time of day."""

TOLD: Final = 1_000
Tell = Callable[[int, int], None]
"""Gets (events read, of how many) once in a while."""


def silent(done: int, of: int) -> None:
    """Nobody wants to know."""


@attrs.frozen(eq=False)
class Subject:
    """``violations`` are those of a run that was played for this; of a file nobody asks."""

    trace: TraceFile
    violations: tuple[Violation, ...] = ()

    @property
    def name(self) -> str:
        """Of the scenario, else of the file."""
        return self.trace.header.scenario or Path(self.trace.name).name

    def steps(self, tell: Tell) -> Iterator[int]:
        """The numbers of its events; ``tell`` hears of every thousandth."""
        for n in range(self.trace.count):
            if n % TOLD == 0:
                tell(n, self.trace.count)
            yield n


def subject_of(what: str, seed: int | None = None, without: tuple[str, ...] = ()) -> Subject:
    """Open or play it. Raises UsageError for what is none of these."""
    from sim.cli.reading import tell_cut_off
    from sim.cli.reporting.subject import is_finding, is_trace_file

    is_file, is_found = is_trace_file(what), is_finding(what)
    if (is_file or is_found) and (seed is not None or without):
        raise UsageError(f"{what}: --seed and --without are for scenarios; this is what it is")
    if is_file:
        opened = TraceFile.open(Path(what))
        tell_cut_off(what, opened.truncated)
        return Subject(opened)
    if is_found:
        return _replayed(what)
    return _played(what, seed, without)


def _played(what: str, seed: int | None, without: tuple[str, ...]) -> Subject:
    from sim.cli.reading import read_scenario
    from sim.cli.run_files import check_rules
    from sim.play import play

    check_rules(without)
    result = play(read_scenario(what), seed=seed, without=without, driver="step")
    return Subject(TraceFile.of_trace(result.trace), result.violations)


def _replayed(what: str) -> Subject:
    from sim.cli.exploring.playing import play_schedule
    from sim.explore.replaying import resolve

    result = play_schedule(*resolve(what)).result
    return Subject(TraceFile.of_trace(result.trace), result.violations)


def began_at_us(trace: TraceFile) -> int:
    """The time of day of the first event, in µs since 1970.

    That of a simulated run is always the same; in a recording of real programs the first frame
    that knows its own time tells it.
    """
    header = trace.header
    if header.driver != "live" and not header.outside:
        return START_MS * 1_000
    looked_at = 0
    for n in range(trace.count):
        event = trace.event(n)
        frame = getattr(event, "frame", None)
        if frame is None:
            continue
        ts = getattr(register.protocol_of(frame).parse(frame).message, "ts", 0)
        if isinstance(ts, int | float) and EARLIEST_MS <= ts <= LATEST_MS:
            return int(ts * 1_000) - event.at
        looked_at += 1
        if looked_at > LOOKED_AT:
            break
    return START_MS * 1_000
