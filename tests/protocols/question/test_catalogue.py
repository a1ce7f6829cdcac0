"""The question bridge's catalogue is whole, and its watchers can complain."""

from __future__ import annotations

import pytest

from sim.cli.proving.prove import PROVEN, plan
from sim.cli.proving.watchers import Watched, oracles, watched
from sim.core.rule import table_of
from sim.play import load, play
from sim.protocols.question.catalogue import ROWS
from sim.protocols.question.catalogue.frame_tables import CHECKS
from sim.protocols.question.catalogue.shown import BROKEN_BY
from sim.protocols.question.catalogue.tales import TALES
from sim.protocols.question.constants import KINDS
from sim.protocols.question.invariants import INVARIANTS
from sim.protocols.question.mutants import RULES as SWITCHED
from sim.protocols.question.mutants import all_mutants
from sim.protocols.question.rules import QuestionRules

SAMPLE = ("QT-02", "QT-08", "QT-12", "QT-28", "I7")
RULES = {rule.name: rule for rule in table_of(QuestionRules)}
MINE = [one for id, one in watched().items() if id in ROWS]


def test_every_id_is_there_once_and_in_order() -> None:
    assert list(ROWS) == [*(f"QT-{n:02d}" for n in range(1, 51)), *(f"I{n}" for n in range(1, 11))]


@pytest.mark.parametrize("one", MINE, ids=lambda one: one.row.id)
def test_a_row_is_watched_by_an_invariant_that_a_mutant_or_a_tale_tries(one: Watched) -> None:
    row = one.row
    assert all((row.section, row.rule, row.without))
    assert set(row.by.split(", ")) <= set(KINDS)
    assert row.rule[-1] in ".?!"
    assert row.without[-1] in ".?!"
    assert one.invariants
    assert one.tales
    assert one.mutants or one.switches or one.why_no_mutant


def test_rows_that_others_name_are_rows() -> None:
    named = {row for oracle in INVARIANTS for row in oracle.catalogue}
    named |= {row for rule in RULES.values() for row in rule.catalogue}
    named |= {row for told in TALES for row in told.rows}
    named |= {check.row for check in CHECKS}
    assert named == set(ROWS)


def test_every_invariant_has_a_tale_of_rows_that_it_names() -> None:
    assert {told.invariant for told in TALES} == {invariant.name for invariant in INVARIANTS}
    for told in TALES:
        assert set(told.rows) <= set(oracles()[told.invariant].catalogue), told.name


def test_every_rule_has_a_mutant_and_mutants_name_what_there_is() -> None:
    assert {mutant.rule for mutant in SWITCHED} == set(RULES)
    names = [mutant.name for mutant in all_mutants()]
    assert len(set(names)) == len(names) >= 40
    assert {mutant.caught_by for mutant in all_mutants()} <= {one.name for one in INVARIANTS}
    assert {mutant.side for mutant in all_mutants()} == set(KINDS)


@pytest.mark.parametrize("told", TALES, ids=lambda told: told.name)
def test_a_tale_s_bad_twin_makes_its_watcher_complain(told) -> None:
    assert told.fault(oracles()[told.invariant]) == ""


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: f"{check.row} {check.name}")
def test_the_parser_refuses_the_bad_twin_of_a_message(check) -> None:
    assert check.fault() == ""


def test_every_rule_has_a_shipped_scenario_that_goes_wrong_without_it() -> None:
    assert set(BROKEN_BY) == set(RULES)


@pytest.mark.parametrize("rule", BROKEN_BY)
def test_the_run_that_a_row_recommends_goes_wrong(rule: str) -> None:
    name, seed = BROKEN_BY[rule]
    assert play(load(name), seed=seed, without=[rule], driver="step").violations


@pytest.mark.parametrize("name", sorted({name for name, _ in BROKEN_BY.values()}))
def test_the_same_run_goes_well_with_all_rules(name: str) -> None:
    assert play(load(name), seed=1, driver="step").ok


def test_a_sample_of_rows_is_proven() -> None:
    proving = plan(SAMPLE)
    proving.run(lambda: False, lambda proof: None)
    assert {v.id: (v.state, v.notes) for v in proving.verdicts()} == dict.fromkeys(
        SAMPLE, (PROVEN, ())
    )
