"""Builders: what they fill in, what they leave alone."""

from __future__ import annotations

import pytest

import sim.protocols.relay as relay
from sim.protocols.relay import (
    ABSENT,
    ACTIONS,
    EVENTS,
    MESSAGES,
    Message,
    make_command,
    make_error,
    make_event,
    make_hello,
    make_lock_acquired,
    make_ping,
    make_pong,
    make_tab_lock,
    parse_relay_message,
    serialize_relay_message,
)
from sim.protocols.relay.frames.events import LockAcquired
from sim.wire.build import builder_name
from tests.protocols.relay.frames_for_tests import accepted, fault_of


@pytest.mark.parametrize("name", [*MESSAGES, *EVENTS])
def test_each_family_and_event_has_a_builder_whose_frames_are_accepted(name: str) -> None:
    cls = {**MESSAGES, **EVENTS}[name]
    make = getattr(relay, builder_name(name))
    message = make(**cls.EXAMPLE)
    assert message.wire["messageType"] == message.type == cls.family()
    assert accepted(serialize_relay_message(message))
    assert message.wire["payload"] == cls.EXAMPLE
    assert name in (make.__doc__ or "")


def test_outside_a_run_the_id_is_fresh_and_the_time_is_real() -> None:
    one, two = make_ping(), make_ping()
    assert one.id != two.id
    assert one.wire["timestamp"] > "2025-01-01T00:00:00.000Z"


@pytest.mark.usefixtures("inside")
def test_inside_a_run_id_and_time_are_the_hosts() -> None:
    assert serialize_relay_message(make_pong(ok=True)) == (
        '{"protocolVersion":"1.0","messageType":"pong","requestId":"f1",'
        '"timestamp":"1970-01-01T00:00:00.042Z","senderRole":"relay","payload":{"ok":true}}'
    )


def test_an_answer_goes_out_under_the_id_of_its_question() -> None:
    error = make_error(
        category="routing", code="node_offline", message="", request_id="r-7", sender_role="node"
    )
    assert (error.id, error.wire["requestId"], error.wire["senderRole"]) == ("r-7", "r-7", "node")
    assert make_ping(requestId="r-8", senderRole="node", timestamp_ms=0).wire["timestamp"] == (
        "1970-01-01T00:00:00.000Z"
    )


def test_a_hello_is_sent_in_the_role_that_it_names() -> None:
    assert make_hello(role="node").wire["senderRole"] == "node"
    assert make_hello(role="controller").wire["senderRole"] == "controller"
    assert fault_of(make_hello(role="node", sender_role="controller").wire)[1] == (
        "sender_role_mismatch"
    )
    assert fault_of(make_hello(role="relay").wire) == ("hello.role", "invalid_hello")


def test_values_are_not_checked_and_names_are() -> None:
    assert fault_of(make_tab_lock(target_node_id=5, tab_session_id="t").wire)[0] == (
        "tab_lock.targetNodeId"
    )
    with pytest.raises(TypeError, match=r"'tab'; allowed: .*lockLeaseMs.*request_id"):
        make_tab_lock(target_node_id="n", tab="t")
    with pytest.raises(TypeError, match="lacks tabSessionId"):
        make_tab_lock(target_node_id="n")
    left_out = make_tab_lock(target_node_id="n", tab_session_id=ABSENT)
    assert fault_of(left_out.wire) == ("tab_lock.tabSessionId", "missing_tab_session")


def test_progress_may_have_any_fields() -> None:
    event = make_event(type="progress", percent=40, request_id="run-1")
    assert event.wire["payload"] == {"type": "progress", "percent": 40}
    assert event.id == "run-1"
    assert accepted(event.wire)
    with pytest.raises(TypeError, match="lacks type"):
        make_event(percent=40)


def test_an_action_within_a_command_becomes_json() -> None:
    inner = ACTIONS["primitive.tab.open"](url="https://example.com/", owner="ctl_1")  # type: ignore[call-arg]
    message = make_command(
        action="primitive.tab.open", payload=inner, target_node_id="n", replay_nonce="x"
    )
    assert message.wire["payload"]["payload"] == {
        "url": "https://example.com/",
        "__controllerClientId": "ctl_1",
    }
    assert accepted(message.wire)


def test_a_body_knows_its_own_type_of_event() -> None:
    lease = {
        "target_node_id": "n",
        "tab_session_id": "t",
        "lock_owner_controller_id": "ctl_1",
        "lock_lease_ms": 5,
        "lock_expires_at": 10,
    }
    typed = Message("event", "r", 5, LockAcquired(**lease))  # type: ignore[arg-type]
    built = make_lock_acquired(**lease, request_id="r", timestamp_ms=5)
    assert typed == built
    again = parse_relay_message(serialize_relay_message(typed)).message
    assert again is not None
    assert again.body == typed.body
