"""Progress of a review on stderr: a bar where somebody looks, else a line now and then."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any

from sim.cli.exploring.watching import LINE_S, REFRESH_S, Watcher
from sim.core.entropy import steady_s

if TYPE_CHECKING:
    from sim.cli.reviewing.reviewed import Reviewed
    from sim.explore.search import Search

ROOM = 40
"""Columns of a name."""


class Progress:
    """How many scenarios are through, which one it is now, and what went wrong so far."""

    def __init__(self, count: int) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
        from rich.progress import Progress as Bar

        from sim.cli.terminal import console

        screen = console(stderr=True)
        columns = (
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TextColumn("{task.description}", markup=False),
        )
        self._bar = Bar(*columns, console=screen, transient=True) if screen.is_terminal else None
        self._task: Any = None
        self._count = count
        self._number = 0
        self._name = ""
        self._bad = 0
        self._spoken = steady_s()

    def __enter__(self) -> Progress:
        if self._bar is not None:
            self._bar.start()
            self._task = self._bar.add_task("", total=self._count)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def comes_to(self, name: str) -> None:
        """The next scenario, or the one that is waited for."""
        self._name = name
        self.says("")

    def is_through(self, one: Reviewed) -> None:
        """It is through."""
        self._number += 1
        self._bad += one.verdict.is_bad
        if self._bar is not None:
            self._bar.update(self._task, completed=self._number)

    def says(self, told: str) -> None:
        """What is being done; often too often to be shown."""
        now = steady_s()
        if now - self._spoken < (LINE_S if self._bar is None else REFRESH_S):
            return
        self._spoken = now
        self._show(told)

    def _show(self, told: str) -> None:
        from sim.cli.terminal import clean, say

        bad = f"{self._bad} bad, " if self._bad else ""
        name = clean(self._name)
        name = name if len(name) <= ROOM else f"…{name[1 - ROOM :]}"  # its end says which one
        text = f"{bad}{name}{f': {told}' if told else ''}"
        if self._bar is None:
            say(f"hooktwin: {self._number} of {self._count} scenarios, {text}")
        else:
            self._bar.update(self._task, description=text)


class Quiet(Watcher):
    """The watcher of one scenario's search within a review: it has no bar of its own.

    ``progress`` None: nobody watches, in a process of its own.
    """

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress

    def __enter__(self) -> Quiet:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Nothing is open."""

    def searching(self, search: Search) -> None:
        """One more schedule has been tried."""
        self._says(f"{search.schedules:,} schedules")

    def searched(self, search: Search) -> None:
        """The search is over."""

    def shrinking(self, shrinker: Any) -> None:
        """One more run of the shrinker."""
        self._says(f"shrinking {shrinker.invariant}")

    def blaming(self, done: int, every: int) -> None:
        """Nobody asks a review for a curve."""

    def _says(self, told: str) -> None:
        if self._progress is not None:
            self._progress.says(told)
