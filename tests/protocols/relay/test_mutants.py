"""Storms break nothing; every mutant is noticed by the invariant that it names."""

from __future__ import annotations

import pytest

from sim.cli.proving.mutants import seeds_until_noticed
from sim.cli.proving.relay_storm import RelayStorm
from sim.protocols.mutant import Mutant
from sim.protocols.relay.catalogue.tales import TALES
from sim.protocols.relay.mutants import all_mutants

QUICK = 10
"""A mutant that may take more storms than these belongs to the deep tests."""
STORMY = [
    pytest.param(m, id=m.name, marks=pytest.mark.deep if m.seeds > QUICK else ())
    for m in all_mutants()
]


@pytest.mark.parametrize("mutant", STORMY)
def test_a_mutant_is_noticed_in_a_storm(mutant: Mutant) -> None:
    assert seeds_until_noticed(mutant), f"{mutant.caught_by} did not notice: {mutant.what}"


MENDED = (30, 136, 221, 222, 377, 473, 577, 588, 683, 922)
"""Seeds of storms in which an oracle or a twin was wrong once."""


@pytest.mark.parametrize("seed", [*range(9), *MENDED])
def test_a_storm_breaks_nothing(seed: int) -> None:
    storm = RelayStorm(seed)
    storm.run()
    assert storm.broken() == {}


@pytest.mark.deep
@pytest.mark.parametrize("block", range(40))
def test_many_storms_break_nothing(block: int) -> None:
    for seed in range(block * 25, block * 25 + 25):
        storm = RelayStorm(seed)
        storm.run()
        assert storm.broken() == {}, f"seed {seed}"


@pytest.mark.deep
def test_storms_exercise_the_oracles() -> None:
    """Silence means something: nearly every oracle had something to judge."""
    exercised: dict[str, int] = {}
    for seed in range(36):
        for invariant in RelayStorm(seed).run().invariants:
            exercised[invariant.name] = exercised.get(invariant.name, 0) + invariant.exercised
    idle = {name for name, count in exercised.items() if not count}
    assert idle <= {"nodes-answer-pings", "controllers-answer-pings"}
    assert idle <= {told.invariant for told in TALES}
