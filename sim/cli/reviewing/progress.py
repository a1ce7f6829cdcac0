"""Progress of a review, as :class:`sim.cli.bar.Bar` tells it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sim.cli.bar import Bar
from sim.cli.exploring.watching import Watcher

if TYPE_CHECKING:
    from sim.cli.reviewing.reviewed import Reviewed
    from sim.explore.search import Search

ROOM = 40
"""Columns of a name."""


class Progress(Bar):
    """How many scenarios are through, which one it is now, and what went wrong so far."""

    def __init__(self, count: int) -> None:
        super().__init__(description="", total=count)
        self._count = count
        self._number = 0
        self._name = ""
        self._bad = 0

    def columns(self) -> tuple[Any, ...]:
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn

        return (
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TextColumn("{task.description}", markup=False),
        )

    def comes_to(self, name: str) -> None:
        """The next scenario, or the one that is waited for."""
        self._name = name
        self.says("")

    def is_through(self, one: Reviewed) -> None:
        """It is through."""
        self._number += 1
        self._bad += one.verdict.is_bad
        self.tell("", completed=self._number)

    def says(self, told: str) -> None:
        """What is being done; often too often to be shown."""
        if self.is_due():
            self._show(told)

    def _show(self, told: str) -> None:
        from sim.cli.terminal import clean

        bad = f"{self._bad} bad, " if self._bad else ""
        name = clean(self._name)
        name = name if len(name) <= ROOM else f"…{name[1 - ROOM :]}"  # its end says which one
        text = f"{bad}{name}{f': {told}' if told else ''}"
        self.tell(f"{self._number} of {self._count} scenarios, {text}", description=text)


class Quiet(Watcher):
    """The watcher of one scenario's search within a review: it has no bar of its own.

    ``progress`` None: nobody watches, in a process of its own.
    """

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress

    def __enter__(self) -> Quiet:
        return self

    def __exit__(self, *error: object) -> None:
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
