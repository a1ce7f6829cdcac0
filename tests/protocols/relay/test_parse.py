"""The envelope, hostile input, and the answers of the parser."""

from __future__ import annotations

import json
import math
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.protocols.relay import (
    DECLARED,
    MESSAGES,
    RELAY_MESSAGE_TYPES,
    Opened,
    RelayRefused,
    TabUnlock,
    is_relay_message_type,
    open_relay_frame,
    parse_relay_message,
    payload_fault,
    serialize_relay_message,
    to_wire,
)
from sim.protocols.relay.codes import TAB_DIFFERS, TAB_MISSING, TAB_UNEXPECTED
from sim.wire.equality import same_json
from sim.wire.strategies import frames, json_values, messages
from tests.protocols import traps
from tests.protocols.relay.frames_for_tests import (
    accepted,
    changed,
    fault_of,
    good,
    refused,
    without,
)
from tests.protocols.traps import TrapDict


def test_types_are_known_letter_for_letter() -> None:
    assert is_relay_message_type("command_cancel")
    assert not is_relay_message_type("Command")
    assert not is_relay_message_type("routed")
    assert not is_relay_message_type(["ping"])


def test_an_accepted_object_is_returned_itself() -> None:
    frame = good("tab_lock") | {"traceId": "t-1", "ofNextYear": [1]}
    message = parse_relay_message(frame).message
    assert message is not None
    assert to_wire(message) is frame
    assert (message.type, message.id, message.ts) == ("tab_lock", "f-1", 1760000000000)
    assert message.sender == "controller"


def test_envelope_faults_are_reported_in_order() -> None:
    frame: dict[str, Any] = {"messageType": "teleport", "senderRole": "x", "timestamp": "now"}
    found = []
    for name, value in (
        ("requestId", "r"),
        ("payload", {"role": "relay"}),
        ("protocolVersion", "1.0"),
        ("messageType", "hello"),
        ("senderRole", "node"),
        ("timestamp", "2026-11-30T00:00:00Z"),
        ("payload", {"role": "controller"}),
        ("senderRole", "controller"),
    ):
        found.append(fault_of(frame))
        frame[name] = value
    assert found == [
        ("envelope.requestId", "invalid_envelope"),
        ("envelope.payload", "invalid_envelope"),
        ("envelope.protocolVersion", "unsupported_version"),
        ("envelope.messageType", "unknown_message_type"),
        ("envelope.senderRole", "sender_role_mismatch"),
        ("envelope.timestamp", "invalid_timestamp"),
        ("hello.role", "invalid_hello"),
        ("envelope.senderRole", "sender_role_mismatch"),
    ]
    assert accepted(frame)


@pytest.mark.parametrize("raw", ["null", "1", "[]", '"x"', "true", "[{}]"])
def test_json_that_is_no_object_is_no_envelope(raw: str) -> None:
    verdict = refused(raw)
    assert (verdict.path, verdict.code) == ("envelope", "invalid_envelope")
    assert verdict.request_id == "unknown"


@pytest.mark.parametrize("raw", ["", "{", "{not json", "{}x", "NaN", '{"a":Infinity}', "\ud800"])
def test_what_is_no_json_is_told_apart(raw: str) -> None:
    verdict = refused(raw)
    assert (verdict.path, verdict.code, verdict.request_id) == (None, "invalid_json", "unknown")
    assert verdict.told.category == "validation"
    assert not verdict.told.retryable


@pytest.mark.parametrize("raw", [None, 1, 1.5, True, [], (), b"{}", object(), {1}, len])
def test_what_is_no_object_at_all_is_refused_at_the_envelope(raw: object) -> None:
    assert fault_of(raw) == ("envelope", "invalid_envelope")


@pytest.mark.parametrize("version", ["1.0", "1.0.0", "1.3", "1"])
def test_minor_versions_are_welcome(version: str) -> None:
    assert accepted(good("ping") | {"protocolVersion": version})


@pytest.mark.parametrize("version", ["2.0", "0.9", "10", "1.", "v1", "", "1.0\n", 1, 1.0, None])
def test_other_versions_are_not(version: object) -> None:
    frame = good("ping") | {"protocolVersion": version}
    assert fault_of(frame) == ("envelope.protocolVersion", "unsupported_version")


