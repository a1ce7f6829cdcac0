"""Pending things: everything that can happen next is an item with a name.

An item waits in the world's heap under its due time; ``fire`` makes it
happen. The name is what schedules store, so it must say the same thing after
an unrelated change: who, what, and a count of its own kind, never a global
number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Item:
    """Root of pending things.

    ``seq`` breaks ties of time and is -1 while the item is not scheduled;
    ``cause`` is the event that planned it. ``foreground`` items keep a run from
    being settled.
    """

    __slots__ = ("cause", "due", "foreground", "seq")

    def __init__(self, foreground: bool = True) -> None:
        # The kinds that are made most often repeat this: a call of it costs as much.
        self.due = 0
        self.seq = self.cause = -1
        self.foreground = foreground

    def fire(self, world: Any) -> None:
        """Let it happen now, in this World."""
        raise NotImplementedError

    def name(self) -> str:
        """The choice's name, stable under unrelated changes."""
        raise NotImplementedError

    def alias(self, symbol: Callable[[str, str], str]) -> str:
        """What a helm calls it, before counting: no id that was drawn, no number that an
        unrelated change would move. ``symbol`` replaces a word that may be such an id."""
        return self.name()

    def enabled(self) -> bool:
        """Whether it may be chosen now (a FIFO lets only its head go)."""
        return True

    def put_off(self, world: Any, due: int | None) -> None:
        """A helm lets it happen later: at ``due`` (µs), or after something else (None).

        Whoever waits for it only so long must give up in time.
        """


class Moment(Item):
    """A planned callback: a script's next line, the end of a pause."""

    __slots__ = ("_label", "_run")

    def __init__(self, label: str, run: Callable[[], None], foreground: bool = True) -> None:
        self.due = 0
        self.seq = self.cause = -1
        self.foreground = foreground
        self._label = label
        self._run = run

    def fire(self, world: Any) -> None:
        self._run()

    def name(self) -> str:
        return self._label
