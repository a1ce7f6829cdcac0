"""``hooktwin verify``: the same is found the same, a difference is named."""

from __future__ import annotations

import json
from pathlib import Path

import attrs
import pytest

from sim.cli.verifying import compare as comparing
from sim.cli.verifying.compare import Answer, Comparison, Plan
from sim.core import event as events
from sim.core.trace import Header, Trace, write_trace
from tests.cli.screens import Shell


def test_a_run_is_the_same_in_other_processes_and_drivers(shell: Shell) -> None:
    said = shell("verify", "typical", "--seeds", 2, "--json")
    assert said.code == 0
    answer = json.loads(said.out)
    assert answer["ok"] is True
    assert answer["runs_per_seed"] == 8
    assert [(seed["seed"], seed["runs"]) for seed in answer["seeds"]] == [(1, 8), (2, 8)]


def test_the_table_names_the_digest(shell: Shell) -> None:
    ran = json.loads(shell("run", "typical", "--seed", 1, "--json").out)
    said = shell("verify", "typical", "--seeds", 1, "--drivers", "step", "--processes", 1)
    assert ran["digest"] in said.out


class FakeWorker:
    """Answers from memory; the second one tells another story from event 1 on."""

    def __init__(self, plan: Plan, name: str, hash_seed: str, folder: Path) -> None:
        self.name, self.hash_seed, self.folder = name, hash_seed, folder
        self.tail = ["RuntimeError: boom"]
        self.answers = self
        self.process = self

    def get(self) -> Answer:
        host = "D" if self.hash_seed == "1" else "S"
        happened = [events.HostStarted(0, 0, -1, "IM", 1), events.HostStarted(1, 0, -1, host, 1)]
        trace = Trace(Header(), happened)
        path = self.folder / f"{self.name}.jsonl"
        write_trace(path, trace)
        return Answer(self.name, self.hash_seed, 1, "step", trace.digest(), 2, path)

    def stop(self) -> None: ...


class Crashing(FakeWorker):
    def get(self) -> None:  # type: ignore[override]
        return None

    def wait(self) -> None: ...


class Interrupted(FakeWorker):
    def get(self) -> Answer:
        raise KeyboardInterrupt


def test_two_runs_that_differ_are_compared_event_by_event(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparing, "Worker", FakeWorker)
    said = shell("verify", "typical", "--seeds", 3, "--drivers", "step", "--processes", 1)
    assert said.code == 1
    assert "part at event 1" in said.out
    assert '"host":"D"' in said.out
    assert '"host":"S"' in said.out
    assert "PYTHONHASHSEED=2 hooktwin run typical --seed 1 --driver step" in said.out
    asked = ("verify", "typical", "--seeds", 3, "--drivers", "step", "--processes", 1, "--json")
    answer = json.loads(shell(*asked).out)
    assert (answer["ok"], answer["difference"]["event"]) == (False, 1)


def test_a_worker_that_dies_is_a_failure_with_its_last_words(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparing, "Worker", Crashing)
    said = shell("verify", "typical", "--seeds", 1)
    assert said.code == 1
    assert "boom" in said.err


def test_ctrl_c_reports_what_was_compared(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "Worker", Interrupted)
    said = shell("verify", "typical", "--seeds", 1)
    assert said.code == 130
    assert "0 seeds" in said.out
    assert "so far" in said.err


def test_an_unfinished_comparison_is_not_ok() -> None:
    plan = Plan("x", 2, ("step",), 1)
    assert Comparison(plan).to_json()["ok"] is False
    assert attrs.asdict(plan)["seeds"] == 2


def test_the_verdict_says_how_many_seeds_fail(shell: Shell) -> None:
    few = ("--seeds", 2, "--processes", 1, "--drivers", "step")
    said = shell("verify", "typical", *few)
    assert "all runs of a seed are the same; the scenario holds with each" in said.out
    said = shell("verify", "reopen-teardown", "--without", "ownership-at-write", *few)
    assert said.code == 0
    assert "2 of 2 seeds fail the scenario" in said.out


def test_real_sockets_give_the_same_run(shell: Shell) -> None:
    said = shell(
        *("verify", "typical", "--drivers", "step,live", "--seeds", 1, "--processes", 1),
        "--json",
    )
    answer = json.loads(said.out)
    assert answer["ok"] is True
    assert answer["runs_per_seed"] == 4
    assert answer["seeds"][0]["ok"] is True
