"""Searching on a Dask cluster: the same as in one process, and every error says what to do."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

import sim.explore.dask_engine as module
from sim.cli.app import call
from sim.core.errors import SimInternalError, UsageError
from sim.explore.dask_engine import DaskEngine, check_codes, in_order, scheduler_at
from sim.explore.engine import CHUNK, SerialEngine
from sim.explore.schedule import Schedule
from sim.explore.search import Search
from sim.explore.shares import (
    Code,
    code_here,
    hash_of,
    outcomes_of,
    packed,
    run_share,
    share_of,
)
from sim.explore.strategies import make_strategy
from sim.explore.trial import Try
from tests.architecture.source import ROOT
from tests.explore.cases import case, facts

pytest.importorskip("distributed")
HERE = Code("0.1.0", "a" * 32)


def tries(count: int) -> list[Try]:
    """Walks, numbered as a search does."""
    return [Try(n, Schedule(1), "uniform", n, "uniform") for n in range(count)]


# -- a real cluster ---------------------------------------------------------------------------


@attrs.frozen
class Cluster:
    """A scheduler and workers on this machine, each a process."""

    address: str
    workers: list[subprocess.Popen[bytes]]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """Two workers. They have a copy of the code: where it lies must not matter."""
    copy = tmp_path / "code"
    code_here.cache_clear()
    shutil.copytree(ROOT / "sim", copy / "sim")
    shutil.copytree(ROOT / "scenarios", copy / "scenarios")
    code_here()
    written = tmp_path / "scheduler.json"
    started: list[subprocess.Popen[bytes]] = []

    def start(program: str, *arguments: object) -> subprocess.Popen[bytes]:
        started.append(
            subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.{program}", "--no-dashboard",
                 *map(str, arguments)],
                cwd=copy, env={**os.environ, "PYTHONPATH": str(copy)},
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )
        )  # fmt: skip
        return started[-1]

    try:
        start("dask_scheduler", "--host", "127.0.0.1", "--port", 0, "--scheduler-file", written)
        workers = [
            start("dask_worker", "--scheduler-file", written, "--no-nanny", "--nthreads", 2,
                  "--local-directory", tmp_path / f"worker{n}")
            for n in range(2)
        ]  # fmt: skip
        yield Cluster(address_in(written, started[0]), workers)
    finally:
        for process in started:
            process.kill()
        for process in started:
            process.wait()


def address_in(written: Path, scheduler: subprocess.Popen[bytes]) -> str:
    """What the scheduler wrote when it was ready."""
    while scheduler.poll() is None:
        try:
            address: str = json.loads(written.read_text(encoding="utf-8"))["address"]
            return address.replace("tcp://", "dask://")
        except (OSError, ValueError):
            continue
    raise AssertionError("the scheduler ended before it began")


def test_a_cluster_gives_what_one_process_gives_though_a_worker_is_killed(
    cluster: Cluster,
) -> None:
    of = case("typical", faults="cut:1,crash:1")
    expected = list(SerialEngine(of).run(tries(48), 60))
    engine = DaskEngine(of, cluster.address)
    try:
        engine._client.wait_for_workers(2, timeout=60)
        outcomes = []
        for outcome in engine.run(tries(48), 60):
            outcomes.append(outcome)
            if len(outcomes) == 10:
                cluster.workers[0].kill()
        assert [one.tried.number for one in outcomes] == list(range(48))
        assert [one.schedule for one in outcomes] == [one.schedule for one in expected]
        assert [facts(one) for one in outcomes] == [facts(one) for one in expected]

        # The other worker goes on, with a whole search.
        race = case("reopen-teardown", "ownership-at-write", faults="cut:1")
        searches = [
            Search(race, make_strategy("portfolio", race, 1), one, most=20, everything=True)
            for one in (SerialEngine(race), attached(engine, race))
        ]
        for search in searches:
            search.run()
        here, there = searches
        assert here.found
        assert {name: one.schedule for name, one in here.found.items()} == {
            name: one.schedule for name, one in there.found.items()
        }
        assert (here.schedules, here.covered) == (there.schedules, there.covered)
    finally:
        engine.close()


def attached(engine: DaskEngine, of: Any) -> DaskEngine:
    """The same connection with another case."""
    other = object.__new__(DaskEngine)
    other.__dict__.update(engine.__dict__, _case=packed(of))
    return other


# -- what goes wrong --------------------------------------------------------------------------


def test_a_scheduler_that_does_not_answer_ends_the_command_with_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "CONNECT_S", 0.3)
    assert call(["explore", "typical", "--engine", "dask://127.0.0.1:9"]) == 2
    told = capsys.readouterr().err
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in told
    assert "start one with 'dask scheduler'" in told


def test_without_dask_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"pip install 'hooktwin\[cluster\]'"):
        DaskEngine(case("typical"), "dask://127.0.0.1:8786")


@pytest.mark.parametrize(
    ("address", "place"),
    [("dask://10.0.0.7:8786", "tcp://10.0.0.7:8786"), ("dask://head:1/", "tcp://head:1"),
     ("dask://[::1]:65535", "tcp://[::1]:65535")],
)  # fmt: skip
def test_addresses_are_written_as_dask_wants_them(address: str, place: str) -> None:
    assert scheduler_at(address) == place


@pytest.mark.parametrize(
    "address",
    ["", "dask://", "dask://host", "dask://:1", "dask://host:0", "dask://host:70000", "host:8786",
     "tcp://host:8786", "dask://host:8786/x", "dask://a b:1", "dask://::1:8786"],
)  # fmt: skip
def test_what_is_no_address_is_refused_with_an_example(address: str) -> None:
    with pytest.raises(UsageError, match="write dask://HOST:PORT, for example"):
        scheduler_at(address)


def test_workers_with_other_code_or_none_are_named() -> None:
    check_codes(HERE, {"a": HERE, "b": HERE})
    with pytest.raises(UsageError, match=r"this is hooktwin 0\.1\.0 .* but b has 0\.0\.9"):
        check_codes(HERE, {"a": HERE, "b": Code("0.0.9", HERE.sources)})
    with pytest.raises(UsageError, match=r"but b has 0\.1\.0 \(bbbb"):
        check_codes(HERE, {"a": HERE, "b": Code("0.1.0", "b" * 32)})
    with pytest.raises(UsageError, match=r"the workers b have no hooktwin 0\.1\.0"):
        check_codes(HERE, {"a": HERE, "b": ModuleNotFoundError("sim")})


def test_a_worker_that_came_later_with_other_code_refuses_its_share() -> None:
    of, here = case("typical"), code_here()
    share = share_of(tries(1), 0)
    assert len(outcomes_of(run_share(here.version, here.sources, packed(of), share))) == 1
    with pytest.raises(UsageError, match="install the same hooktwin everywhere"):
        run_share(here.version, "0" * 32, b"not even looked at", b"")


def test_the_hash_of_the_code_sees_a_change_and_no_other_place(tmp_path: Path) -> None:
    for name in ("a", "b"):
        shutil.copytree(ROOT / "sim" / "world", tmp_path / name)
    assert hash_of(tmp_path / "a") == hash_of(tmp_path / "b")
    link = tmp_path / "b" / "link.py"
    link.write_bytes(link.read_bytes().replace(b"\n", b"\r\n"))
    assert hash_of(tmp_path / "a") == hash_of(tmp_path / "b")
    link.write_bytes(link.read_bytes() + b"# changed")
    assert hash_of(tmp_path / "a") != hash_of(tmp_path / "b")
    link.rename(tmp_path / "b" / "knil.py")
    assert hash_of(tmp_path / "a") != hash_of(tmp_path / "b")
    code_here.cache_clear()
    assert code_here().sources == hash_of(ROOT / "sim")


def test_an_answer_that_is_not_what_was_asked_for_is_an_error() -> None:
    of = case("typical")
    asked = tries(3)
    outcomes = list(SerialEngine(of).run(asked, 0))
    assert [one.tried.number for one in in_order(asked, outcomes[::-1])] == [0, 1, 2]
    for wrong in (outcomes[:2], [*outcomes, outcomes[0]], [*outcomes[:2], outcomes[1]]):
        with pytest.raises(SimInternalError, match=r"asked for tries \[0, 1, 2\]"):
            list(in_order(asked, wrong))


@attrs.define
class SilentFuture:
    """Never ready; ``error`` is what waiting for it ends with."""

    error: Exception

    def result(self, timeout: float) -> bytes:
        raise self.error


@attrs.define
class EmptyCluster:
    """A scheduler that lost its workers."""

    future: SilentFuture
    status: str = "running"
    cancelled: int = 0

    def submit(self, *work: object, pure: bool) -> SilentFuture:
        return self.future

    def nthreads(self) -> dict[str, int]:
        return {}

    def cancel(self, futures: list[SilentFuture]) -> None:
        self.cancelled += len(futures)


def engine_over(client: EmptyCluster) -> DaskEngine:
    engine = object.__new__(DaskEngine)
    engine.__dict__.update(_place="tcp://head:8786", _client=client, _case=b"", workers=1)
    return engine


def killed() -> Exception:
    from distributed import KilledWorker

    return KilledWorker("run_share-1", None, 3)


@pytest.mark.parametrize(
    ("make_error", "told"),
    [(TimeoutError, r"all workers of tcp://head:8786 are gone; start some \('dask worker"),
     (killed, f"every worker that tried the schedules 0 to {CHUNK - 1} died"),
     (ConnectionResetError, "scheduler at tcp://head:8786 went away during the search")],
)  # fmt: skip
def test_a_cluster_that_dies_is_told_with_a_remedy(make_error: Any, told: str) -> None:
    client = EmptyCluster(SilentFuture(make_error()))
    with pytest.raises(UsageError, match=told):
        list(engine_over(client).run(tries(20), 0))
    assert client.cancelled == -(-20 // CHUNK)
