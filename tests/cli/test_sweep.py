"""``run --seeds``: which of many seeds fail, how, and how to see it again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sim.world.world import World
from tests.cli.screens import Shell

RACE = ("reopen-teardown", "--without", "ownership-at-write")
SOMETIMES = """\
sequenceDiagram
    actor U as Alice
    participant IM as Slack
    participant S as hook server
    participant D as desktop
    U->>IM: message "hi"
    S->>D: task.dispatch (requestId=R1)
    %% @at 450ms
    %% @expect R1 WORKING
"""


def test_a_sweep_without_trouble_is_one_line(shell: Shell) -> None:
    said = shell("run", "typical", "--seeds", 5)
    assert said.code == 0
    assert said.out == "✓ typical  5 of 5 seeds hold\n"
    assert said.err == ""


def test_failing_seeds_are_listed_with_their_first_trouble(shell: Shell) -> None:
    said = shell("run", *RACE, "--seeds", 3)
    assert said.code == 1
    assert "✗ reopen-teardown  0 of 3 seeds hold" in said.out
    rows = [line.split() for line in said.out.splitlines()[2:5]]
    assert [row[0] for row in rows] == ["1", "2", "3"]
    assert all(row[2] == "close-out-respects-owner," for row in rows)
    again = "hooktwin run reopen-teardown --seed 1 --without ownership-at-write"
    assert said.out.endswith(f"reproduce with: {again}\n")


def test_the_first_seed_that_fails_is_the_one_to_reproduce(shell: Shell, tmp_path: Path) -> None:
    path = tmp_path / "sometimes.mmd"
    path.write_text(SOMETIMES, encoding="utf-8")
    said = shell("run", path, "--seeds", 12, "--json")
    objects = [json.loads(line) for line in said.out.splitlines()]
    assert [one["seed"] for one in objects] == list(range(1, 13))
    assert {one["driver"] for one in objects} == {"step"}
    failing = [one["seed"] for one in objects if not one["ok"]]
    assert 0 < len(failing) < 12
    assert said.code == 1
    told = shell("run", path, "--seeds", 12)
    assert f"{12 - len(failing)} of 12 seeds hold" in told.out
    assert f"--seed {failing[0]}\n" in told.out
    assert shell("run", path, "--seed", failing[0], "-q").code == 1


def test_a_driver_that_was_named_is_used_and_repeated(shell: Shell) -> None:
    said = shell("run", *RACE, "--seeds", 1, "--driver", "trio", "--json")
    assert json.loads(said.out)["driver"] == "trio"
    assert "--driver step" in shell("run", *RACE, "--seeds", 1, "--driver", "step").out


@pytest.mark.parametrize("extra", [("--seed", 1), ("--trace", "x.jsonl"), ("--svg", "x.svg")])
def test_what_is_about_one_seed_is_refused(shell: Shell, extra: tuple[object, ...]) -> None:
    said = shell("run", "typical", "--seeds", 3, *extra)
    assert said.code == 2
    assert "--seeds" in said.err


def test_an_interrupted_sweep_reports_what_it_has(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sim import play as facade

    real: Callable[..., Any] = facade.play

    def interrupted(scenario: Any, *, seed: int, **how: Any) -> Any:
        if seed == 3:
            raise KeyboardInterrupt
        return real(scenario, seed=seed, **how)

    monkeypatch.setattr(facade, "play", interrupted)
    said = shell("run", "typical", "--seeds", 9)
    assert said.code == 130
    assert "2 of 2 seeds hold (interrupted; 9 were wanted)" in said.out


def test_a_seed_that_was_cut_short_is_not_counted(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sim import play as facade

    real: Callable[..., Any] = facade.play

    def strike(run: Any) -> None:
        world: World = run.world

        def now() -> None:
            raise KeyboardInterrupt

        world.at(100_000, "strike", now)

    def interrupted(scenario: Any, *, seed: int, **how: Any) -> Any:
        return real(scenario, seed=seed, watch=strike if seed == 2 else None, **how)

    monkeypatch.setattr(facade, "play", interrupted)
    said = shell("run", "typical", "--seeds", 9)
    assert said.code == 130
    assert "1 of 1 seeds hold" in said.out
