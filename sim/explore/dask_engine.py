"""The engine for more than one machine: an existing Dask cluster.

Scheduling, and doing again what a dead worker has not handed in, is Dask's
business. Here: the same outcomes in the same order as in one process, each try
counted once, and errors that say what to do. Needs ``hooktwin[cluster]``.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from sim.core.errors import SimInternalError, UsageError
from sim.explore.engine import CHUNK
from sim.explore.schedule import Case
from sim.explore.shares import (
    Code,
    code_here,
    different,
    outcomes_of,
    packed,
    run_share,
    share_of,
)
from sim.explore.trial import Outcome, Try

SCHEME = "dask://"
_ADDRESS = re.compile(r"dask://(?P<host>[^\s:/\[\]]+|\[[0-9a-fA-F:]+\]):(?P<port>[0-9]{1,5})/?")
REMEDY = "pip install 'hooktwin[cluster]'"
# How long (s) a scheduler may take to answer, a first worker to come, and a share to be
# handed in before somebody looks whether any worker is left.
CONNECT_S = 10.0
WORKERS_S = 10.0
PATIENCE_S = 15.0


class DaskEngine:
    """Runs tries on the workers that a scheduler knows. ``address``: ``dask://HOST:PORT``.

    Raises UsageError, which says the remedy: Dask is not installed, nobody answers,
    there is no worker, a worker runs other code, all workers are gone.
    """

    def __init__(self, case: Case, address: str) -> None:
        self._place = scheduler_at(address)
        self._client = _connect(self._place)
        try:
            self.workers = self._meet_workers()
        except BaseException:
            self._client.close()
            raise
        self._case = packed(case)

    def run(self, tries: Sequence[Try], length: int) -> Iterator[Outcome]:
        """See :class:`sim.explore.engine.Engine`."""
        shares = [tries[n : n + CHUNK] for n in range(0, len(tries), CHUNK)]
        with self._lost():
            futures = [self._submit(share, length) for share in shares]
        try:
            for share, future in zip(shares, futures, strict=True):
                yield from in_order(share, outcomes_of(self._result(share, future)))
        finally:
            if self._client.status == "running":
                self._client.cancel(futures)

    def close(self) -> None:
        """Leave the cluster as it is; it belongs to somebody else."""
        self._client.close()

    # -- talking to the cluster ----------------------------------------------------

    def _submit(self, share: Sequence[Try], length: int) -> Any:
        code = code_here()
        work = (code.version, code.sources, self._case, share_of(share, length))
        # Not pure: else Dask would answer a second search from the memory of the first.
        return self._client.submit(run_share, *work, pure=False)

    def _result(self, share: Sequence[Try], future: Any) -> bytes:
        killed: type[Exception] = _dask().KilledWorker
        numbers = f"{share[0].number} to {share[-1].number}"
        with self._lost():
            while True:
                try:
                    result: bytes = future.result(timeout=PATIENCE_S)
                    return result
                except TimeoutError:
                    self._still_there()
                except killed as error:
                    raise UsageError(
                        f"every worker that tried the schedules {numbers} died (of memory?); "
                        "look at the workers' logs, or run without --engine"
                    ) from error

    def _still_there(self) -> None:
        if not self._client.nthreads():
            raise UsageError(
                f"all workers of {self._place} are gone; start some ('dask worker {self._place}') "
                "and search again"
            )

    def _meet_workers(self) -> int:
        """How many there are, when all of them run this code."""
        try:
            self._client.wait_for_workers(1, timeout=WORKERS_S)
        except TimeoutError:
            raise UsageError(
                f"the Dask scheduler at {self._place} has no workers; start one: "
                f"dask worker {self._place}"
            ) from None
        with self._lost():
            codes = self._client.run(code_here, on_error="return")
        check_codes(code_here(), codes)
        self._meet_scheduler()
        return len(codes)

    def _meet_scheduler(self) -> None:
        """It reads the names of functions, so it must know them; its version is all one."""
        try:
            self._client.run_on_scheduler(code_here)
        except Exception as error:
            raise UsageError(
                f"the Dask scheduler at {self._place} has no hooktwin ({error!r}); "
                "install it there and restart it"
            ) from error

    @contextmanager
    def _lost(self) -> Iterator[None]:
        """The scheduler may go away at any time."""
        try:
            yield
        except (CancelledError, OSError) as error:
            raise UsageError(
                f"the Dask scheduler at {self._place} went away during the search "
                f"({type(error).__name__}); start it again and search again"
            ) from error


def scheduler_at(address: str) -> str:
    """Dask's own form of ``dask://HOST:PORT``. Raises UsageError for any other text."""
    found = _ADDRESS.fullmatch(address)
    if found is None or not 0 < int(found["port"]) < 65_536:
        raise UsageError(
            f"{address!r} is no address of a cluster; write dask://HOST:PORT, "
            "for example dask://127.0.0.1:8786"
        )
    return f"tcp://{found['host']}:{found['port']}"


def _dask() -> Any:
    """Dask is half typed: what is used of it stands in this module alone."""
    # We tell ourselves what went wrong, and what to do.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        return import_module("distributed")
    except ImportError as error:
        raise UsageError(f"{SCHEME} needs Dask, which is not installed; {REMEDY}") from error


def _connect(place: str) -> Any:
    dask = _dask()
    try:
        return dask.Client(place, timeout=CONNECT_S, set_as_default=False, name="hooktwin")
    except OSError as error:  # a TimeoutError is one, too
        raise UsageError(
            f"no Dask scheduler answers at {place}; start one with 'dask scheduler' and workers "
            f"with 'dask worker {place}', or correct the address"
        ) from error


def check_codes(here: Code, codes: dict[str, Code | BaseException]) -> None:
    """Raises UsageError when a worker has another hooktwin, or none."""
    without = [name for name, code in codes.items() if not isinstance(code, Code)]
    if without:
        raise UsageError(
            f"the workers {', '.join(without)} have no hooktwin {here.version} "
            f"({codes[without[0]]!r}); install it there and restart them"
        )
    others = {name: code for name, code in codes.items() if isinstance(code, Code) and code != here}
    if others:
        raise UsageError(different(here, others))


def in_order(tries: Sequence[Try], outcomes: Sequence[Outcome]) -> Iterator[Outcome]:
    """The outcome of each try, by its number, once."""
    by_number = {outcome.tried.number: outcome for outcome in outcomes}
    numbers = [one.number for one in tries]
    if sorted(by_number) != sorted(numbers) or len(outcomes) != len(numbers):
        told = sorted(outcome.tried.number for outcome in outcomes)
        raise SimInternalError(f"the cluster was asked for tries {numbers} and answered {told}")
    for number in numbers:
        yield by_number[number]
