"""The protocol's words: every frame by each of its names, every field wherever it stands."""

from __future__ import annotations

import pytest

from sim.protocols.relay import ACTIONS, EVENTS, LISTENERS, MESSAGES, make_command, make_event
from sim.protocols.relay.frames import DECLARED
from sim.protocols.relay.words import AROUND, NAMED, WORDS, names_of, told
from sim.scenario.playing.match import MISSING, at_path


def frame_of(name):
    """The decoded example of whatever has this name."""
    return DECLARED[name].enclose("r-1", 1_767_225_600_000, dict(DECLARED[name].EXAMPLE))


@pytest.mark.parametrize("name", NAMED)
def test_an_example_is_called_by_its_name_and_by_its_family(name):
    frame = frame_of(name)
    names = names_of(frame["messageType"], frame)
    assert names[0] == frame["messageType"]
    assert name in (*names, "event")


@pytest.mark.parametrize("name", [one for one in NAMED if one != "event"])
def test_each_field_of_an_example_is_found_where_it_stands(name):
    frame = frame_of(name)
    fields = set(WORDS.fields(name))
    missing = [
        field for field in DECLARED[name].EXAMPLE
        if field not in fields or at_path(frame, WORDS.place(name, field)) is MISSING
    ]  # fmt: skip
    assert missing == []


@pytest.mark.parametrize("name", NAMED)
def test_the_envelope_belongs_to_every_frame(name):
    assert all(field in WORDS.fields(name) for field in AROUND)
    assert {WORDS.place(name, field) for field in AROUND} == set(AROUND)


@pytest.mark.parametrize(
    ("name", "path", "place"),
    [
        ("primitive.tab.open", "url", "payload.payload.url"),
        ("primitive.tab.open", "timeoutMs", "payload.timeoutMs"),
        ("primitive.tab.open", "payload.url", "payload.payload.url"),
        ("command", "payload.url", "payload.payload.url"),
        ("network.http_intercept", "site", "payload.payload.options.site"),
        ("network.http_intercept", "urlPatterns[0]", "payload.payload.options.urlPatterns[0]"),
        ("listener.subscribe", "options.site", "payload.payload.options.site"),
        ("routed", "targetNodeId", "payload.targetNodeId"),
        ("event", "percent", "payload.percent"),
        ("result", "data.tabSessionId", "payload.data.tabSessionId"),
        ("error", "requestId", "requestId"),
    ],
)
def test_where_a_field_stands(name, path, place):
    assert WORDS.place(name, path) == place


@pytest.mark.parametrize(
    ("name", "ways"),
    [
        ("hello", "controller>relay|node>relay"),
        ("hello_ack", "relay>controller|relay>node"),
        ("command", "controller>relay|relay>node"),
        ("result", "node>relay|relay>controller"),
        ("tab_lock", "controller>relay"),
        ("routed", "relay>controller"),
        ("listener_update", "node>relay|relay>controller"),
        ("primitive.tab.close_owned", "relay>node"),
        ("error", "relay>controller|relay>node|node>relay"),
    ],
)
def test_who_sends_what_to_whom(name, ways):
    assert WORDS.direction(name) == ways


def test_an_undeclared_event_and_an_unknown_action_have_their_family_only():
    assert WORDS.called(make_event(type="progress", percent=4)) == ("event",)
    odd = make_command(target_node_id="n", action="juggle", payload={}, replay_nonce="k")
    assert WORDS.called(odd) == ("command",)


@pytest.mark.parametrize("wire", [None, 17, [], {}, {"payload": 3}, {"payload": {"action": 7}}])
def test_a_frame_that_is_none_has_a_name_all_the_same(wire):
    assert names_of("command", wire) == ("command",)


@pytest.mark.parametrize("name", NAMED)
def test_people_are_told_the_nearest_name_and_no_field_twice(name):
    nearest, fields = told(frame_of(name))
    assert nearest in (name, *MESSAGES, *EVENTS, *ACTIONS, *LISTENERS)
    assert "type" not in fields
    assert "replayNonce" not in fields


def test_heartbeats_have_nothing_to_tell():
    assert told(frame_of("ping")) == ("ping", {})
