"""``hooktwin mutants``: the score, the survivors, the time."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sim.cli.exploring import score
from sim.cli.exploring.score import Score, closest
from sim.cli.proving.lessons import LESSONS
from sim.protocols.hook.mutants import Mutant, all_mutants
from sim.protocols.proven import proven
from sim.scenario.load import shipped_scenarios
from tests.cli.screens import Shell

BLIND = "server-goes-back"
"""A mutant that needs storms: with blind oracles it survives them."""


def blind(monkeypatch: pytest.MonkeyPatch, most: int = 2) -> None:
    """Nobody notices anything, in at most so many storms."""

    class Calm:
        def run(self) -> None:
            pass

        def broken(self) -> dict[str, int]:
            return {}

    few = property(lambda one: most)
    monkeypatch.setattr(score, "is_noticed_in_a_story", lambda mutant: False)
    monkeypatch.setattr(score, "storm_with", lambda mutant, seed: Calm())
    monkeypatch.setattr(score.Tried, "most", few)


def test_a_mutant_that_is_noticed_counts(shell: Shell) -> None:
    said = shell("mutants", "without-pong")
    assert said.code == 0
    assert "1 of 1 mutant is noticed (100.0 %)" in said.out


def test_an_invariant_stands_for_all_that_it_must_notice(shell: Shell) -> None:
    answer = json.loads(shell("mutants", "desktop-answers-pings", "--json").out)
    meant = [m.name for m in all_mutants() if m.caught_by == "desktop-answers-pings"]
    assert sorted(answer["caught_by"]) == sorted(meant)
    assert (answer["score"], answer["survivors"], answer["unfinished"]) == (1.0, [], [])


def test_survivors_are_listed_with_the_closest_scenario(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    blind(monkeypatch)
    said = shell("mutants", BLIND, "without-close-out")
    assert said.code == 1
    for part in (
        "0 of 2 mutants are noticed (0.0 %)",
        f"{BLIND}   survives 2 storms",
        "must be noticed by",
        "working-text-is-the-owners",
        "closest scenario",
        "see: hooktwin run ",
        "--without close-out",
    ):
        assert part in said.out, part
    answer = json.loads(shell("mutants", BLIND, "--json").out)
    [survivor] = answer["survivors"]
    assert (survivor["name"], survivor["storms"]) == (BLIND, 2)
    assert survivor["closest_scenario"] in shipped_scenarios()


def test_without_time_nothing_is_said_to_survive(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    blind(monkeypatch)
    said = shell("mutants", "--seconds", 0)
    assert said.code == 0
    count = sum(len(one.mutants) for one in proven())
    assert f"not tried long enough: {count} of {count}" in said.out


def test_a_mutant_that_raises_has_not_been_noticed(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    blind(monkeypatch)

    def breaks(mutant: Mutant, seed: int) -> Any:
        raise KeyError("no such card")

    monkeypatch.setattr(score, "storm_with", breaks)
    said = shell("mutants", BLIND)
    assert said.code == 1
    assert "KeyError: 'no such card'" in said.out


def test_ctrl_c_reports_the_score_so_far_and_how_to_go_on(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    blind(monkeypatch)

    def pressed(mutant: Mutant, seed: int) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(score, "storm_with", pressed)
    said = shell("mutants", BLIND)
    assert said.code == 130
    assert "0 of 1 mutant is noticed so far" in said.out
    assert f"go on with: hooktwin mutants {BLIND}" in said.err


def test_the_time_goes_to_those_that_nobody_has_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    blind(monkeypatch, most=3)
    caught = {"without-pong"}
    monkeypatch.setattr(score, "is_noticed_in_a_story", lambda mutant: mutant.name in caught)
    few = [m for m in all_mutants() if m.name in (*caught, BLIND, "without-close-out")]
    tried = Score.of(few)
    turns = iter(range(100))
    tried.run(lambda: next(turns) >= 7, lambda _: None)
    storms = {one.mutant.name: one.storms for one in tried.tried}
    assert storms == {"without-pong": 0, BLIND: 2, "without-close-out": 2}
    assert [one.caught for one in tried.caught] == ["a story"]
    assert len(tried.unfinished) == 2


def test_what_needs_a_lesson_is_not_asked_for_storms() -> None:
    taught = [one for one in Score.of(all_mutants()).tried if one.mutant.needs in LESSONS]
    assert taught
    assert [one.most for one in taught] == [0] * len(taught)


@pytest.mark.parametrize("is_rule", [True, False])
def test_the_closest_scenario_of_a_mutant_is_shipped(is_rule: bool) -> None:
    names = shipped_scenarios()
    found = [closest(mutant) for mutant in all_mutants() if bool(mutant.rule) is is_rule]
    assert [name for name, _ in found if name and name not in names] == []
    assert sum(bool(name) for name, _ in found) > len(found) // 2


def test_an_unknown_mutant_is_answered_with_near_ones(shell: Shell) -> None:
    said = shell("mutants", "server-go-back")
    assert said.code == 2
    assert said.out == ""
    assert BLIND in said.err
