"""What the inspector says of a relay's frames: what a twin sends is legal where it stands."""

from __future__ import annotations

import pytest

from sim.core.event import FrameSent
from sim.play import load, play
from sim.protocols.played import played
from sim.scenario.load import shipped_folder, shipped_scenarios

NAMES = sorted(shipped_scenarios(shipped_folder() / "relay"))
RELAY = played("relay")


def folded(name):
    """A run of a shipped scenario, and the fold of it."""
    result = play(load(name), driver="step")
    chronicle = RELAY.chronicle(None)
    for event in result.trace.events:
        chronicle.on(event)
    kinds = dict(result.trace.header.hosts)
    said = [e for e in result.trace.events if isinstance(e, FrameSent)]
    return chronicle, [e for e in said if kinds.get(e.sender) == "relay"]


@pytest.mark.parametrize("name", ["one-tab-in-order", "node-goes-away", *NAMES[::8]])
def test_whatever_a_twin_relay_sends_is_legal_at_that_step(name):
    chronicle, said = folded(name)
    for e in said:
        for verdict in RELAY.legal(chronicle, e.sender, e.link, e.frame.wire, e.n):
            assert verdict.is_legal, (name, e.n, verdict)


def test_a_command_that_waits_runs_and_ends_is_shown_step_by_step():
    chronicle, said = folded("one-tab-in-order")
    told = [
        (verdict.state, verdict.trigger)
        for e in said
        if e.frame.wire["requestId"] == "B-3"
        for verdict in RELAY.legal(chronicle, e.sender, e.link, e.frame.wire, e.n)
        if verdict.table == "command"
    ]
    assert told == [("ACCEPTED", "wait"), ("WAITING", "send"), ("RUNNING", "answer")]


def test_a_second_end_of_a_command_is_not_legal():
    chronicle, said = folded("one-tab-in-order")
    last = next(e for e in reversed(said) if e.frame.type == "result" and "A" in e.link)
    verdicts = RELAY.legal(chronicle, "R", last.link, last.frame.wire, last.n + 10)
    assert [v.is_legal for v in verdicts if v.table == "command"] == [False]
