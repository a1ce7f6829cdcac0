"""Storms around the bridge break nothing; every mutant is noticed by the invariant it names."""

from __future__ import annotations

import pytest

from sim.cli.proving.mutants import seeds_until_noticed
from sim.cli.proving.question_edges import STORIES, EdgeStorm
from sim.cli.proving.question_storm import QuestionStorm
from sim.protocols.mutant import Mutant
from sim.protocols.question.catalogue.shown import BROKEN_BY
from sim.protocols.question.mutants import all_mutants

QUICK = 12
"""A mutant that may take more storms than these belongs to the deep tests, as does one that
a shipped scenario shows already."""
STORMY = [
    pytest.param(m, id=m.name, marks=pytest.mark.deep if slow else ())
    for m in all_mutants()
    for slow in [m.seeds > QUICK or m.rule in BROKEN_BY]
]


@pytest.mark.parametrize("mutant", STORMY)
def test_a_mutant_is_noticed_in_a_storm(mutant: Mutant) -> None:
    assert seeds_until_noticed(mutant), f"{mutant.caught_by} did not notice: {mutant.what}"


MENDED = (19, 22, 28, 49, 64, 71, 85, 104, 133, 383, 539, 574, 1041, 1133, 1235, 1270, 1352, 1468,
          1656, 2301, 3136, 3209, 4284, 4347, 4644, 4837)  # fmt: skip
"""Seeds of storms in which an oracle or a twin was wrong once."""
GUESSED = (937, 1056, 1886, 2683, 3074, 3105, 3260, 3335, 3981, 4015, 4051, 4672, 5162, 5379,
           5475)  # fmt: skip
"""Seeds in which calls were taken for those of another update (as in 4837)."""


@pytest.mark.parametrize(
    "seed", [*range(3), *MENDED, *(pytest.param(one, marks=pytest.mark.deep) for one in GUESSED)]
)
def test_a_storm_breaks_nothing(seed: int) -> None:
    storm = QuestionStorm(seed)
    storm.run()
    assert storm.broken() == {}


@pytest.mark.parametrize("name", STORIES)
def test_a_story_breaks_nothing(name: str) -> None:
    storm = EdgeStorm(STORIES[name])
    storm.run()
    assert storm.broken() == {}


@pytest.mark.deep
@pytest.mark.parametrize("block", range(20))
def test_many_storms_break_nothing(block: int) -> None:
    for seed in range(block * 25, block * 25 + 25):
        storm = QuestionStorm(seed)
        storm.run()
        assert storm.broken() == {}, f"seed {seed}"


@pytest.mark.deep
def test_storms_exercise_every_oracle() -> None:
    """Silence means something: every oracle had something to judge."""
    exercised: dict[str, int] = {}
    for seed in range(44):
        for invariant in QuestionStorm(seed).run().invariants:
            exercised[invariant.name] = exercised.get(invariant.name, 0) + invariant.exercised
    assert {name for name, count in exercised.items() if not count} == set()
