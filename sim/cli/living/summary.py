"""What a live session tells at its end."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sim.cli import outcome

if TYPE_CHECKING:
    from sim.live.serving import Summary


def tell_summary(summary: Summary, record: Path | None) -> None:
    """Lines that failed, counts, and where the recording is, on stderr."""
    from sim.cli.terminal import say

    for failure in summary.failures:
        place = f"line {failure.line}: " if failure.line else ""
        say(f"✗ {place}expected {failure.expected}\n    happened {failure.happened}")
    counted = ", ".join(f"{rule} {count}×" for rule, count in summary.broken.items())
    say(
        f"hooktwin: {summary.frames} frames, {summary.events} events, "
        f"{summary.findings} findings{f': {counted}' if counted else ''}"
    )
    if record is not None:
        say(f"hooktwin: recorded in {record}")


def code_of(summary: Summary) -> int:
    """The exit code: a signal's as shells count it, else whether all is well."""
    if summary.signal:
        return outcome.BY_SIGNAL + summary.signal
    return outcome.OK if summary.ok else outcome.FAILED
