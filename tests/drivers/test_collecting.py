"""The garbage collector sleeps during runs, and loops over runs do not fill the memory."""

from __future__ import annotations

import gc
import time
import weakref

import pytest

from sim.drivers.collecting import RUNS_A_SWEEP, SWEEPS_A_CLEANING, paused_gc, swept
from sim.drivers.step import many_runs
from sim.play import load, play
from sim.world.world import World


class Circle:
    """What only the collector can free."""

    def __init__(self):
        self.me = self


def test_a_pause_ends_with_the_outermost_block_even_when_that_fails():
    assert gc.isenabled()

    def fail():
        with paused_gc():
            with paused_gc():
                pass
            assert not gc.isenabled()
            raise ValueError("inside")

    with pytest.raises(ValueError, match="inside"):
        fail()
    assert gc.isenabled()


def test_a_collector_that_somebody_stopped_stays_stopped():
    gc.disable()
    try:
        with paused_gc():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_what_runs_leave_behind_is_freed_while_the_loop_goes_on():
    with swept() as after_run:
        first = weakref.ref(Circle())
        for _ in range(RUNS_A_SWEEP - 1):
            after_run()
        assert first() is not None
        after_run()
        assert first() is None


def test_what_outlived_a_sweep_is_freed_by_a_cleaning():
    with swept() as after_run:
        kept = Circle()
        seen = weakref.ref(kept)
        for _ in range(RUNS_A_SWEEP):
            after_run()
        del kept
        for _ in range(RUNS_A_SWEEP * (SWEEPS_A_CLEANING - 1) - 1):
            after_run()
        assert seen() is not None
        after_run()
        assert seen() is None


def test_the_worlds_of_closed_runs_are_freed_by_the_loop():
    scenario = load("heartbeat")
    worlds = []
    with swept() as after_run:
        for seed in range(RUNS_A_SWEEP):
            play(
                scenario, seed=seed, driver="step",
                watch=lambda run: worlds.append(weakref.ref(run.world)),
            )  # fmt: skip
            after_run()
    assert len(worlds) == RUNS_A_SWEEP
    assert [one() for one in worlds if isinstance(one(), World)] == []


def test_many_runs_stand_behind_one_fence():
    real = time.time
    scenario = load("heartbeat")
    with many_runs() as after_run:
        fenced = time.time
        assert fenced is not real
        for seed in range(3):
            assert play(scenario, seed=seed, driver="step").ok
            after_run()
            assert time.time is fenced
    assert time.time is real
