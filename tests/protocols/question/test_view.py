"""What the view of a question run makes of events that a simulation has not, and live runs have."""

from __future__ import annotations

import json

import pytest

from sim.core.event import CallIssued, FaultInjected, HostStarted, Saved, TimerFired
from sim.core.http import HttpRequest
from sim.protocols.question.invariants import INVARIANTS
from sim.protocols.question.store.operations import ReadFile, RenameFile
from sim.protocols.question.view import QuestionView, Surroundings
from sim.protocols.question.view_threads import Threads
from sim.world.host import START_MS

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


def test_how_old_a_claim_is_depends_on_the_clock_of_who_asks() -> None:
    view = QuestionView()
    view.on(HostStarted(0, 0, -1, "L", 1))
    view.on(FaultInjected(1, 0, -1, "skew L 60000000us", "L"))
    claim = {"claimedBy": "L#1/x", "claimedAt": START_MS + 60_000}
    view.on(CallIssued(2, 0, -1, "L", "P", RenameFile(f"{PATH}.new", PATH)))
    view.on(Saved(3, 0, 2, "P", PATH, json.dumps({"aaaa0001": ENTRY | claim})))
    entry = view.attempts.entry("aaaa0001")
    assert entry is not None
    for at_ms, is_claimed in ((15_000, True), (15_001, False)):
        view.on(TimerFired(4, at_ms * 1_000, -1, "L", "clean", ""))
        assert view.attempts.is_claimed(entry, "L") is is_claimed
        assert view.attempts.is_claimed(entry, "P")


def test_a_handler_is_at_the_update_that_it_says_it_handles_and_whoever_it_begins_is_not() -> None:
    threads = Threads()
    threads.polls(1, "L")
    threads.answered(2, 1)
    threads.handles(2, "L", 7)
    first = threads.issued(3, 2, "L")
    threads.handles(2, "L", 8)
    second, cleaning = threads.issued(4, 2, "L"), threads.issued(5, 2, "L")
    assert [one.update for one in (first, second, cleaning)] == [7, 8, -1]
    threads.answered(6, 3)
    threads.handled(6, "L")
    assert first.update == -1
    threads.handles(6, "L", 9)
    assert threads.issued(7, 6, "L") is first
    assert first.update == 9
    beside = threads.issued(8, 6, "L")
    assert (beside is first, beside.update) == (False, 7)


def test_what_a_handler_notes_without_a_call_is_not_said_of_the_next_ones() -> None:
    threads = Threads()
    threads.handles(-1, "L", 7)
    assert threads.issued(1, 0, "L").update == -1
    threads.handles(0, "L", 8)
    threads.handled(0, "L")
    assert threads.issued(2, 0, "L").update == -1
