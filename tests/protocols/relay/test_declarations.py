"""Every declaration: its example, its schema, its explanation, and a fault in each field."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings

from sim.protocols.relay import (
    ACTIONS,
    DECLARED,
    ERROR_CODES,
    EVENTS,
    MESSAGES,
    RELAY_MESSAGE_TYPES,
    action_fault,
    answer_fault,
    codes,
    constants,
    parse_relay_message,
)
from sim.wire.describe import describe
from sim.wire.schema import json_schema
from sim.wire.spec import Anything, Choice, Number, Text
from sim.wire.strategies import frames, payloads
from sim.wire.vocabulary import Vocabulary
from tests.protocols.relay.frames_for_tests import (
    accepted,
    changed,
    fault_of,
    golden_files,
    golden_frames,
    good,
    without,
)

SCHEMA = json_schema(DECLARED.values())
VALIDATORS = {
    name: jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]})
    for name in DECLARED
}


def own_fields() -> Iterator[tuple[str, str]]:
    """(declaration, wire name) of each field of a family or an event that is looked at."""
    for name, cls in {**MESSAGES, **EVENTS}.items():
        for field in cls.FIELDS:
            if not isinstance(field.kind, Anything):
                yield name, field.name


def family(name: str) -> str:
    return "event" if name in EVENTS else name


def test_there_are_15_families_as_the_protocol_lists_them() -> None:
    assert RELAY_MESSAGE_TYPES == constants.MESSAGE_TYPES
    assert len(MESSAGES) == 15
    assert len(ACTIONS) == 17
    assert all(name.isascii() for name in DECLARED)
    assert len(DECLARED) == len(MESSAGES) + len(EVENTS) + len(ACTIONS) + 1


@pytest.mark.parametrize("name", DECLARED)
def test_the_example_of_each_declaration_is_accepted_and_fits_the_schema(name: str) -> None:
    frame = good(name)
    assert accepted(frame)
    assert accepted(json.dumps(frame))
    assert VALIDATORS[name].is_valid(frame)


def test_the_whole_schema_is_valid_and_tells_the_families_apart() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    whole = jsonschema.Draft202012Validator(json_schema(MESSAGES.values()))
    assert all(whole.is_valid(good(name)) for name in DECLARED)
    assert not whole.is_valid(good("ping") | {"messageType": "pang"})


@pytest.mark.parametrize(("name", "field"), list(own_fields()))
def test_a_wrong_value_in_any_field_is_refused_with_its_path(name: str, field: str) -> None:
    kind = next(f for f in DECLARED[name].FIELDS if f.name == field)
    wrong: Any = ["no"] if not isinstance(kind.kind, Text | Choice) else 7
    if name in EVENTS and field == "type":  # another type is another declaration
        assert fault_of(changed(name, type=wrong)) == ("event.type", "invalid_envelope")
        return
    if type(kind.kind).__name__ == "ListOf":
        wrong = [7]
    frame = changed(name, **{field: wrong})
    path, code = fault_of(frame)
    assert path == f"{family(name)}.{field}"
    assert code in ERROR_CODES
    assert not VALIDATORS[name].is_valid(frame)


@pytest.mark.parametrize(("name", "field"), list(own_fields()))
def test_a_field_is_demanded_exactly_where_it_is_declared_so(name: str, field: str) -> None:
    if field not in good(name)["payload"]:
        return
    one = next(f for f in DECLARED[name].FIELDS if f.name == field)
    frame = without(name, field)
    demanded = not one.optional or (name, field) in {
        ("command", "replayNonce"),
        ("command", "tabSessionId"),
    }
    assert accepted(frame) is not demanded
    if demanded:
        assert fault_of(frame)[0] == f"{family(name)}.{field}"
    null = changed(name, **{field: None})
    assert accepted(null) is one.nullable


def test_schema_and_parser_agree_on_every_recorded_frame() -> None:
    whole = {name: VALIDATORS[name] for name in MESSAGES}
    for file in golden_files():
        for _, _, frame in golden_frames(file):
            if isinstance(frame, dict) and frame.get("messageType") in whole:
                fits = whole[frame["messageType"]].is_valid(frame)
                assert fits is accepted(frame), frame


@settings(max_examples=60)
@given(frames(DECLARED.values()))
def test_drawn_frames_are_accepted_and_fit_the_schema(frame: dict[str, Any]) -> None:
    verdict = parse_relay_message(frame)
    assert verdict.ok, verdict.error
    assert VALIDATORS[frame["messageType"]].is_valid(frame)


@pytest.mark.parametrize("name", DECLARED)
def test_each_declaration_explains_itself(name: str) -> None:
    told = json.loads(json.dumps(describe(DECLARED[name])))
    assert told["type"] == name
    assert told["summary"].endswith(".")
    assert told["section"] in vars(constants).values() or told["section"]
    assert told["unknown_fields"] == "ignored"  # OT-64: changes are additive
    assert (told["answer"] is not None) is (told["builder"] == "make_command" and name != "command")
    assert all(sentence.endswith(".") for sentence in told["linkage"])


def test_the_vocabulary_knows_fields_and_enum_values() -> None:
    words = Vocabulary(MESSAGES.values())
    assert words.frame_types() == RELAY_MESSAGE_TYPES
    assert words.fields("tab_unlock") == ("targetNodeId", "tabSessionId")
    assert words.enum_values("command")["waitPolicy"] == ("fail_fast", "wait_with_timeout")
    assert words.direction("result") == "node>controller"


@pytest.mark.parametrize("action", ACTIONS)
def test_inner_payloads_and_answers_are_judged_by_their_action(action: str) -> None:
    cls = ACTIONS[action]
    example = copy.deepcopy(cls.EXAMPLE)
    assert action_fault(action, example) is None
    demanded = [field for field in cls.FIELDS if not field.optional]
    for field in demanded:
        fault = action_fault(action, {n: v for n, v in example.items() if n != field.name})
        assert fault is not None
        assert fault[0] == f"{action}.{field.name}"
    assert cls.ANSWER is not None
    fault = answer_fault(action, {})
    wanted = [field.name for field in cls.ANSWER.FIELDS if not field.optional]
    assert (fault is None) is (wanted == [])
    assert fault is None or fault[0] == f"{action}.{wanted[0]}"


@given(payloads(ACTIONS["command.run"]))
def test_drawn_inner_payloads_are_good(payload: dict[str, Any]) -> None:
    assert action_fault("command.run", payload) is None


INTERCEPT = {"listener": "network.http_intercept"}
TAB = {"tabSessionId": "tab_1", "site": "Example.com"}


@pytest.mark.parametrize(
    ("options", "path"),
    [
        ({**TAB}, None),
        ({**TAB, "mode": "hybrid", "maxBodyBytes": 1, "mimeTypes": ["text/"]}, None),
        ({**TAB, "ofNextYear": 1}, None),
        ({"site": "x"}, ".tabSessionId"),
        ({"tabSessionId": "t"}, ".site"),
        ({**TAB, "mode": "debugger"}, ".mode"),
        ({**TAB, "maxBodyBytes": 0}, ".maxBodyBytes"),
        ({**TAB, "maxBodyBytes": -1}, ".maxBodyBytes"),
        ({**TAB, "maxBodyBytes": "256000"}, ".maxBodyBytes"),
        ({**TAB, "urlPatterns": "*"}, ".urlPatterns"),
        ({**TAB, "includeHeaders": 1}, ".includeHeaders"),
        (7, ""),
    ],
)
def test_options_of_http_intercept_are_judged_field_by_field(options: Any, path: Any) -> None:
    fault = action_fault("listener.subscribe", {**INTERCEPT, "options": options})
    assert (fault and fault[0]) == (path if path is None else f"listener.subscribe.options{path}")


def test_options_of_undeclared_listeners_are_free() -> None:
    assert (
        action_fault("listener.subscribe", {"listener": "site.chat", "options": {"a": 1}}) is None
    )
    assert action_fault("listener.subscribe", INTERCEPT) == (
        "listener.subscribe.options",
        "must be given for this listener",
    )


def test_every_code_has_a_category_and_every_fault_a_code() -> None:
    assert {one.category for one in ERROR_CODES.values()} == set(constants.ERROR_CATEGORIES)
    told = {*codes._BY_PATH.values(), *codes._BY_TEXT.values(), "invalid_hello"}
    assert told <= set(ERROR_CODES)
    assert ERROR_CODES["tab_busy"].retryable
    assert not ERROR_CODES["lock_not_held"].retryable
    assert ERROR_CODES["sender_role_mismatch"].category == "auth"


def test_paths_that_have_a_code_are_fields_that_are_declared() -> None:
    known = {f"{name}.{field.name}" for name, cls in MESSAGES.items() for field in cls.FIELDS}
    known |= {f"event.{field.name}" for cls in EVENTS.values() for field in cls.FIELDS}
    known |= {f"envelope.{field}" for field in good("ping")}
    assert set(codes._BY_PATH) <= known


def test_numbers_in_limits_are_those_of_the_constants() -> None:
    lease = next(f for f in MESSAGES["tab_lock"].FIELDS if f.name == "lockLeaseMs")
    assert isinstance(lease.kind, Number)
    assert lease.kind.min == 1
    update = next(f for f in EVENTS["listener_update"].FIELDS if f.name == "updateType")
    assert isinstance(update.kind, Text)
    assert update.kind.max == constants.MAX_UPDATE_TYPE_CHARS == 120
