"""Progress of a search, as :class:`sim.cli.bar.Bar` tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sim.cli.bar import Bar
from sim.core.entropy import steady_s

if TYPE_CHECKING:
    from sim.explore.search import Search


class Watcher(Bar):
    """Told of each schedule, each shrinking step, each blamed step; speaks now and then."""

    def __init__(self, name: str, seconds: float, most: int | None) -> None:
        from sim.cli.drawing.screen import fit
        from sim.cli.terminal import clean

        self.name = fit(clean(name), 18)
        self.seconds = seconds
        self.most = most
        self.begun = steady_s()
        super().__init__(description=self.name, total=1.0, told="")

    def columns(self) -> tuple[Any, ...]:
        from rich.progress import BarColumn, TextColumn

        return (
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=12),
            TextColumn("{task.fields[told]}", markup=False),
        )

    def searching(self, search: Search) -> None:
        """One more schedule has been tried."""
        if self.is_due():
            now = steady_s()
            self._say(self._part(search, now), self._so_far(search, now))

    def searched(self, search: Search) -> None:
        """The search is over."""
        self._say(1.0, self._counts(search, steady_s()))

    def shrinking(self, shrinker: Any) -> None:
        """One more run of the shrinker."""
        steps = len(shrinker.best.schedule.steps)
        told = f"shrinking {shrinker.invariant}: {shrinker.replays} runs, {steps} choices left"
        self._now_and_then(0.0, told)

    def blaming(self, done: int, every: int) -> None:
        """One more step has been forked."""
        self._now_and_then(done / every, f"blame: step {done} of {every}")

    def _now_and_then(self, part: float, told: str) -> None:
        if self.is_due():
            self._say(part, told)

    def _say(self, part: float, told: str) -> None:
        self.tell(f"{self.name}: {told}", completed=part, told=told)

    def _part(self, search: Search, now: float) -> float:
        """How much of the budget is used up."""
        parts = [(now - self.begun) / self.seconds if self.seconds else 1.0]
        if self.most:
            parts.append(search.schedules / self.most)
        return min(max(parts), 1.0)

    def _counts(self, search: Search, now: float) -> str:
        count = search.schedules
        plural = "" if count == 1 else "s"
        words = f"{count:,} schedule{plural}, {count / self._spent(now):,.0f}/s"
        return f"{words}, {len(search.found)} found, {len(search.covered)} situations"

    def _so_far(self, search: Search, now: float) -> str:
        left = self.seconds - self._spent(now)
        if self.most is not None:
            rate = search.schedules / self._spent(now)
            left = min(left, (self.most - search.schedules) / rate)
        words = self._counts(search, now)
        # First what must not be cut off on a narrow screen.
        return words if left == float("inf") else f"{max(left, 0):.0f} s left, {words}"

    def _spent(self, now: float) -> float:
        return max(now - self.begun, 1e-3)
