"""The catalogue is whole, names only what there is, and its watchers can complain."""

from __future__ import annotations

import pytest

from sim.cli.proving.prove import PROVEN, plan
from sim.cli.proving.watchers import Watched, all_trials, oracles, watched
from sim.core.rule import table_of
from sim.play import load, play
from sim.protocols.proven import proven
from sim.protocols.relay.catalogue import ROWS
from sim.protocols.relay.catalogue.frame_tables import CHECKS
from sim.protocols.relay.catalogue.shown import BROKEN_BY, SHOWN
from sim.protocols.relay.catalogue.tales import TALES
from sim.protocols.relay.invariants import INVARIANTS
from sim.protocols.relay.mutants import RULES as SWITCHED
from sim.protocols.relay.mutants import all_mutants
from sim.protocols.relay.rules import RelayRules
from sim.scenario.load import shipped_scenarios

SAMPLE = ("OT-01", "OT-15", "OT-36", "OT-39", "OT-64")
RULES = {rule.name: rule for rule in table_of(RelayRules)}
MINE = [one for id, one in watched().items() if id in ROWS]
TRIALS = [trial for trial in all_trials() if trial.row in ROWS]


def test_every_id_from_1_to_65_is_there_once_and_in_order() -> None:
    assert list(ROWS) == [f"OT-{n:02d}" for n in range(1, 66)]


@pytest.mark.parametrize("id", ROWS)
def test_a_row_has_no_empty_field(id: str) -> None:
    row = ROWS[id]
    assert all((row.section, row.rule, row.without))
    assert row.by == "all" or set(row.by.split(", ")) <= {"relay", "node", "controller"}
    for sentence in (row.rule, row.without):
        assert sentence[-1] in ".?!"


@pytest.mark.parametrize("one", MINE, ids=lambda one: one.row.id)
def test_a_row_is_watched_by_an_invariant_that_a_mutant_or_a_tale_tries(one: Watched) -> None:
    assert one.invariants
    assert one.is_watched
    assert one.mutants or one.switches or one.why_no_mutant


@pytest.mark.parametrize("one", MINE, ids=lambda one: one.row.id)
def test_a_row_names_only_what_there_is(one: Watched) -> None:
    assert set(one.invariants) <= {invariant.name for invariant in INVARIANTS}
    assert set(one.scenarios) <= set(shipped_scenarios())


def test_rows_that_others_name_are_rows() -> None:
    named = {row for oracle in INVARIANTS for row in oracle.catalogue}
    named |= {row for rule in RULES.values() for row in rule.catalogue}
    named |= {row for told in TALES for row in told.rows}
    named |= {check.row for check in CHECKS} | {trial.row for trial in TRIALS}
    named |= {row for rows in SHOWN.values() for row in rows}
    assert named <= set(ROWS)


def test_every_invariant_has_a_tale() -> None:
    assert {told.invariant for told in TALES} == {invariant.name for invariant in INVARIANTS}


def test_a_tale_is_of_rows_that_its_invariant_names() -> None:
    for told in TALES:
        assert set(told.rows) <= set(oracles()[told.invariant].catalogue), told.name


def test_every_rule_has_a_mutant() -> None:
    assert {mutant.rule for mutant in SWITCHED} == set(RULES)


def test_mutants_name_what_there_is() -> None:
    names = [mutant.name for mutant in all_mutants()]
    assert len(set(names)) == len(names) >= 40
    assert {mutant.caught_by for mutant in all_mutants()} <= {one.name for one in INVARIANTS}
    assert {mutant.side for mutant in all_mutants()} == {"relay", "node", "controller"}


def test_no_two_protocols_have_a_name_in_common() -> None:
    for kind in ("rows", "invariants", "mutants"):
        names = [getattr(x, "name", x) for one in proven() for x in getattr(one, kind)]
        assert len(set(names)) == len(names)
    rules = [rule.name for one in proven() for rule in table_of(one.rules)]
    assert len(set(rules)) == len(rules)


@pytest.mark.parametrize("told", TALES, ids=lambda told: told.name)
def test_a_tale_s_bad_twin_makes_its_watcher_complain(told) -> None:
    assert told.fault(oracles()[told.invariant]) == ""


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: f"{check.row} {check.name}")
def test_the_parser_refuses_the_bad_twin_of_a_frame(check) -> None:
    assert check.fault() == ""


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.name)
def test_a_trial_tells_what_is_shipped_from_what_is_wrong(trial) -> None:
    assert trial.fault() == ""


@pytest.mark.parametrize("rule", BROKEN_BY)
def test_the_run_that_a_row_recommends_goes_wrong(rule: str) -> None:
    name, seed = BROKEN_BY[rule]
    scenario = load(name)
    assert play(scenario, seed=seed, driver="step").ok
    assert not play(scenario, seed=seed, without=[rule], driver="step").ok


def test_a_sample_of_rows_is_proven() -> None:
    proving = plan(SAMPLE)
    proving.run(lambda: False, lambda proof: None)
    assert {v.id: (v.state, v.notes) for v in proving.verdicts()} == dict.fromkeys(
        SAMPLE, (PROVEN, ())
    )
