"""How the benchmarks measure: competitors in turn, medians of ratios.

Absolute times mean nothing on a shared machine; only ratios of things that
ran in the same process, one after the other, are printed.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable

import attrs


@attrs.frozen
class Ratio:
    """``ours ÷ theirs`` over several rounds. Rates, so more is better, unless said otherwise."""

    id: str
    what: str
    goal: str
    rounds: tuple[float, ...]
    note: str = ""

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)

    def row(self) -> tuple[str, ...]:
        """Cells for a table."""
        spread = f"{min(self.rounds):.3g}…{max(self.rounds):.3g}"
        return (self.id, self.what, f"{self.median:.3g}", spread, self.goal, self.note)


def seconds(work: Callable[[], object]) -> float:
    """Real time of one call, garbage collected before."""
    gc.collect()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def rate(work: Callable[[], int]) -> float:
    """Units per second, ``work`` giving the number of units."""
    gc.collect()
    start = time.perf_counter()
    units = work()
    return units / (time.perf_counter() - start)
