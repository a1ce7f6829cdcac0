"""When Python's cyclic garbage collector may work: never inside a run.

A run makes a few thousand objects that all live until its end, so that the
collector walks them again and again and frees nothing; and a world is one
large circle (hosts, actors, handlers), which reference counts alone never
free. Hence two rules: a run pauses the collector, and a loop over many runs
sweeps up behind every few of them.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Seldom enough not to look at living things again and again; often enough that what
# is freed is still in the processor's cache (32 runs a sweep take twice as long).
RUNS_A_SWEEP = 8
SWEEPS_A_CLEANING = 128


@contextmanager
def paused_gc() -> Iterator[None]:
    """No cyclic collections until the block ends; what is left is then collected as usual.

    May be nested: the outermost block counts.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@contextmanager
def swept() -> Iterator[Callable[[], None]]:
    """For a loop of short runs: call what this gives after each of them, when it is closed.

    Every ``RUNS_A_SWEEP`` runs what they left behind is freed; whatever lives on
    (results, counterexamples) is looked at once, and then again only in every
    ``SWEEPS_A_CLEANING``-th sweep.
    """
    runs = 0

    def after_run() -> None:
        nonlocal runs
        runs += 1
        if runs % RUNS_A_SWEEP == 0:
            gc.collect(1 if runs % (RUNS_A_SWEEP * SWEEPS_A_CLEANING) == 0 else 0)

    with paused_gc():
        gc.collect(0)  # what there was before is no business of the first sweep
        yield after_run
