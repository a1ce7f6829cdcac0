"""A command with an idempotencyKey takes effect once, and every copy of it is answered."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from sim.core.errors import SimInternalError
from sim.protocols.relay.node.ledger import CONFLICT, REPEAT, RUN, WAIT, Deed, Ledger

POST = Deed("command.run", "T1", {"site": "s", "input": {"a": 1, "b": 2}})


def test_a_copy_waits_while_the_first_runs_and_gets_its_outcome_afterwards() -> None:
    ledger = Ledger()
    assert ledger.begin("k", POST, "r1", 0) == (RUN, None)
    assert ledger.begin("k", POST, "r2", 1) == (WAIT, None)
    assert ledger.begin("k", POST, "r3", 2) == (WAIT, None)
    assert ledger.end("k", "done", 5) == ["r2", "r3"]
    assert ledger.begin("k", POST, "r4", 6) == (REPEAT, "done")


def test_another_deed_under_the_same_key_is_a_conflict_while_it_runs_and_afterwards() -> None:
    ledger = Ledger()
    ledger.begin("k", POST, "r1", 0)
    others = [
        Deed("command.test", "T1", POST.payload),
        Deed("command.run", "T2", POST.payload),
        Deed("command.run", None, POST.payload),
        Deed("command.run", "T1", {}),
    ]
    for ends in (False, True):
        if ends:
            ledger.end("k", "done", 1)
        assert [ledger.begin("k", other, "r", 2)[0] for other in others] == [CONFLICT] * 4
    assert ledger.begin("other key", others[0], "r", 2)[0] == RUN


def test_keys_of_a_payload_may_come_in_any_order() -> None:
    ledger = Ledger()
    ledger.begin("k", POST, "r1", 0)
    turned = Deed("command.run", "T1", {"input": {"b": 2, "a": 1.0}, "site": "s"})
    assert ledger.begin("k", turned, "r2", 0)[0] == WAIT


def test_outcomes_are_forgotten_5_minutes_after_their_end() -> None:
    ledger = Ledger()
    ledger.begin("k", POST, "r1", 0)
    ledger.begin("slow", POST, "r2", 0)
    ledger.end("k", "done", 1000)
    assert ledger.begin("k", POST, "r3", 300_999) == (REPEAT, "done")
    assert ledger.begin("k", POST, "r4", 301_000) == (RUN, None)
    assert ledger.begin("slow", POST, "r5", 999_999) == (WAIT, None)


def test_the_newest_200_outcomes_are_kept_and_nothing_that_runs_is_forgotten() -> None:
    ledger = Ledger()
    ledger.begin("slow", POST, "r", 0)
    for number in range(201):
        ledger.begin(str(number), POST, "r", 0)
        ledger.end(str(number), number, 0)
    assert len(ledger) == 201
    assert ledger.begin("1", POST, "r", 0) == (REPEAT, 1)
    assert ledger.begin("slow", POST, "r", 0) == (WAIT, None)
    assert ledger.begin("0", POST, "r", 0) == (RUN, None)


def test_nothing_ends_that_does_not_run() -> None:
    with pytest.raises(SimInternalError, match="begin comes first"):
        Ledger().end("k", "done", 0)


class Retries(RuleBasedStateMachine):
    """Any order of copies, ends and time: one effect per key and memory, each copy answered."""

    def __init__(self) -> None:
        super().__init__()
        self.ledger = Ledger(memory_ms=20, entries=2)
        self.now = 0
        self.count = 0
        self.running: dict[str, list[str]] = {}
        self.ended: list[tuple[str, Any, int]] = []

    keys = st.sampled_from("kl")

    @rule(key=st.sampled_from("klm"))
    def send(self, key: str) -> None:
        self.count += 1
        decision, outcome = self.ledger.begin(key, POST, f"r{self.count}", self.now)
        self.forget()
        stored = [told for name, told, _ in self.ended if name == key]
        if key in self.running:
            assert decision == WAIT
            self.running[key].append(f"r{self.count}")
        elif stored:
            assert (decision, outcome) == (REPEAT, stored[0])
        else:
            assert decision == RUN
            self.running[key] = []

    @precondition(lambda self: self.running)
    @rule(data=st.data())
    def end(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(sorted(self.running)))
        assert self.ledger.end(key, self.count, self.now) == self.running.pop(key)
        self.ended.append((key, self.count, self.now))
        self.forget()

    @rule(step=st.integers(1, 15))
    def wait(self, step: int) -> None:
        self.now += step

    def forget(self) -> None:
        self.ended = [one for one in self.ended[-2:] if self.now - one[2] < 20]

    @invariant()
    def it_never_holds_more_than_it_may(self) -> None:
        assert len(self.ledger) <= len(self.running) + 2


TestRetries = Retries.TestCase
TestRetries.settings = settings(max_examples=30, stateful_step_count=25)
