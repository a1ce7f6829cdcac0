"""Strategies for whole scenarios: diagrams that parse and can be played.

Not every arrow of them comes true, puppets may misbehave and a rule may be off.
They are for what holds in any run: it comes to a verdict, every driver gives
the same digest, what is written back is the same run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from sim.testing import extra  # isort: skip  # says what is missing, before Hypothesis is imported

from hypothesis import strategies as st

from sim.play import vocabularies
from sim.scenario.parse import parse_scenario
from sim.scenario.syntax import Scenario
from sim.testing.writing import Writer

__all__ = ["extra", "scenario_texts", "scenarios"]

T = TypeVar("T")
NAME = "random.mmd"


def scenarios() -> st.SearchStrategy[Scenario]:
    """Parsed scenarios of the hook protocol, to be given to ``sim.play.play``."""
    return scenario_texts().map(lambda text: parse_scenario(text, NAME, vocabularies()))


@st.composite
def scenario_texts(draw: st.DrawFn) -> str:
    """The same as the text of an ``.mmd`` file."""
    return Writer(_Drawn(draw), draw(st.integers(1, 1_000_000))).text()


class _Drawn:
    """Chance that Hypothesis decides, so that a text can be shrunk."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def choice(self, among: Sequence[T]) -> T:
        return self._draw(st.sampled_from(among))

    def between(self, low: int, high: int) -> int:
        return self._draw(st.integers(low, high))

    def chance(self, percent: int) -> bool:
        # High numbers are true: what Hypothesis takes for simple is that nothing is added.
        return self._draw(st.integers(0, 99)) >= 100 - percent
