"""Every protocol's catalogue is whole, names only what there is, and its watchers complain."""

from __future__ import annotations

import re
from typing import Any

import pytest

from sim.cli.proving.prove import PROVEN, plan
from sim.cli.proving.watchers import Watched, all_trials, oracles, watched
from sim.core.rule import table_of
from sim.play import load, play
from sim.protocols.catalogue import FrameCheck, Told, Trial
from sim.protocols.proven import Proven, proven
from sim.protocols.question.constants import KINDS
from sim.scenario.load import shipped_scenarios

SIDES = {
    "hook": {"desktop", "server", "both"},
    "relay": {"all", "relay", "node", "controller"},
    "question": set(KINDS),
}
IDS = {
    "hook": [f"HK-{n:02d}" for n in range(1, 205)],
    "relay": [f"OT-{n:02d}" for n in range(1, 66)],
    "question": [*(f"QT-{n:02d}" for n in range(1, 51)), *(f"I{n}" for n in range(1, 11))],
}
SAMPLE = (
    "HK-07", "HK-13", "HK-51", "HK-60", "HK-143", "HK-186", "HK-204",
    "OT-01", "OT-15", "OT-36", "OT-39", "OT-64",
    "QT-02", "QT-08", "QT-12", "QT-28", "I7",
)  # fmt: skip
SIDE_OF = {id: SIDES[one.name] for one in proven() for id in one.rows}
BROKEN_BY = {rule: where for one in proven() for rule, where in one.broken_by.items()}
QUESTION = next(one for one in proven() if one.name == "question")
each = pytest.mark.parametrize("one", proven(), ids=lambda one: one.name)
each_row = pytest.mark.parametrize("one", watched().values(), ids=lambda one: one.row.id)


def rules_of(one: Proven) -> set[str]:
    return {rule.name for rule in table_of(one.rules)}


def invariants_of(one: Proven) -> set[str]:
    return {invariant.name for invariant in one.invariants}


@each
def test_every_id_is_there_once_and_in_order(one: Proven) -> None:
    assert list(one.rows) == IDS[one.name]


@each_row
def test_a_row_has_no_empty_field(one: Watched) -> None:
    row = one.row
    assert all((row.section, row.rule, row.without))
    assert set(row.by.split(", ")) <= SIDE_OF[row.id]
    for sentence in (row.rule, row.without):
        assert sentence[-1] in ".?!"


@each_row
def test_a_row_names_only_what_there_is(one: Watched) -> None:
    assert set(one.invariants) <= set(oracles())
    assert set(one.scenarios) <= set(shipped_scenarios())


@each_row
def test_a_row_without_a_mutant_says_why(one: Watched) -> None:
    assert one.mutants or one.switches or one.why_no_mutant


@pytest.mark.parametrize("id", [*IDS["relay"], *IDS["question"]])
def test_a_row_is_watched_by_an_invariant_that_a_mutant_or_a_tale_tries(id: str) -> None:
    one = watched()[id]
    assert one.invariants
    assert one.is_watched
    assert one.tales or id in IDS["relay"]


@each
def test_rows_that_others_name_are_rows(one: Proven) -> None:
    named = {row for oracle in one.invariants for row in oracle.catalogue}
    named |= {row for rule in table_of(one.rules) for row in rule.catalogue}
    named |= {row for told in one.tales for row in told.rows}
    named |= {check.row for check in one.checks} | {trial.row for trial in one.trials}
    named |= {row for rows in one.shown.values() for row in rows}
    races = {row for row in named if re.fullmatch(r"RC-\d+", row)}
    assert named - races <= set(one.rows)


@each
def test_mutants_name_what_there_is(one: Proven) -> None:
    names = [mutant.name for mutant in one.mutants]
    assert len(set(names)) == len(names) >= min(40, len(one.rows))
    assert {mutant.caught_by for mutant in one.mutants} <= invariants_of(one)
    assert {mutant.rule for mutant in one.mutants} - {""} <= rules_of(one)
    assert {mutant.side for mutant in one.mutants} == SIDES[one.name] - {"all", "both"}


@pytest.mark.parametrize("one", proven()[1:], ids=lambda one: one.name)
def test_every_rule_has_a_mutant_and_every_invariant_a_tale(one: Proven) -> None:
    assert {mutant.rule for mutant in one.mutants} - {""} == rules_of(one)
    assert {told.invariant for told in one.tales} == invariants_of(one)
    for told in one.tales:
        assert set(told.rows) <= set(oracles()[told.invariant].catalogue), told.name


def test_no_two_protocols_have_a_name_in_common() -> None:
    for kind in ("rows", "invariants", "mutants"):
        names: list[Any] = [getattr(x, "name", x) for one in proven() for x in getattr(one, kind)]
        assert len(set(names)) == len(names)
    rules = [rule for one in proven() for rule in rules_of(one)]
    assert len(set(rules)) == len(rules)


@pytest.mark.parametrize(
    "told", [told for one in proven() for told in one.tales], ids=lambda told: told.name
)
def test_a_tale_s_bad_twin_makes_its_watcher_complain(told: Told) -> None:
    assert told.fault(oracles()[told.invariant]) == ""


@pytest.mark.parametrize(
    "check",
    [check for one in proven() for check in one.checks],
    ids=lambda check: f"{check.row} {check.name}",
)
def test_the_parser_refuses_the_bad_twin_of_a_frame(check: FrameCheck) -> None:
    assert check.fault() == ""


@pytest.mark.parametrize("trial", all_trials(), ids=lambda trial: trial.name)
def test_a_trial_tells_what_is_shipped_from_what_is_wrong(trial: Trial) -> None:
    assert trial.fault() == ""


def test_every_rule_of_the_bridge_has_a_shipped_scenario_that_goes_wrong_without_it() -> None:
    assert set(QUESTION.broken_by) == rules_of(QUESTION)


@pytest.mark.parametrize("rule", BROKEN_BY)
def test_the_run_that_a_row_recommends_goes_wrong(rule: str) -> None:
    name, seed = BROKEN_BY[rule]
    result = play(load(name), seed=seed, without=[rule], driver="step")
    assert not result.ok
    assert result.violations or rule not in rules_of(QUESTION)


@pytest.mark.parametrize(("name", "seed"), sorted(set(BROKEN_BY.values())))
def test_the_same_run_goes_well_with_all_rules(name: str, seed: int) -> None:
    assert play(load(name), seed=seed, driver="step").ok


@pytest.mark.parametrize("id", SAMPLE)
def test_a_sample_of_rows_is_proven(id: str) -> None:
    proving = plan([id])
    proving.run(lambda: False, lambda proof: None)
    assert [(v.id, v.state, v.notes) for v in proving.verdicts()] == [(id, PROVEN, ())]


@pytest.mark.deep
def test_every_watched_row_is_proven() -> None:
    proving = plan()
    proving.run(lambda: False, lambda proof: None)
    wrong = {v.id: v.notes for v in proving.verdicts() if v.state != PROVEN}
    assert wrong == {}
