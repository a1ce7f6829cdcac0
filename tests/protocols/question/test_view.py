"""What the view of a question run makes of events that a simulation has not, and live runs have."""

from __future__ import annotations

import json

import pytest

from sim.core.event import CallIssued, Saved
from sim.core.http import HttpRequest
from sim.protocols.question.invariants import INVARIANTS
from sim.protocols.question.store.operations import ReadFile, RenameFile
from sim.protocols.question.view import QuestionView, Surroundings

PATH = "/tmp/hermes-pending.json"
ENTRY = {"type": "question", "sid": "ses_1", "callID": "call_1", "directory": "/p", "options": []}


@pytest.mark.parametrize(
    ("request_", "by"),
    [(ReadFile(PATH), ""), (RenameFile(f"{PATH}.new", PATH), "H")],
    ids=["a read", "a change"],
)
def test_an_entry_that_is_gone_with_a_read_was_removed_by_a_program_that_nobody_sees(
    request_: object, by: str
) -> None:
    view = QuestionView()
    view.on(CallIssued(1, 0, -1, "H", "P", RenameFile(f"{PATH}.new", PATH)))
    view.on(Saved(2, 0, 1, "P", PATH, json.dumps({"aaaa0001": ENTRY})))
    entry = view.attempts.entry("aaaa0001")
    assert entry is not None
    view.on(CallIssued(3, 9, -1, "H", "P", request_))
    view.on(Saved(4, 9, 3, "P", PATH, "{}"))
    assert (entry.by, entry.is_there, entry.gone_by) == ("H", False, by)


@pytest.mark.parametrize(("caller", "is_told"), [("visitor", False), ("L", True)])
def test_what_people_with_curl_ask_for_breaks_no_rule_of_listeners(
    caller: str, is_told: bool
) -> None:
    view = QuestionView(Surroundings(visitors=frozenset({"visitor"})))
    (rule,) = [one for one in INVARIANTS if one.name == "calls-have-a-reason"]
    look = CallIssued(1, 0, -1, caller, "OC", HttpRequest("GET", "/question"))
    oracle = rule(view)
    view.on(CallIssued(0, 0, -1, caller, "TG", HttpRequest("POST", "/bot7:x/getUpdates")))
    view.on(look)
    told = oracle.handlers()[CallIssued](look)
    assert (told is not None) is is_told