@pytest.mark.parametrize("id", ["", None, 7, ["r"], {}])
def test_a_frame_without_a_request_id_is_answered_under_unknown(id: object) -> None:
    verdict = refused(good("ping") | {"requestId": id})
    assert (verdict.path, verdict.request_id) == ("envelope.requestId", "unknown")


def test_a_refusal_names_the_request_that_it_answers() -> None:
    assert refused(good("ping") | {"payload": [], "requestId": "r-9"}).request_id == "r-9"
    assert refused(changed("tab_lock", lockLeaseMs=0) | {"requestId": "r-9"}).request_id == "r-9"


@pytest.mark.parametrize("name", RELAY_MESSAGE_TYPES)
def test_each_family_needs_all_of_the_envelope(name: str) -> None:
    for field in good(name):
        frame = good(name)
        del frame[field]
        assert refused(frame).path == f"envelope.{field}"


@pytest.mark.parametrize(
    ("lease", "good_one"),
    [
        *((one, True) for one in (1, 1.0, 10**15, 1e300)),
        *((one, False) for one in (0, -1, 0.5, "1000", None, True, math.inf)),
    ],
)
def test_a_lease_is_a_whole_number_above_zero(lease: object, good_one: bool) -> None:
    frame = changed("tab_lock", lockLeaseMs=lease)
    assert accepted(frame) is good_one
    if not good_one:
        assert fault_of(frame) == ("tab_lock.lockLeaseMs", "invalid_lock_lease")


@pytest.mark.parametrize(
    ("timeout", "good_one"),
    [(0, True), (-5, True), (1500.7, True), (None, True), ("1200", False), (math.inf, False)],
)
def test_a_timeout_is_null_or_a_finite_number(timeout: object, good_one: bool) -> None:
    frame = changed("command", timeoutMs=timeout)
    assert accepted(frame) is good_one
    if not good_one:
        assert fault_of(frame) == ("command.timeoutMs", "invalid_timeout")


def test_the_wait_policy_of_a_lock_is_ignored_and_that_of_a_command_is_not() -> None:
    assert accepted(changed("tab_lock", waitPolicy=7))
    assert fault_of(changed("command", waitPolicy="later"))[1] == "invalid_wait_policy"


def command(action: str, inner: dict[str, Any], tab: object = "none") -> dict[str, Any]:
    frame = changed("command", action=action, payload=inner, tabSessionId=tab)
    if tab == "none":
        del frame["payload"]["tabSessionId"]
    return frame


TAB_CASES: list[tuple[dict[str, Any], str | None, str]] = [
    (command("primitive.tab.close", {}, "t"), None, ""),
    (command("primitive.tab.close", {}), "missing_tab_session", TAB_MISSING),
    (command("primitive.tab.navigate", {"url": "u"}), "missing_tab_session", TAB_MISSING),
    (command("primitive.dom.extract_text", {}), "missing_tab_session", TAB_MISSING),
    (command("primitive.dom.of_next_year", {}), "missing_tab_session", TAB_MISSING),
    (command("primitive.dom.extract_text", {"tabSessionId": "t"}), None, ""),
    (command("primitive.dom.extract_text", {"options": {"tabSessionId": "t"}}), None, ""),
    (command("primitive.dom.extract_text", {"tabSessionId": "t"}, "t"), None, ""),
    (
        command("primitive.dom.extract_text", {"tabSessionId": "u"}, "t"),
        "tab_session_mismatch",
        TAB_DIFFERS,
    ),
    (
        command("command.run", {"tabSessionId": "t", "options": {"tabSessionId": "u"}}),
        "tab_session_mismatch",
        TAB_DIFFERS,
    ),
    (command("primitive.tab.open", {"url": "u"}), None, ""),
    (command("primitive.tab.open", {"url": "u"}, "t"), "unexpected_tab_session", TAB_UNEXPECTED),
    (
        command("primitive.tab.open", {"tabSessionId": "t"}),
        "unexpected_tab_session",
        TAB_UNEXPECTED,
    ),
    (command("command.run", {}), None, ""),
    (command("command.run", {"tabSessionId": None, "options": [1]}), None, ""),
    (command("primitive.page.screenshot", {}, "t"), None, ""),
    (command("command.run", {}, ""), "missing_tab_session", "must be a non-empty string"),
]


