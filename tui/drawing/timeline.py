"""The bar below every screen: where in the run the cursor stands, and what is where."""

from __future__ import annotations

from collections.abc import Sequence

from sim.view.timeline import Buckets
from tui.drawing.lines import Line, Span, fit, line

BEFORE = 22
BEHIND = 14


def track_width(width: int) -> int:
    """Columns of the track itself."""
    return max(width - BEFORE - BEHIND, 10)


def status(
    step: int, steps: int, at_us: int, *, playing: bool, speed: str, width: int, progress: float
) -> tuple[str, str]:
    """What stands before and behind the track."""
    sign = "▶" if playing else "▮▮"
    before = f" {sign} {step}/{max(steps - 1, 0)} {speed}"
    behind = f"T+{at_us / 1e6:.3f}s"
    if progress < 1:
        behind = f"read {progress:.0%}"
    return fit(before, BEFORE - 1).ljust(BEFORE), fit(behind, BEHIND - 1).rjust(BEHIND - 1)


def bar(buckets: Buckets, step: int, before: str, behind: str) -> Line:
    """The track with its knob; heavier where more happens is left to the marks."""
    knob = buckets.column_of(step)
    width = len(buckets.counts)
    return line(
        (before, ""),
        Span("━" * knob, "strong", ("track", 0)),
        Span("●", "cursor", ("track", knob)),
        Span("─" * (width - knob - 1), "dim", ("track", knob + 1)),
        (" " + behind, "dim"),
    )


ROLES = {"x": "bad", "!": "bad", "≠": "warn"}


def marks(buckets: Buckets) -> Line:
    """Letters, faults and findings below the track."""
    spans = [Span(" " * BEFORE)]
    for sign in buckets.marks:
        spans.append(Span(sign or " ", ROLES.get(sign, "dim")))
    return Line(tuple(spans))


BLOCKS = "▁▂▃▄▅▆▇█"


def blame(curve: Sequence[float], last: int, width: int) -> str:
    """How likely the run still failed, along the track up to column ``last``.

    ``curve`` has one chance per thing that happened; they are spread evenly.
    """
    if not curve or last <= 0:
        return ""
    places = (curve[min(k * len(curve) // (last + 1), len(curve) - 1)] for k in range(last + 1))
    return "".join(BLOCKS[min(int(chance * 7.99), 7)] for chance in places)[:width]
