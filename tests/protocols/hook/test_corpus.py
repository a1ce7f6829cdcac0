"""The parser against 15,168 recorded verdicts of the protocol's own implementation."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from sim.protocols.hook import parse_hook_message, serialize_hook_message, to_wire
from sim.wire.equality import same_json
from tests.protocols.hook.frames_for_tests import corpus, raw_of

# Why a verdict may differ: the tables of international domain names are those
# of the URL library; nesting and the one throw are accidents of the other
# implementation's stack. Ours agrees on all of them today.
SOFT_REASONS = {"url-idna", "deep-nesting", "reference-throws"}


@pytest.fixture(scope="module")
def records() -> list[dict[str, Any]]:
    return list(corpus())


def _finite(value: Any) -> Any:
    """The value with infinities as null, as the recording has them."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and math.isinf(value) else value


def test_every_recorded_frame_is_judged_alike(records: list[dict[str, Any]]) -> None:
    assert len(records) == 15_168
    differing = []
    for record in records:
        result = parse_hook_message(raw_of(record))
        if (result.ok, result.path) != (record["ok"], record["path"]):
            differing.append((record["n"], record["case"], result))
    assert differing == []


def test_soft_records_carry_a_known_reason(records: list[dict[str, Any]]) -> None:
    assert {record["soft"] for record in records if "soft" in record} == SOFT_REASONS


def test_accepted_frames_hold_the_recorded_values(records: list[dict[str, Any]]) -> None:
    compared = 0
    for record in records:
        if "out" in record:
            message = parse_hook_message(raw_of(record)).message
            assert message is not None
            assert same_json(_finite(to_wire(message)), record["out"]), record["n"]
            compared += 1
    assert compared > 40


def test_accepted_frames_are_written_as_recorded(records: list[dict[str, Any]]) -> None:
    for record in records:
        if record["ok"] and "raw" in record:
            message = parse_hook_message(record["raw"]).message
            assert message is not None
            wanted = record.get("ser", record["raw"])
            assert serialize_hook_message(message) == wanted, record["n"]


def test_decoded_objects_are_judged_like_their_texts(records: list[dict[str, Any]]) -> None:
    for record in records:
        if "raw" not in record or record["type"] in ("raw", "nesting"):
            continue
        try:
            decoded = json.loads(record["raw"])
        except (ValueError, RecursionError):
            continue
        result = parse_hook_message(decoded)
        assert (result.ok, result.path) == (record["ok"], record["path"]), record["n"]


def test_every_error_begins_with_its_path(records: list[dict[str, Any]]) -> None:
    for record in records:
        if record["ok"] or "raw" not in record:
            continue
        result = parse_hook_message(record["raw"])
        assert result.error
        if result.path is not None:
            assert result.error.startswith(result.path + " ")


def test_bodies_of_accepted_frames_write_the_known_fields_back(
    records: list[dict[str, Any]],
) -> None:
    for record in records:
        if not record["ok"] or "raw" not in record:
            continue
        message = parse_hook_message(record["raw"]).message
        assert message is not None
        payload = message.wire["payload"]
        written = message.body.to_wire()
        assert written.keys() <= payload.keys(), record["n"]
        known = {field.name for field in type(message.body).FIELDS}
        assert written.keys() == payload.keys() & known, record["n"]