@pytest.mark.parametrize(("frame", "code", "text"), TAB_CASES)
def test_a_tab_is_named_where_the_action_works_in_one(
    frame: dict[str, Any], code: str | None, text: str
) -> None:
    if code is None:
        assert accepted(frame)
        return
    verdict = refused(frame)
    assert (verdict.path, verdict.code) == ("command.tabSessionId", code)
    assert verdict.error == f"command.tabSessionId {text}"


def test_only_the_relay_may_leave_the_nonce_out() -> None:
    bare = without("command", "replayNonce")
    assert fault_of(bare) == ("command.replayNonce", "missing_replay_nonce")
    assert accepted(bare | {"senderRole": "relay"})
    assert fault_of(bare | {"senderRole": "node"})[1] == "missing_replay_nonce"
    empty = changed("command", replayNonce="")
    assert fault_of(empty | {"senderRole": "relay"})[1] == "missing_replay_nonce"


def test_events_of_undeclared_types_are_free_and_declared_ones_are_not() -> None:
    assert accepted(changed("event", type="progress", lockLeaseMs="x"))
    assert fault_of(changed("event", type="queued")) == ("event.targetNodeId", "invalid_envelope")
    update = {"updateType": "x" * 121}
    assert fault_of(changed("listener_update", **update))[1] == "invalid_listener_update"
    assert accepted(changed("listener_update", updateType="😀" * 60))
    assert not accepted(changed("listener_update", updateType="😀" * 61))
    late = changed("listener_update", emittedAt="yesterday")
    assert fault_of(late) == ("event.emittedAt", "invalid_listener_update")


# -- the relay's way: envelope first, payload later ------------------------------------------


def test_a_frame_is_opened_before_its_payload_and_its_time_are_looked_at() -> None:
    frame = changed("command", action=7) | {"timestamp": "yesterday"}
    opened = open_relay_frame(json.dumps(frame))
    assert isinstance(opened, Opened)
    assert (opened.type, opened.request_id, opened.sender) == ("command", "f-1", "controller")
    assert opened.ts is None
    fault = payload_fault(opened)
    assert fault is not None
    assert (fault.path, fault.code, fault.request_id) == (
        "command.action",
        "forbidden_action",
        "f-1",
    )
    again = open_relay_frame(good("command"))
    assert isinstance(again, Opened)
    assert again.ts == 1760000000000
    assert payload_fault(again) is None


@pytest.mark.parametrize("raw", ["{", "null", None, {"requestId": "r"}, {7: 8}])
def test_what_cannot_be_opened_is_refused_as_the_parser_refuses_it(raw: object) -> None:
    opened, parsed = open_relay_frame(raw), refused(raw)
    assert isinstance(opened, RelayRefused)
    assert (opened.error, opened.path, opened.code) == (parsed.error, parsed.path, parsed.code)


@given(
    frames(MESSAGES.values()), st.sampled_from(["payload", "timestamp", "requestId"]), json_values
)
def test_opening_and_parsing_agree(frame: dict[str, Any], field: str, value: object) -> None:
    frame = {**frame, field: value}
    opened, parsed = open_relay_frame(frame), parse_relay_message(frame)
    if isinstance(opened, Opened):
        fault = payload_fault(opened) if opened.ts is not None else opened
        assert (fault is None) is parsed.ok
    else:
        assert not parsed.ok


# -- deep, huge, strange ---------------------------------------------------------------------


@pytest.mark.parametrize("depth", [900, 20_000])
def test_data_may_nest_to_any_depth(depth: int) -> None:
    deep = "[" * depth + "]" * depth
    text = json.dumps(changed("result", data="HERE")).replace('"HERE"', deep)
    message = parse_relay_message(text).message
    assert message is not None
    assert deep in serialize_relay_message(message)
    assert fault_of(text[:-1]) == (None, "invalid_json")


