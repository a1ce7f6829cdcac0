"""The envelope, hostile input and the answers of the parser."""

from __future__ import annotations

import json
import math
from enum import IntEnum, StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.protocols.hook import (
    HOOK_MAX_FRAME_CHARS,
    HOOK_MESSAGE_TYPES,
    MESSAGES,
    TurnProgress,
    is_hook_message_type,
    parse_hook_message,
    serialize_hook_message,
    to_wire,
)
from sim.wire.equality import same_json
from sim.wire.strategies import frames, json_values, messages
from tests.protocols.hook.frames_for_tests import accepted, changed, fault_path, good
from tests.protocols.traps import Trap, TrapDict


def test_there_are_39_types_and_the_later_msg_op_is_none_of_them() -> None:
    assert len(HOOK_MESSAGE_TYPES) == len(set(HOOK_MESSAGE_TYPES)) == 39
    assert not is_hook_message_type("msg.op")
    assert is_hook_message_type("turn.end")
    assert not is_hook_message_type("Turn.End")
    assert not is_hook_message_type(None)
    assert not is_hook_message_type(["ping"])


@pytest.mark.parametrize("type", HOOK_MESSAGE_TYPES)
def test_the_example_of_each_type_is_accepted_as_object_and_as_text(type: str) -> None:
    frame = good(type)
    assert accepted(frame)
    assert accepted(json.dumps(frame))


def test_an_accepted_object_is_returned_itself() -> None:
    frame = good("turn.end") | {"extra": [1]}
    message = parse_hook_message(frame).message
    assert message is not None
    assert to_wire(message) is frame
    assert (message.type, message.id, message.ts) == ("turn.end", "f-1", 1760000000000)


def test_envelope_faults_are_reported_in_order() -> None:
    frame: dict[str, Any] = {"v": 2, "type": "x", "id": "", "ts": "now", "payload": []}
    paths = []
    for name, value in (("v", 1), ("type", "ping"), ("id", "i"), ("ts", 0), ("payload", {})):
        paths.append(fault_path(frame))
        frame[name] = value
    assert paths == [None, None, "envelope.id", "envelope.ts", "envelope.payload"]
    assert accepted(frame)


@pytest.mark.parametrize("raw", [None, 1, 1.5, True, [], (), len, int, "[]", "null", "3", '"x"'])
def test_what_is_no_object_is_refused_at_the_envelope(raw: object) -> None:
    assert fault_path(raw) == "envelope"


@pytest.mark.parametrize("raw", [b"{}", bytearray(b"{}"), memoryview(b"{}"), object(), {1}])
def test_bytes_and_foreign_objects_lack_a_version(raw: object) -> None:
    result = parse_hook_message(raw)
    assert (result.ok, result.path) == (False, None)
    assert result.error is not None
    assert "undefined" in result.error


@pytest.mark.parametrize("text", ["1", "1.0", "1e0", "10e-1", "1.0000000000000001"])
def test_version_one_may_be_spelled_in_any_way(text: str) -> None:
    assert accepted(f'{{"v":{text},"type":"ping","id":"i","ts":1,"payload":{{}}}}')


@pytest.mark.parametrize("version", [True, "1", [1], {}, None, 0, 2, math.nan])
def test_other_versions_are_refused_without_a_path(version: object) -> None:
    assert fault_path(good("ping") | {"v": version}) is None


SHOWN: list[tuple[object, str]] = [
    (None, "null"),
    (True, "true"),
    (False, "false"),
    (0, "0"),
    (2.5, "2.5"),
    (10**30, "1e+30"),
    (-math.inf, "-inf"),
    (math.nan, "nan"),
    ("2", "'2'"),
    ("x" * 80, repr("x" * 80)),
    ("x" * 81, repr("x" * 80 + "…")),
    ([1], "(an array)"),
    ((1,), "(an array)"),
    ({}, "(an object)"),
    (object(), "(an object)"),
]


@pytest.mark.parametrize(("value", "text"), SHOWN)
def test_a_refusal_shows_what_stood_there_as_json_would_and_shortly(
    value: object, text: str
) -> None:
    refused = parse_hook_message(good("ping") | {"v": value})
    assert not refused.ok
    assert refused.error == f"version {text} is not 1"


@pytest.mark.parametrize("ts", [0, -1, 0.5, 1e300, -0.0, 10**300])
def test_any_finite_time_is_accepted(ts: float) -> None:
    assert accepted(good("ping") | {"ts": ts})


@pytest.mark.parametrize("ts", [True, "1", None, math.inf, -math.inf, math.nan, 10**400])
def test_a_time_that_is_no_finite_number_is_refused(ts: object) -> None:
    assert fault_path(good("ping") | {"ts": ts}) == "envelope.ts"


def test_a_text_may_be_as_long_as_the_limit_and_no_longer() -> None:
    ping = json.dumps(good("ping"))
    fits = ping + " " * (HOOK_MAX_FRAME_CHARS - len(ping))
    assert accepted(fits)
    assert fault_path(fits + " ") is None


