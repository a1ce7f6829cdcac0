"""Values that change in the course of a run, kept for every step."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any


class Timeline:
    """Values by the step since which they count."""

    def __init__(self) -> None:
        self.steps: list[int] = []
        self.values: list[Any] = []

    def put(self, n: int, value: Any) -> None:
        """From step ``n`` on it is ``value``."""
        if not self.values or self.values[-1] != value:
            self.steps.append(n)
            self.values.append(value)

    def at(self, n: int, default: Any = None) -> Any:
        """The value after step ``n``."""
        place = bisect_right(self.steps, n)
        return self.values[place - 1] if place else default

    def since(self, n: int) -> int | None:
        """The step that gave the value that counts after step ``n``; None before the first."""
        place = bisect_right(self.steps, n)
        return self.steps[place - 1] if place else None
