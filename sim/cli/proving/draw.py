"""Draws of a storm, all from one seed."""

from __future__ import annotations

import itertools
from bisect import bisect
from collections.abc import Sequence
from typing import TypeVar

from sim.core.entropy import Stream

T = TypeVar("T")


class Draw:
    """What a storm asks of chance."""

    def __init__(self, seed: int) -> None:
        self._stream = Stream(seed, "storm")

    def random(self) -> float:
        """A float in [0, 1)."""
        return self._stream.fraction()

    def below(self, end: int) -> int:
        """An integer from 0 to ``end - 1``."""
        return self._stream.between(0, end - 1)

    def choice(self, options: Sequence[T]) -> T:
        """One of them."""
        return options[self.below(len(options))]

    def weighed(self, options: Sequence[T], weights: Sequence[int]) -> T:
        """One of them, more often those of greater weight."""
        sums = list(itertools.accumulate(weights))
        return options[bisect(sums, self.below(sums[-1]))]
