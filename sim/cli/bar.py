"""How far a long command is, on stderr: a bar where somebody looks, else a line now and then."""

from __future__ import annotations

from typing import Any, Self

from sim.core.entropy import steady_s

REFRESH_S = 0.1
LINE_S = 10.0
"""How often a log gets a line."""


class Bar:
    """``task`` is what ``columns``, those of rich, show in the beginning."""

    def __init__(self, **task: Any) -> None:
        from rich.progress import Progress

        from sim.cli.terminal import console

        screen = console(stderr=True)
        self._bar = Progress(*self.columns(), console=screen, transient=True)
        self._is_shown = screen.is_terminal
        self._task = self._bar.add_task(**task)
        self._spoken = steady_s()

    def columns(self) -> tuple[Any, ...]:
        """What the bar consists of."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        if self._is_shown:
            self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._is_shown:
            self._bar.stop()

    def is_due(self) -> bool:
        """Whether something is to be told again; that it is told is noted."""
        now = steady_s()
        if now - self._spoken < (REFRESH_S if self._is_shown else LINE_S):
            return False
        self._spoken = now
        return True

    def tell(self, line: str, **shown: Any) -> None:
        """``shown`` in the bar, or ``line`` in a log, unless it is empty."""
        from sim.cli.terminal import say

        if self._is_shown:
            self._bar.update(self._task, **shown)
        elif line:
            say(f"hooktwin: {line}")