def test_a_result_may_be_huge() -> None:
    frame = changed("result", data={"html": "<p>中😀</p>" * 500_000})
    message = parse_relay_message(json.dumps(frame)).message
    assert message is not None
    assert message.wire == frame


def test_ids_and_texts_may_be_in_any_script() -> None:
    frame = good("tab_unlock") | {"requestId": "заявка-1 😀 \u0000"}
    frame["payload"]["tabSessionId"] = "标签页"
    text = serialize_relay_message(frame)
    message = parse_relay_message(text).message
    assert message is not None
    assert message.id == "заявка-1 😀 \u0000"
    assert message.body == TabUnlock(target_node_id="node_alpha", tab_session_id="标签页")
    assert serialize_relay_message(message) == text


def test_a_lone_surrogate_survives_the_way_there_and_back() -> None:
    text = json.dumps(changed("event", type="x\ud800"))
    message = parse_relay_message(text).message
    assert message is not None
    assert "\\ud800" in serialize_relay_message(message)


class Trap(traps.Trap):
    FIELD = "messageType"


class Type(StrEnum):
    PING = "ping"


@pytest.mark.parametrize("place", list(good("ping")))
def test_hostile_values_in_the_envelope_are_refused_at_their_field(place: str) -> None:
    assert refused(good("ping") | {place: Trap()}).path == f"envelope.{place}"


def test_hostile_values_in_the_payload_are_refused_at_their_field() -> None:
    for name in DECLARED["error"].EXAMPLE:
        assert refused(changed("error", **{name: Trap()})).path == f"error.{name}"


def test_hostile_keys_do_no_harm() -> None:
    assert refused({Trap(): 1}).path == "envelope.requestId"


@pytest.mark.parametrize("name", ["command", "lock_acquired", "listener.subscribe", "hello"])
def test_subclasses_of_dict_and_str_are_read_by_their_true_content(name: str) -> None:
    frame = TrapDict(good(name))
    inner = TrapDict(good(name)["payload"])
    if "payload" in good(name)["payload"]:
        dict.__setitem__(inner, "payload", TrapDict(good(name)["payload"]["payload"]))
    dict.__setitem__(frame, "payload", inner)
    message = parse_relay_message(frame).message
    assert message is not None
    assert message.wire is frame
    assert accepted(good("ping") | {"messageType": Type.PING})


@given(st.text() | st.binary() | json_values)
def test_anything_gets_a_verdict(raw: object) -> None:
    assert parse_relay_message(raw).ok is False
    assert isinstance(open_relay_frame(raw), RelayRefused)


@settings(max_examples=40)
@given(frames(MESSAGES.values()), st.dictionaries(st.text(), json_values), json_values)
def test_any_payload_gets_one_verdict_as_object_and_as_text(
    frame: dict[str, Any], extra: dict[str, Any], value: object
) -> None:
    for name in [*frame["payload"], *extra]:
        other = {**frame, "payload": {**extra, **frame["payload"], name: value}}
        text = json.dumps(other)
        assert parse_relay_message(other).path == parse_relay_message(text).path


@settings(max_examples=40)
@given(frames(MESSAGES.values()), st.dictionaries(st.text(), json_values))
def test_fields_that_nobody_declared_change_no_verdict(
    frame: dict[str, Any], extra: dict[str, Any]
) -> None:
    """OT-64: what a later version adds must not upset this one."""
    known = {"payload", "action", "options", "type", *frame, *frame["payload"]}
    more = {f"of next year {name}": value for name, value in extra.items() if name not in known}
    assert accepted({**more, **frame, "payload": {**more, **frame["payload"]}})


@given(messages(MESSAGES.values()))
def test_writing_and_parsing_is_the_identity(message: Any) -> None:
    text = serialize_relay_message(message)
    again = parse_relay_message(text)
    assert again.message == message, again.error
    assert again.message is not None
    assert serialize_relay_message(again.message) == text
    assert (again.message.id, again.message.ts) == (message.id, message.ts)
    assert again.message.sender == message.wire["senderRole"]
    assert same_json(
        MESSAGES[message.type].from_wire(again.message.wire["payload"]).to_wire(),
        message.body.to_wire(),
    )
