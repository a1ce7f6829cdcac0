"""The catalogue is whole, names only what there is, and its watchers can complain."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from sim.cli.proving.lessons import LESSONS, lesson
from sim.cli.proving.prove import FAILED, PROVEN, Proof, plan
from sim.cli.proving.watchers import Watched, all_trials, oracles, summary, watched
from sim.core.rule import table_of
from sim.play import load, play
from sim.protocols.hook.catalogue import ROWS
from sim.protocols.hook.catalogue.frame_tables import CHECKS
from sim.protocols.hook.catalogue.shown import BROKEN_BY, SHOWN
from sim.protocols.hook.catalogue.tales import TALES
from sim.protocols.hook.frames import MESSAGES
from sim.protocols.hook.invariants import INVARIANTS
from sim.protocols.hook.mutants import all_mutants
from sim.protocols.hook.rules import HookRules
from sim.scenario.load import shipped_scenarios

SAMPLE = ("HK-07", "HK-13", "HK-51", "HK-60", "HK-143", "HK-186", "HK-204")
RULES = {rule.name: rule for rule in table_of(HookRules)}
MINE = [one for id, one in watched().items() if id in ROWS]
TRIALS = [trial for trial in all_trials() if trial.row in ROWS]


def test_every_id_from_1_to_204_is_there_once_and_in_order() -> None:
    assert list(ROWS) == [f"HK-{n:02d}" for n in range(1, 205)]


@pytest.mark.parametrize("id", ROWS)
def test_a_row_has_no_empty_field(id: str) -> None:
    row = ROWS[id]
    assert all((row.section, row.rule, row.without))
    assert row.by in ("desktop", "server", "both")
    for sentence in (row.rule, row.without):
        assert sentence[-1] in ".?!"


def test_rows_are_obeyed_by_as_many_as_the_document_says() -> None:
    count = Counter(row.by for row in ROWS.values())
    assert count == {"desktop": 63, "server": 101, "both": 40}


@pytest.mark.parametrize("one", MINE, ids=lambda one: one.row.id)
def test_a_row_names_only_what_there_is(one: Watched) -> None:
    assert set(one.invariants) <= set(oracles())
    assert set(one.scenarios) <= set(shipped_scenarios())
    assert {rule.name for rule in one.switches} <= set(RULES)
    assert {mutant.name for mutant in one.mutants} <= {m.name for m in all_mutants()}
    assert {check.what for check in one.frames} <= {*MESSAGES, "frame"}


@pytest.mark.parametrize("one", MINE, ids=lambda one: one.row.id)
def test_a_row_without_a_mutant_says_why(one: Watched) -> None:
    assert one.mutants or one.switches or one.why_no_mutant


def test_rows_that_others_name_are_rows() -> None:
    named = {row for oracle in INVARIANTS for row in oracle.catalogue}
    named |= {row for rule in RULES.values() for row in rule.catalogue}
    named |= {row for told in TALES for row in told.rows}
    named |= {check.row for check in CHECKS} | {trial.row for trial in TRIALS}
    named |= {row for rows in SHOWN.values() for row in rows}
    races = {row for row in named if re.fullmatch(r"RC-\d+", row)}
    assert named - races <= set(ROWS)


def test_forty_rules_can_be_switched_off_each_with_reason_and_consequence() -> None:
    assert summary()["switchable"] > len(RULES) >= 40
    assert [rule.name for rule in RULES.values() if not (rule.reason and rule.without)] == []
    assert {rule.by for rule in RULES.values()} == {"desktop", "server"}


@pytest.mark.parametrize("told", TALES, ids=lambda told: told.name)
def test_a_tale_s_bad_twin_makes_its_watcher_complain(told) -> None:
    assert told.fault(oracles()[told.invariant]) == ""


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: f"{check.row} {check.name}")
def test_the_parser_refuses_the_bad_twin_of_a_frame(check) -> None:
    assert check.fault() == ""


def test_a_frame_check_can_fail() -> None:
    check = CHECKS[1]
    accepts_all = type("Verdict", (), {"ok": True})
    assert "accepted" in check.fault(lambda frame: accepts_all())


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.name)
def test_a_trial_tells_what_is_shipped_from_what_is_wrong(trial) -> None:
    assert trial.fault() == ""


@pytest.mark.parametrize("rule", BROKEN_BY)
def test_the_run_that_a_row_recommends_goes_wrong(rule: str) -> None:
    name, seed = BROKEN_BY[rule]
    scenario = load(name)
    assert play(scenario, seed=seed, driver="step").ok
    assert not play(scenario, seed=seed, without=[rule], driver="step").ok


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_breaks_nothing_while_all_rules_are_on(name: str) -> None:
    told = lesson(name)
    assert told.ok, told.failures


# -- the check itself -------------------------------------------------------------------


def test_a_sample_of_rows_is_proven() -> None:
    proving = plan(SAMPLE)
    proving.run(lambda: False, lambda proof: None)
    assert {v.id: v.state for v in proving.verdicts()} == dict.fromkeys(SAMPLE, PROVEN)
    assert [fault for fault in proving.done.values() if fault] == []


def test_a_watcher_that_says_nothing_fails_its_row() -> None:
    proving = plan(["HK-186"])
    proving.proofs = tuple(Proof(p.name, p.watcher, lambda: "silent") for p in proving.proofs)
    proving.run(lambda: False, lambda proof: None)
    [verdict] = proving.verdicts()
    assert verdict.state == FAILED
    assert "silent" in verdict.notes


def test_a_watcher_that_nothing_tries_fails_its_row() -> None:
    proving = plan(["HK-186"])
    proving.proofs = ()
    [verdict] = proving.verdicts()
    assert verdict.state == FAILED
    assert "close-out-respects-owner" in verdict.notes[0]


def test_a_proof_that_raises_is_no_proof() -> None:
    proving = plan(["HK-204"])
    [proof] = proving.proofs

    def fall() -> str:
        raise ZeroDivisionError("oops")

    proving.proofs = (Proof(proof.name, proof.watcher, fall),)
    proving.run(lambda: False, lambda proof: None)
    [verdict] = proving.verdicts()
    assert verdict.state == FAILED
    assert "ZeroDivisionError" in verdict.notes[0]


def test_an_interruption_keeps_what_was_proven() -> None:
    proving = plan(["HK-204"])
    [proof] = proving.proofs

    def interrupt() -> str:
        raise KeyboardInterrupt

    proving.proofs = (proof, Proof("more", proof.watcher, interrupt))
    proving.run(lambda: False, lambda proof: None)
    assert proving.interrupted
    assert [v.state for v in proving.verdicts()] == [PROVEN]


@pytest.mark.deep
def test_every_watched_row_is_proven() -> None:
    proving = plan()
    proving.run(lambda: False, lambda proof: None)
    wrong = {v.id: v.notes for v in proving.verdicts() if v.state != PROVEN}
    assert wrong == {}
