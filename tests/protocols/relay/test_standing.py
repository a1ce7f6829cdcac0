"""What stands at a step, as far as frames tell: queues, locks, listeners, tabs, sessions."""

from __future__ import annotations

from functools import cache

import pytest

from sim.core.event import FrameSent
from sim.core.trace import read_trace, write_trace
from sim.play import load, play, surroundings
from sim.protocols.played import played
from sim.protocols.relay.chronicle import RelayChronicle
from sim.protocols.relay.words import WORDS


@cache
def told(name: str):
    """(events, chronicle) of a shipped scenario."""
    scenario = load(name)
    events = play(scenario, driver="step").trace.events
    chronicle = RelayChronicle(surroundings(scenario))
    for event in events:
        chronicle.on(event)
    return events, chronicle


def step(name: str, frame: str, nth: int = 1) -> int:
    """The step in which the n-th frame of this name was sent."""
    sent = [e.n for e in told(name)[0] if isinstance(e, FrameSent)
            and frame in WORDS.called(e.frame)]  # fmt: skip
    return sent[nth - 1]


def rows(name: str, host: str, head: str, n: int) -> list[str]:
    return [row.text for row in told(name)[1].standing(host, n) if row.head == head]


def last(name: str) -> int:
    return len(told(name)[0]) - 1


def test_a_queue_lists_who_runs_and_who_waits_in_order_and_empties():
    name = "one-tab-in-order"
    (line,) = rows(name, "R", "queues", step(name, "queued", 2))
    assert line.startswith("N:tab_1  runs A-")
    assert line.index(" of B") < line.rindex(" of A")
    assert rows(name, "R", "queues", last(name)) == []


def test_a_tab_stays_busy_after_a_timeout_until_its_node_has_answered():
    name = "race-next-after-timeout"
    (line,) = rows(name, "R", "queues", step(name, "command_cancel"))
    assert "(its budget is over)" in line


@pytest.mark.parametrize(
    ("name", "begins", "ends"),
    [
        ("lock-with-lease", "lock_acquired", "lock_expired"),
        ("race-lease-ends-in-silence", "lock_acquired", "lock_expired"),
    ],
)
def test_a_lock_stands_from_its_grant_to_its_end(name, begins, ends):
    assert rows(name, "R", "locks", step(name, begins) - 1) == []
    assert len(rows(name, "R", "locks", step(name, begins))) == 1
    assert rows(name, "R", "locks", step(name, ends)) == []


def test_a_lock_ends_with_its_session():
    name = "race-frozen-controller"
    assert len(rows(name, "R", "locks", step(name, "lock_acquired"))) == 1
    assert rows(name, "R", "locks", last(name)) == []


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("listen-and-stop", "error"),
        ("listener-ends-with-node", "listener_ended"),
        ("stream-of-a-test", "cancel_ack"),
    ],
)
def test_a_listener_stands_until_it_is_over(name, end):
    begun = step(name, "listener_update") if name != "listener-ends-with-node" else step(name, end)
    assert rows(name, "R", "listeners", begun - 1)
    assert rows(name, "R", "listeners", last(name)) == []


def test_tabs_stand_at_their_nodes_with_owner_and_address():
    name = "tab-actions"
    n = step(name, "primitive.tab.query")
    assert rows(name, "N", "tabs", n) == ["tab_1  owner C  https://example.com/next"]
    assert rows(name, "N", "tabs", last(name)) == [], "somebody has closed it by hand"


def test_sessions_are_strangers_until_their_tokens_are_good():
    name = "first-hello-then-auth"
    n = step(name, "auth_ack", 2)
    assert "C.controller#1  controller, a stranger" in rows(name, "R", "sessions", n - 1)
    assert "C.controller#1  controller C" in rows(name, "R", "sessions", n)


def test_a_file_stands_for_the_same(tmp_path):
    name = "lock-with-lease"
    events, chronicle = told(name)
    write_trace(tmp_path / "run.jsonl", play(load(name), driver="step").trace)
    again = played("relay").chronicle(None)
    for event in read_trace(tmp_path / "run.jsonl").events:
        again.on(event)
    for n in range(0, len(events), 5):
        assert list(again.standing("R", n)) == list(chronicle.standing("R", n))
        assert list(again.standing("N", n)) == list(chronicle.standing("N", n))


def test_work_before_the_ack_is_not_legal_and_afterwards_it_is():
    name, record = "first-hello-then-auth", played("relay")
    verdicts = []
    for nth in (1, 2, 3):
        n = step(name, "primitive.tab.query", nth)
        event = told(name)[0][n]
        verdicts += record.legal(told(name)[1], "R", event.link, event.frame.wire, n)
    assert [one.is_legal for one in verdicts if one.table == "relay session"][:2] == [False, False]
    assert [one.is_legal for one in verdicts if one.table == "relay session"][-1]


def test_a_second_end_of_a_command_would_not_be_legal():
    name, record = "open-and-read", played("relay")
    n = step(name, "result", 2)
    event = told(name)[0][n]
    frame = event.frame.wire
    first = record.legal(told(name)[1], "R", event.link, frame, n)
    again = record.legal(told(name)[1], "R", event.link, frame, last(name))
    assert [one.is_legal for one in first if one.table == "command"] == [True]
    assert [one.is_legal for one in again if one.table == "command"] == [False]
