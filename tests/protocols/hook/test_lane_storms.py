"""Three lanes: nothing breaks, nor does a wild server make desktops break anything."""

from __future__ import annotations

from typing import Any

import pytest

from sim.cli.proving.lane_storm import LaneStorm
from sim.cli.proving.making import plain
from sim.cli.proving.mutants import WEATHERS
from sim.cli.proving.wild import WILD
from sim.core.actor import Actor, Port
from sim.protocols.hook.catalogue.tales import TALES
from sim.protocols.hook.mutants import all_mutants, mutated
from sim.protocols.hook.server import Server

DESKTOP = frozenset({"desktop"})


def lanes(seed: int, **more: Any) -> LaneStorm:
    """The storm of this seed."""
    return LaneStorm(seed, weather=WEATHERS[seed % len(WEATHERS)], restore=seed % 5 == 0, **more)


def wild(twin: Any, port: Port, facts: Any) -> Actor:
    """Desktops as they are, and a server that breaks the protocol."""
    return plain(mutated(twin, WILD) if twin is Server else twin, port, facts)


@pytest.mark.parametrize("block", range(4))
def test_a_storm_on_three_lanes_breaks_nothing(block: int) -> None:
    for seed in range(block * 10, block * 10 + 10):
        storm = lanes(seed)
        storm.run()
        assert storm.broken() == {}, f"seed {seed}"


def test_it_breaks_nothing_when_handlers_are_interrupted() -> None:
    for seed in range(4):
        storm = lanes(seed, preempt=True)
        storm.run()
        assert storm.broken() == {}, f"seed {seed}"


def test_a_wild_server_makes_no_desktop_break_a_rule() -> None:
    for seed in range(14):
        storm = lanes(seed, make=wild, judged=DESKTOP)
        storm.run()
        assert storm.broken() == {}, f"seed {seed}"


def test_many_sessions_do_not_either() -> None:
    storm = lanes(2, chatty=True)
    storm.run()
    assert storm.broken() == {}


def test_storms_on_three_lanes_exercise_the_oracles() -> None:
    """What neither they nor a tale exercise has a mutant that needs more luck."""
    exercised: dict[str, int] = {}
    for seed in range(30):
        for invariant in lanes(seed).run().invariants:
            exercised[invariant.name] = exercised.get(invariant.name, 0) + invariant.exercised
    idle = {name for name, count in exercised.items() if not count}
    told = {tale.invariant for tale in TALES}
    assert idle <= told | {mutant.caught_by for mutant in all_mutants()}


@pytest.mark.deep
@pytest.mark.parametrize("block", range(8))
def test_many_storms_on_three_lanes_break_nothing(block: int) -> None:
    for seed in range(100_000 + block * 25, 100_000 + block * 25 + 25):
        storm = lanes(seed)
        storm.run()
        assert storm.broken() == {}, f"seed {seed}"


@pytest.mark.deep
@pytest.mark.parametrize("block", range(12))
def test_many_interrupted_storms_on_three_lanes_break_nothing(block: int) -> None:
    for seed in range(100_000 + block * 25, 100_000 + block * 25 + 25):
        storm = lanes(seed, preempt=True)
        storm.run()
        assert storm.broken() == {}, f"seed {seed}"


@pytest.mark.deep
@pytest.mark.parametrize("block", range(10))
def test_many_wild_servers_make_no_desktop_break_a_rule(block: int) -> None:
    for seed in range(100_000 + block * 25, 100_000 + block * 25 + 25):
        storm = lanes(seed, make=wild, judged=DESKTOP)
        storm.run()
        assert storm.broken() == {}, f"seed {seed}"
