"""With all rules on nothing breaks, whatever the weather."""

from __future__ import annotations

import pytest

from sim.cli.proving.mutants import LESSONS, WEATHERS
from sim.cli.proving.storm import Storm
from sim.protocols.hook.catalogue.tales import TALES
from sim.protocols.hook.mutants import all_mutants

LANES = ("lanes", "wild-server", "many-sessions", *LESSONS)


def weather(seed: int, *, preempt: bool = False) -> Storm:
    """The storm of this seed."""
    sky = WEATHERS[seed % len(WEATHERS)]
    return Storm(seed, weather=sky, restore=seed % 5 == 0, preempt=preempt)


@pytest.mark.parametrize("block", range(6))
def test_a_storm_breaks_nothing(block: int) -> None:
    for seed in range(block * 15, block * 15 + 15):
        storm = weather(seed)
        storm.run()
        assert storm.broken() == {}, f"seed {seed}"


def test_a_storm_breaks_nothing_when_handlers_are_interrupted() -> None:
    for seed in range(12):
        storm = weather(seed, preempt=True)
        storm.run()
        assert storm.broken() == {}, f"seed {seed}"


MENDED = (
    (101389, True), (101420, True), (102115, True), (102485, True), (102647, False),
    (106091, True), (101442, True),
)  # fmt: skip
"""Seeds of storms (and whether they were interrupted) that broke something once."""


@pytest.mark.parametrize(("seed", "preempt"), MENDED)
def test_a_storm_that_broke_something_once_breaks_nothing_any_more(
    seed: int, preempt: bool
) -> None:
    storm = weather(seed, preempt=preempt)
    storm.run()
    assert storm.broken() == {}


def test_storms_exercise_the_oracles() -> None:
    """Silence means something: nearly every oracle had something to judge."""
    exercised: dict[str, int] = {}
    for seed in range(60):
        for invariant in (monitor := weather(seed).run()).invariants:
            exercised[invariant.name] = exercised.get(invariant.name, 0) + invariant.exercised
        assert monitor.violations == []
    idle = {name for name, count in exercised.items() if not count}
    # Those that a tale tells of need a peer that says nonsense, another channel, or much luck.
    elsewhere = {mutant.caught_by for mutant in all_mutants() if mutant.needs in LANES}
    assert idle <= {told.invariant for told in TALES} | elsewhere


STORMS = [(block, preempt) for preempt in (False, True) for block in range(48)]


@pytest.mark.deep
@pytest.mark.parametrize(("block", "preempt"), STORMS)
def test_many_storms_break_nothing(block: int, preempt: bool) -> None:
    for seed in range(100_000 + block * 50, 100_000 + block * 50 + 50):
        storm = weather(seed, preempt=preempt)
        storm.run()
        assert storm.broken() == {}, f"seed {seed}"
