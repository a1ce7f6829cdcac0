"""The catalogue of the hook protocol, and what proves catalogues: see ``test_catalogues`` too."""

from __future__ import annotations

from collections import Counter

import pytest

from sim.cli.proving.lessons import LESSONS, lesson
from sim.cli.proving.prove import FAILED, PROVEN, Proof, plan
from sim.cli.proving.watchers import summary
from sim.core.rule import table_of
from sim.protocols.hook.catalogue import ROWS
from sim.protocols.hook.catalogue.frame_tables import CHECKS
from sim.protocols.hook.frames import MESSAGES
from sim.protocols.hook.rules import HookRules

RULES = {rule.name: rule for rule in table_of(HookRules)}


def test_rows_are_obeyed_by_as_many_as_the_document_says() -> None:
    count = Counter(row.by for row in ROWS.values())
    assert count == {"desktop": 63, "server": 101, "both": 40}


def test_forty_rules_can_be_switched_off_each_with_reason_and_consequence() -> None:
    assert summary()["switchable"] > len(RULES) >= 40
    assert [rule.name for rule in RULES.values() if not (rule.reason and rule.without)] == []
    assert {rule.by for rule in RULES.values()} == {"desktop", "server"}


def test_frame_checks_are_of_messages_that_there_are() -> None:
    assert {check.what for check in CHECKS} <= {*MESSAGES, "frame"}


def test_a_frame_check_can_fail() -> None:
    check = CHECKS[1]
    accepts_all = type("Verdict", (), {"ok": True})
    assert "accepted" in check.fault(lambda frame: accepts_all())


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_breaks_nothing_while_all_rules_are_on(name: str) -> None:
    told = lesson(name)
    assert told.ok, told.failures


# -- the check itself -------------------------------------------------------------------


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
