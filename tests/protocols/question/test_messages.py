"""Declarations of what crosses: examples, schemas, faults, and every recorded request."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from hypothesis import given, settings

from sim.core.http import HttpRequest
from sim.protocols import question
from sim.protocols.question.before import BeforeTool
from sim.protocols.question.messages import MESSAGES, shape_of, told
from sim.protocols.question.parse import (
    content_fault,
    parse_question_message,
    serialize_question_message,
)
from sim.protocols.question.says import of_request
from sim.protocols.question.words import SAYINGS
from sim.wire.build import builder_name
from sim.wire.describe import describe
from sim.wire.schema import json_schema
from sim.wire.spec import Anything, Choice, Text
from sim.wire.strategies import frames

SCHEMA = json_schema(MESSAGES.values())
WHOLE = jsonschema.Draft202012Validator(SCHEMA)
VALIDATORS = {
    name: jsonschema.Draft202012Validator({**one, "$defs": SCHEMA["$defs"]})
    for name, one in zip(MESSAGES, SCHEMA["oneOf"], strict=True)
}
FIELDS = [
    (name, field)
    for name, cls in MESSAGES.items()
    for field in cls.FIELDS
    if not isinstance(field.kind, Anything)
]
OTHER_NAMES = {"pending", "question.item"}


def good(name: str) -> dict[str, Any]:
    """The example of a message."""
    frame: dict[str, Any] = MESSAGES[name].enclose("m-1", 1_795_977_318_638, MESSAGES[name].EXAMPLE)
    return json.loads(json.dumps(frame))


def changed(name: str, **fields: Any) -> dict[str, Any]:
    frame = good(name)
    frame["content"] |= fields
    return frame


@pytest.mark.parametrize("name", MESSAGES)
def test_each_example_is_accepted_fits_its_schema_and_is_built_from_its_fields(name: str) -> None:
    frame = good(name)
    for raw in (frame, json.dumps(frame)):
        verdict = parse_question_message(raw)
        assert verdict.ok, verdict.error
        assert verdict.message.wire == frame
        assert verdict.message.body.to_wire() == frame["content"]
    assert VALIDATORS[name].is_valid(frame)
    assert WHOLE.is_valid(frame)
    built = getattr(question, builder_name(name))(**frame["content"])
    assert built.body.to_wire() == frame["content"]
    assert json.loads(serialize_question_message(built)) == built.wire
    assert shape_of(frame) is MESSAGES[name]
    assert told(frame) == (name, frame["content"])


class Odd(dict[str, Any]):
    """An object that this program might hold instead of a plain one."""


def test_objects_of_this_program_are_judged_and_written_as_plain_ones() -> None:
    frame = good("sendMessage")
    odd = Odd(frame, content=Odd(frame["content"], reply_markup=Odd(inline_keyboard=[[]])))
    assert parse_question_message(odd).ok
    odd["content"] = Odd(frame["content"], reply_markup=Odd(inline_keyboard=[5]))
    assert parse_question_message(odd).path == "sendMessage.reply_markup.inline_keyboard[0]"
    assert json.loads(serialize_question_message(frame)) == frame


def test_what_is_declared_is_what_diagrams_can_say() -> None:
    known = set(MESSAGES) - OTHER_NAMES
    assert known <= set(SAYINGS)
    for name in known:
        fields = {field.name for field in MESSAGES[name].FIELDS}
        assert fields <= {*SAYINGS[name].fields, *PARTS_OF_ANOTHER.get(name, ())}, name


PARTS_OF_ANOTHER = {"message": {"reply_to_message"}}


@pytest.mark.parametrize(("name", "field"), FIELDS, ids=lambda one: getattr(one, "name", one))
def test_a_wrong_value_in_any_field_is_refused_with_its_path(name: str, field: Any) -> None:
    wrong: Any = 7 if isinstance(field.kind, Text | Choice) else "no"
    frame = changed(name, **{field.name: wrong})
    verdict = parse_question_message(frame)
    assert verdict.path == f"{name}.{field.name}"
    assert not VALIDATORS[name].is_valid(frame)
    missing = good(name)
    missing["content"].pop(field.name, None)
    assert parse_question_message(missing).ok is field.optional


@pytest.mark.parametrize(
    ("raw", "path"),
    [
        ("{", None),
        ("5", "message"),
        ([], "message"),
        ({}, "is"),
        ({"is": "teleport"}, "is"),
        ({"is": 5}, "is"),
        ({"is": "getMe", "at": 1, "content": {}}, "message.id"),
        ({"is": "getMe", "id": "1", "at": "x", "content": {}}, "message.at"),
        ({"is": "getMe", "id": "1", "at": 1, "content": []}, "message.content"),
    ],
)
def test_what_is_no_message_is_refused(raw: Any, path: str | None) -> None:
    verdict = parse_question_message(raw)
    assert (verdict.ok, verdict.path) == (False, path)


@pytest.mark.parametrize(
    ("request_", "name", "path"),
    [
        (HttpRequest("GET", "/question", (("directory", "/p"),)), "GET /question", None),
        (
            HttpRequest("POST", "/question/que_1/reply", (), {"answers": ["A"]}),
            "POST /question/{requestID}/reply",
            ".answers[0]",
        ),
        (HttpRequest("POST", "/bott/sendMessage", (), {"chat_id": 1}), "sendMessage", ".text"),
        (BeforeTool("question", "ses_1", "call_A"), "tool.execute.before", None),
        (HttpRequest("GET", "/elsewhere"), "", "is"),
    ],
)
def test_a_request_of_a_trace_is_judged_by_what_it_says(
    request_: Any, name: str, path: str | None
) -> None:
    frame = msgspec.to_builtins(request_)
    assert (told(frame)[0], shape_of(frame)) == (name, MESSAGES.get(name))
    verdict = parse_question_message(frame)
    assert verdict.path == (path and (name + path if name else path))
    assert verdict.ok is (path is None)
    if verdict.message is not None:
        assert verdict.message.type == name
        assert content_fault(name, verdict.message.body.to_wire()) is None


@pytest.mark.parametrize(
    ("name", "fields", "path"),
    [
        ("POST /question/{requestID}/reply", {"answers": ["A"]}, ".answers[0]"),
        ("POST /question/{requestID}/reply", {"answers": [["A", 1]]}, ".answers[0]"),
        ("sendMessage", {"chat_id": None}, ".chat_id"),
        ("sendMessage", {"chat_id": [1]}, ".chat_id"),
        ("sendMessage", {"text": ""}, ".text"),
        (
            "sendMessage",
            {"reply_markup": {"inline_keyboard": [[], [{"text": "A", "callback_data": "x" * 65}]]}},
            ".reply_markup.inline_keyboard[1][0].callback_data",
        ),
        ("answerCallbackQuery", {"text": "x" * 201}, ".text"),
        ("getUpdates", {"offset": "x"}, ".offset"),
        ("getUpdates", {"timeout": 1.5}, ".timeout"),
        ("getUpdates", {"offset": "-1", "timeout": "30"}, None),
        ("pending", {"chatId": -42}, None),
        ("pending", {"chatId": True}, ".chatId"),
        ("pending", {"options": [{"value": "A"}]}, ".options[0].label"),
        ("question.item", {"tool": {"messageID": "m"}}, ".tool.callID"),
        ("question.item", {"later": [1]}, None),
        ("tool.execute.before", {"args": 5}, None),
    ],
)
def test_rules_within_a_content_are_kept(name: str, fields: Any, path: str | None) -> None:
    frame = changed(name, **fields)
    fault = content_fault(name, frame["content"])
    assert (fault and fault[0]) == (path and name + path)
    assert parse_question_message(frame).ok is (path is None)
    assert VALIDATORS[name].is_valid(frame) is (path is None or "callback_data" in path)


@settings(max_examples=60)
@given(frames(MESSAGES.values()))
def test_drawn_messages_are_accepted_and_fit_the_schema(frame: dict[str, Any]) -> None:
    verdict = parse_question_message(frame)
    assert verdict.ok, verdict.error
    assert VALIDATORS[frame["is"]].is_valid(frame)


@pytest.mark.parametrize("name", MESSAGES)
def test_each_declaration_explains_itself(name: str) -> None:
    described = json.loads(json.dumps(describe(MESSAGES[name])))
    assert described["summary"].endswith(".")
    assert described["section"][0].isdigit()
    assert hasattr(question, described["builder"])


GOLDEN = Path(__file__).parents[2] / "data" / "question" / "golden"


def test_every_recorded_request_update_and_entry_is_legal() -> None:
    seen: dict[str, int] = {}

    def check(name: str, content: Any) -> None:
        seen[name] = seen.get(name, 0) + 1
        assert content_fault(name, content) is None

    for file in sorted(GOLDEN.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            _check_line(json.loads(line), check)
    assert seen.keys() >= {
        "sendMessage",
        "getUpdates",
        "POST /question/{requestID}/reply",
        "pending",
        "question.item",
        "callback_query",
        "message",
    }


def _check_line(line: dict[str, Any], check: Any) -> None:
    request, response = line.get("request", {}), line.get("response") or {}
    if "path" in request:
        asked = HttpRequest(
            request["method"], request["path"], tuple(request["query"].items()), request["body"]
        )
        said = of_request(asked)
        assert said is not None
        check(*said)
    if line.get("to") == "store" and request.get("op") == "write":
        for entry in response["state"].values():
            if entry["type"] == "question":
                check("pending", entry)
    body = response.get("body")
    if isinstance(body, list) and request["path"] == "/question":
        for item in body:
            check("question.item", item)
    if isinstance(body, dict) and isinstance(body.get("result"), list):
        for update in body["result"]:
            kind = "callback_query" if "callback_query" in update else "message"
            check(kind, {**update[kind], "update_id": update["update_id"]})
