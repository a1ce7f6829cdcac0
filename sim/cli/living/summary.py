"""What a live session tells at its end."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sim.cli import outcome

if TYPE_CHECKING:
    from sim.live.holding import Summary


def counted(number: int, word: str) -> str:
    """``1 frame``, ``2 frames``."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def tell_summary(summary: Summary, record: Path | None) -> None:
    """Lines that failed, counts, and where the recording is, on stderr."""
    from sim.cli.terminal import say

    for failure in summary.failures:
        place = f"line {failure.line}: " if failure.line else ""
        say(f"✗ {place}expected {failure.expected}", f"    happened {failure.happened}")
    broken = ", ".join(f"{rule} {count}×" for rule, count in summary.broken.items())
    crossed = counted(summary.frames, summary.counted)
    say(
        f"hooktwin: {crossed}, {counted(summary.events, 'event')}, "
        f"{counted(summary.findings, 'finding')}{f': {broken}' if broken else ''}"
    )
    if summary.unrecorded:
        say(f"hooktwin: the recording is not whole: {summary.unrecorded}")
    elif record is not None:
        say(f"hooktwin: recorded in {record}")


def code_of(summary: Summary) -> int:
    """The exit code: a signal's as shells count it, else whether all is well, and recorded."""
    if summary.signal:
        return outcome.BY_SIGNAL + summary.signal
    if summary.unrecorded:
        return outcome.CANNOT_RUN
    return outcome.OK if summary.ok else outcome.FAILED
