"""Valid scenarios by number, as sim.testing writes them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

from sim.testing.writing import Writer

T = TypeVar("T")


class Numbered:
    """Chance that a number decides."""

    def __init__(self, number: int) -> None:
        self._random = random.Random(number)

    def choice(self, among: Sequence[T]) -> T:
        return self._random.choice(among)

    def between(self, low: int, high: int) -> int:
        return self._random.randint(low, high)

    def chance(self, percent: int) -> bool:
        return self._random.random() < percent / 100


def scenario(number: int) -> str:
    """The text of the scenario of this number."""
    return Writer(Numbered(number), number).text()
