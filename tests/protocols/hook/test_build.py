"""Builders: what they fill in, what they leave alone."""

from __future__ import annotations

import re
from typing import Any

import pytest

import sim.protocols.hook as hook
from sim.protocols.hook import (
    ABSENT,
    HOOK_MESSAGE_TYPES,
    MESSAGES,
    Message,
    TaskAttachment,
    TurnUsage,
    make_bind_revoke,
    make_hello,
    make_ping,
    make_pong,
    make_provider_bind_start,
    make_task_dispatch,
    make_turn_end,
    make_turn_progress,
    make_turn_reopen,
    parse_hook_message,
    serialize_hook_message,
)
from sim.wire.build import builder_name
from tests.protocols.hook.frames_for_tests import accepted, fault_path

UUID4 = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


@pytest.mark.parametrize("type", HOOK_MESSAGE_TYPES)
def test_each_type_has_a_builder_whose_frames_are_accepted(type: str) -> None:
    make = getattr(hook, builder_name(type))
    message = make(**MESSAGES[type].EXAMPLE)
    assert message.type == type
    assert accepted(serialize_hook_message(message))
    assert message.wire["payload"] == MESSAGES[type].EXAMPLE
    assert type in (make.__doc__ or "")


def test_outside_a_run_the_id_is_a_fresh_uuid_and_the_time_is_real() -> None:
    one, two = make_ping(), make_ping()
    assert UUID4.fullmatch(one.id)
    assert one.id != two.id
    assert one.ts > 1_700_000_000_000


@pytest.mark.usefixtures("inside")
def test_inside_a_run_id_and_time_are_the_hosts() -> None:
    assert serialize_hook_message(make_pong()) == (
        '{"v":1,"type":"pong","id":"f1","ts":42,"payload":{}}'
    )
    assert make_pong().id == "f2"


def test_both_spellings_of_a_field_are_taken() -> None:
    one = make_turn_progress(request_id="r", text="t")
    two = make_turn_progress(requestId="r", text="t")
    assert one.body == two.body
    with pytest.raises(TypeError, match="two names"):
        make_turn_progress(requestId="r", request_id="r", text="t")


def test_an_unknown_argument_is_an_error_that_lists_the_allowed_ones() -> None:
    with pytest.raises(TypeError, match=r"'txt'.*request_id, text"):
        make_turn_progress(request_id="r", txt="t")
    with pytest.raises(TypeError, match="allowed: none"):
        make_ping(x=1)


def test_a_missing_argument_is_an_error_unless_left_out_on_purpose() -> None:
    with pytest.raises(TypeError, match="lacks text"):
        make_turn_progress(request_id="r")
    message = make_turn_progress(request_id="r", text=ABSENT)
    assert message.wire["payload"] == {"requestId": "r"}
    assert fault_path(message.wire) == "turn.progress.text"


def test_values_are_not_checked() -> None:
    assert fault_path(make_turn_progress(request_id=5, text=None).wire) == "turn.progress.requestId"
    odd = make_turn_end(
        request_id=1, external_key=2, session_id=3, status=4, final_text=5, error_message=6, usage=7
    )
    assert odd.body.usage == 7  # type: ignore[attr-defined]


def test_hello_begins_with_the_version_unless_given() -> None:
    fields: dict[str, Any] = {
        "device_id": "d",
        "device_name": "n",
        "workspaces": ("chat",),
        "agents": [],
    }
    assert next(iter(make_hello(**fields).wire["payload"].items())) == ("protocolVersion", 1)
    assert make_hello(**fields, protocol_version=2).wire["payload"]["protocolVersion"] == 2
    assert make_hello(**fields).wire["payload"]["workspaces"] == ["chat"]


def test_a_dispatch_begins_with_workspace_and_session_then_the_arguments_in_order() -> None:
    message = make_task_dispatch(prompt="p", external_key="k", request_id="r", workspace="web")
    assert list(message.wire["payload"].items()) == [
        ("workspace", "web"),
        ("sessionId", None),
        ("prompt", "p"),
        ("externalKey", "k"),
        ("requestId", "r"),
    ]


def test_a_dispatch_without_session_on_purpose_is_refused_by_the_peer() -> None:
    message = make_task_dispatch(prompt="p", external_key="k", request_id="r", session_id=ABSENT)
    assert "sessionId" not in message.wire["payload"]
    assert fault_path(message.wire) == "task.dispatch.sessionId"


@pytest.mark.parametrize("given", [{}, {"reason": None}, {"reason": ABSENT}])
def test_a_reopen_has_a_default_reason_and_a_null_session(given: dict[str, Any]) -> None:
    payload = make_turn_reopen(request_id="b", reopen_of="a", external_key="k", **given).wire[
        "payload"
    ]
    assert payload["reason"] == "user-continued"
    assert payload["sessionId"] is None
    assert list(payload)[:3] == ["requestId", "reopenOf", "externalKey"]


def test_an_empty_reason_for_a_reopen_stays_empty() -> None:
    message = make_turn_reopen(request_id="b", reopen_of="a", external_key="k", reason="")
    assert message.wire["payload"]["reason"] == ""
    assert fault_path(message.wire) == "turn.reopen.reason"


def test_revoking_without_arguments_has_an_empty_payload() -> None:
    assert make_bind_revoke().wire["payload"] == {}
    assert make_provider_bind_start(request_id="r", provider="x").wire["payload"] == {
        "requestId": "r",
        "provider": "x",
    }


def test_typed_objects_within_a_payload_become_json() -> None:
    message = make_turn_end(
        request_id="r",
        external_key="k",
        session_id=None,
        status="ok",
        final_text="",
        error_message=None,
        usage=TurnUsage(duration_ms=None),
        attachments=(TaskAttachment(name=None, mime_type="image/png", data_base64="x"),),
    )
    again = parse_hook_message(serialize_hook_message(message)).message
    assert isinstance(again, Message)
    assert again == message
    assert again.body == message.body
