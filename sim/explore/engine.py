"""Engines: who runs the tries. Outcomes always come back in the order of the tries."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from typing import Protocol

from sim.core.errors import UsageError
from sim.drivers.collecting import swept
from sim.drivers.step import many_runs
from sim.explore.schedule import Case
from sim.explore.trial import Outcome, Try, attempt
from sim.scenario.playing.play import Run

# Tries per message to a worker: less, and sending costs more than trying.
CHUNK = 4


class Engine(Protocol):
    """``workers`` says how many tries run at a time."""

    workers: int

    def run(self, tries: Sequence[Try], length: int) -> Iterator[Outcome]:
        """The outcomes of a batch, in its order. ``length``: see ``attempt``."""

    def close(self) -> None:
        """No more batches; what still runs is given up."""


class SerialEngine:
    """One try after the other, in this process; ``watch`` gets each run when it is over."""

    workers = 1

    def __init__(self, case: Case, watch: Callable[[Run], None] | None = None) -> None:
        self.case = case
        self.watch = watch

    def run(self, tries: Sequence[Try], length: int) -> Iterator[Outcome]:
        with swept() as after_run:
            for one in tries:
                yield attempt(self.case, one, length=length, watch=self.watch)
                after_run()

    def close(self) -> None:
        """Nothing is open."""


class ProcessEngine:
    """Several processes on this machine. A worker that dies is a UsageError."""

    def __init__(self, case: Case, workers: int) -> None:
        self.workers = workers
        self._pool = make_pool(case, workers)

    def run(self, tries: Sequence[Try], length: int) -> Iterator[Outcome]:
        chunks = [tries[n : n + CHUNK] for n in range(0, len(tries), CHUNK)]
        futures: list[Future[list[Outcome]]] = []
        try:
            with deaf():  # this is where processes are started
                futures += [self._pool.submit(run_chunk, chunk, length) for chunk in chunks]
            for future in futures:
                yield from future.result()
        except BrokenProcessPool as error:
            raise UsageError(
                "a process of the search died (killed, or out of memory); "
                "search again, with fewer --jobs"
            ) from error
        finally:
            _cancel(futures)

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


def _cancel(futures: list[Future[list[Outcome]]]) -> None:
    for future in futures:
        future.cancel()


PARENTS_OWN = (signal.SIGINT, signal.SIGTERM)
"""A terminal and ``timeout`` send these to the whole group; the parent decides what follows."""


def make_pool(case: Case, workers: int) -> ProcessPoolExecutor:
    """Processes that leave signals to their parent, and end with it. Submit within ``deaf``."""
    return ProcessPoolExecutor(
        workers, mp_context=get_context("spawn"), initializer=_begin, initargs=(case,)
    )


@contextmanager
def deaf() -> Iterator[None]:
    """Processes that are started within do not hear the parent's signals, not even at first."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, PARENTS_OWN)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_case: Case | None = None


def _begin(case: Case) -> None:
    """What a worker does first."""
    global _case
    follow_parent()
    _case = case


def follow_parent() -> None:
    """A worker leaves signals to its parent, and ends with it."""
    for number in PARENTS_OWN:
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A parent that is killed tells nobody: without this its workers wait for ever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def run_chunk(tries: Sequence[Try], length: int) -> list[Outcome]:
    """A worker's share of a batch."""
    assert _case is not None
    outcomes = []
    with many_runs() as after_run:
        for one in tries:
            outcomes.append(attempt(_case, one, length=length))
            after_run()
    return outcomes


MakeEngine = Callable[[Case], Engine]


def make_engine(case: Case, jobs: int) -> Engine:
    """One process for ``jobs`` 1, else a pool."""
    return SerialEngine(case) if jobs == 1 else ProcessEngine(case, jobs)