def test_the_length_limit_counts_utf16_units() -> None:
    emoji = "😀" * (HOOK_MAX_FRAME_CHARS // 2)
    result = parse_hook_message(f'"{emoji}"')
    assert result.error is not None
    assert "longer" in result.error


def test_object_input_has_no_length_limit() -> None:
    assert accepted(changed("turn.progress", text="x" * (HOOK_MAX_FRAME_CHARS + 1)))


def test_proto_is_an_ordinary_key() -> None:
    assert fault_path('{"__proto__":{"v":1}}') is None
    frame = '{"v":1,"type":"ping","id":"i","ts":1,"payload":{"__proto__":{}}}'
    assert fault_path(frame) == "ping.payload"


def test_the_last_of_equal_keys_counts() -> None:
    assert accepted('{"v":2,"v":1,"type":"ping","id":"i","ts":1,"payload":{}}')


@pytest.mark.parametrize("depth", [900, 2_000, 100_000])
def test_ignored_fields_may_nest_to_any_depth(depth: int) -> None:
    deep = "[" * depth + "]" * depth
    text = '{"v":1,"type":"tool.response","id":"i","ts":1,"payload":' + (
        f'{{"replyTo":"r","ok":true,"result":{deep}}}}}'
    )
    message = parse_hook_message(text).message
    assert message is not None
    assert serialize_hook_message(message) == text
    assert fault_path(text[:-1]) is None


def test_a_deep_version_or_type_is_refused_quietly() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert fault_path(good("ping") | {"v": deep}) is None
    assert fault_path(good("ping") | {"type": deep}) is None


def test_errors_name_the_choices_and_limits() -> None:
    result = parse_hook_message(changed("turn.end", status="done"))
    assert result.error == "turn.end.status must be one of ok, error, cancelled"
    result = parse_hook_message(changed("turn.end", attachments=[{}] * 17))
    assert result.error is not None
    assert "16" in result.error


class TrapText(str):
    __slots__ = ()
    __eq__ = __ne__ = __len__ = __str__ = __repr__ = Trap._spring

    def __hash__(self) -> int:
        raise RuntimeError("trap")


@pytest.mark.parametrize("place", ["v", "type", "id", "ts", "payload"])
def test_hostile_values_in_the_envelope_are_refused(place: str) -> None:
    assert not accepted(good("ping") | {place: Trap()})


def test_hostile_values_in_the_payload_are_refused_at_their_field() -> None:
    for name in MESSAGES["turn.end"].EXAMPLE:
        assert fault_path(changed("turn.end", **{name: Trap()})) == f"turn.end.{name}"


def test_hostile_keys_do_no_harm() -> None:
    result = parse_hook_message({Trap(): 1})
    assert (result.ok, result.path) == (False, None)
    frame = good("bind.revoke")
    frame["payload"] = {Trap(): 1}
    assert accepted(frame)  # a key that is no string cannot be on the wire


def test_a_dict_with_overridden_methods_is_read_by_its_true_content() -> None:
    frame = TrapDict(good("turn.end"))
    dict.__setitem__(frame, "payload", TrapDict(good("turn.end")["payload"]))
    message = parse_hook_message(frame).message
    assert message is not None
    assert message.wire is frame
    assert message.body == MESSAGES["turn.end"].from_wire(good("turn.end")["payload"])


def test_a_string_with_overridden_methods_is_read_by_its_true_content() -> None:
    assert accepted(TrapText(json.dumps(good("ping"))))
    assert accepted(changed("turn.end", status=TrapText("ok")))
    assert fault_path(changed("turn.end", status=TrapText("no"))) == "turn.end.status"
    assert is_hook_message_type(TrapText("ping"))


class Status(StrEnum):
    OK = "ok"


class Version(IntEnum):
    ONE = 1


def test_enums_count_as_their_values() -> None:
    assert accepted(changed("turn.end", status=Status.OK) | {"v": Version.ONE})


def test_cyclic_lists_are_judged_like_any_list() -> None:
    cyclic: list[Any] = []
    cyclic.append(cyclic)
    assert accepted(changed("tool.response", result=cyclic))
    assert fault_path(changed("welcome", features=cyclic)) == "welcome.features"
    assert fault_path(changed("bind.state", bindings=cyclic)) == "bind.state.bindings[0]"
    assert fault_path(cyclic) == "envelope"


@given(st.text())
def test_any_text_gets_a_verdict(text: str) -> None:
    assert parse_hook_message(text).ok is False


@given(st.text(st.characters(categories=["L", "N", "P", "Cs", "Cc"])))
def test_texts_with_surrogates_get_a_verdict(text: str) -> None:
    assert parse_hook_message(f'{{"v":1,"{text}":1}}').ok is False


@given(st.binary() | json_values)
def test_any_object_gets_a_verdict(raw: object) -> None:
    assert parse_hook_message(raw).ok is False


@given(st.sampled_from(HOOK_MESSAGE_TYPES), st.dictionaries(st.text(), json_values), json_values)
def test_any_payload_gets_a_verdict(type: str, extra: dict[str, Any], value: object) -> None:
    frame = good(type)
    for name in [*frame["payload"], *extra]:
        other = {**frame, "payload": {**frame["payload"], **extra, name: value}}
        text = json.dumps(other)
        assert parse_hook_message(other).path == parse_hook_message(text).path


@given(frames(MESSAGES.values()))
def test_drawn_frames_are_accepted(frame: dict[str, Any]) -> None:
    result = parse_hook_message(frame)
    assert result.ok, result.error


@given(messages(MESSAGES.values()))
def test_writing_and_parsing_is_the_identity(message: Any) -> None:
    text = serialize_hook_message(message)
    again = parse_hook_message(text)
    assert again.message == message, again.error
    assert again.message is not None
    assert serialize_hook_message(again.message) == text
    # Beyond 2**53 one double has two Python forms, an int and a float.
    assert same_json(again.message.body.to_wire(), message.body.to_wire())


def test_a_body_made_in_a_run_equals_the_one_that_is_read() -> None:
    message = parse_hook_message(good("turn.progress")).message
    assert message is not None
    assert message.body == TurnProgress(request_id="r-1", text="Reading files …")
