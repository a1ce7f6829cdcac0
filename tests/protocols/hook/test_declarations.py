"""What is derived from the declarations: schema, explanations, vocabulary."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given

from sim.protocols.hook import HOOK_MESSAGE_TYPES, MESSAGES, parse_hook_message
from sim.protocols.hook import constants as hook_constants
from sim.wire.describe import describe
from sim.wire.schema import json_schema
from sim.wire.strategies import frames
from sim.wire.vocabulary import Vocabulary
from tests.protocols.hook.frames_for_tests import corpus, good

SCHEMA = json_schema(MESSAGES.values())

# Fields whose conditions JSON Schema cannot say: equal fields, membership in
# another field, unique ids, URLs, UTF-16 lengths, the value of long decimals.
BEYOND_SCHEMA = {
    "hello.defaultWorkspace",
    "turn.reopen.requestId",
    "group.message.text",
    "group.message.fileNames",
    "group.message.author.id",
    "provider.behavior.set.groupActivation.chatId",
    "provider.behavior.state.groupActivation",
    "connectUrl",
    "remediationUrl",
    "].id",
}


def _validators() -> dict[str, jsonschema.Draft202012Validator]:
    definitions = {"$defs": SCHEMA["$defs"]}
    return {
        type: jsonschema.Draft202012Validator({"$ref": f"#/$defs/{type}", **definitions})
        for type in HOOK_MESSAGE_TYPES
    }


def _beyond_schema(path: str | None) -> bool:
    return path is not None and any(path.endswith(end) for end in BEYOND_SCHEMA)


def test_the_schema_is_a_valid_schema_of_2020_12() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    json.dumps(SCHEMA)


def test_the_whole_schema_tells_the_types_apart() -> None:
    validator = jsonschema.Draft202012Validator(SCHEMA)
    assert all(validator.is_valid(good(type)) for type in HOOK_MESSAGE_TYPES)
    assert not validator.is_valid(good("ping") | {"type": "pang"})


def test_schema_and_parser_agree_on_the_corpus_as_far_as_a_schema_can() -> None:
    validators = _validators()
    too_strict, too_lax = [], []
    for record in corpus():
        if record["type"] not in validators or "raw" not in record:
            continue
        try:
            frame = json.loads(record["raw"])
        except ValueError:
            continue
        if not isinstance(frame, dict) or frame.get("type") not in HOOK_MESSAGE_TYPES:
            continue
        fits = validators[frame["type"]].is_valid(frame)
        if record["ok"] and not fits:
            too_strict.append((record["n"], record["case"]))
        if fits and not record["ok"] and not _beyond_schema(record["path"]):
            too_lax.append((record["n"], record["case"], record["path"]))
    assert too_strict == []
    assert too_lax == []


@given(frames(MESSAGES.values()))
def test_drawn_frames_fit_the_schema(frame: dict[str, Any]) -> None:
    assert _VALIDATORS[frame["type"]].is_valid(frame)


_VALIDATORS = _validators()


@pytest.mark.parametrize("type", HOOK_MESSAGE_TYPES)
def test_each_type_explains_itself_with_an_example_that_parses(type: str) -> None:
    told = json.loads(json.dumps(describe(MESSAGES[type])))
    assert told["type"] == type
    assert told["direction"] in ("desktop>server", "server>desktop", "both")
    assert told["summary"].endswith(".")
    assert told["section"].startswith("§5")
    assert parse_hook_message(told["example"]).ok
    assert all(sentence.endswith(".") for sentence in told["linkage"])


def test_an_explanation_names_nested_fields_limits_and_rules() -> None:
    told = describe(MESSAGES["turn.end"])
    fields = {field["name"]: field for field in told["fields"]}
    assert fields["status"]["enum"] == ["ok", "error", "cancelled"]
    assert fields["usage.durationMs"]["nullable"]
    assert fields["attachments"]["limits"] == {"max": 16}
    assert fields["attachments[].mimeType"]["required"]
    assert told["linkage"] == [
        "errorMessage is set exactly when status is error; otherwise it is null."
    ]
    assert describe(MESSAGES["turn.reopen"])["feature"] == {
        "name": "turn-reopen-v1",
        "announced_by": "welcome",
    }


def test_the_vocabulary_knows_fields_and_enum_values() -> None:
    words = Vocabulary(MESSAGES.values())
    assert words.frame_types() == HOOK_MESSAGE_TYPES
    assert words.fields("turn.progress") == ("requestId", "text")
    assert "source.threadContext.author" in words.fields("task.dispatch")
    assert words.enum_values("task.ack")["result"] == ("accepted", "queued", "rejected")
    assert words.enum_values("interaction.request")["buttons.style"][0] == "primary"
    assert words.direction("ping") == "both"
    with pytest.raises(KeyError):
        words.fields("msg.op")


def test_gates_name_features_that_exist() -> None:
    features = {v for k, v in vars(hook_constants).items() if k.startswith("HOOK_FEATURE_")}
    gates = {cls.GATE for cls in MESSAGES.values() if cls.GATE is not None}
    assert {gate.feature for gate in gates} <= features
    assert {gate.announced_by for gate in gates} <= {"hello", "welcome", "both"}


def test_default_behaviour_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        hook_constants.DEFAULT_TELEGRAM_BEHAVIOR["emojiReactions"] = "off"  # type: ignore[index]
