"""Timestamps, versions, and how long a command may take."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.protocols.relay import CommandDescriptor, TimeoutPolicy, budget_ms, resolved_timeout_ms
from sim.protocols.relay.predicates import LAST_TIMESTAMP_MS, epoch_ms, iso_timestamp
from sim.wire.strategies import json_values

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@given(st.integers(0, LAST_TIMESTAMP_MS))
def test_a_time_is_written_as_the_calendar_says_and_read_back(ts: int) -> None:
    text = iso_timestamp(ts)
    told = (EPOCH + timedelta(milliseconds=ts)).isoformat(timespec="milliseconds")
    assert text == told.replace("+00:00", "Z")
    assert epoch_ms(text) == ts


@settings(max_examples=40)
@given(st.datetimes(timezones=st.timezones()))
def test_an_offset_is_reckoned_with(when: datetime) -> None:
    offset = when.utcoffset() or timedelta()
    if offset.total_seconds() % 60:
        return
    text = when.isoformat(timespec="microseconds")
    assert epoch_ms(text) == (when - EPOCH) // timedelta(microseconds=1000)


READABLE = {
    "1970-01-01T00:00Z": 0,
    "1970-01-01T00:00:00Z": 0,
    "1970-01-01T00:00:00.1Z": 100,
    "1970-01-01T00:00:00,0019999Z": 1,
    "1970-01-01T01:00:00+01:00": 0,
    "1970-01-01T01:30:00+0130": 0,
    "1969-12-31T23:00:00-01": 0,
    "1969-12-31T24:00:00Z": 0,
    "1970-01-01T23:59:00+23:59": 0,
    "2024-02-29T00:00:00Z": 1709164800000,
    "2026-11-29T18:39:37.018Z": 1795977577018,
}


@pytest.mark.parametrize("text", READABLE)
def test_iso_8601_is_read_in_its_spellings(text: str) -> None:
    assert epoch_ms(text) == READABLE[text]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "1795977577018",
        "2026-11-29",
        "2026-11-29T18:39:37",
        "2026-11-29 18:39:37Z",
        "2023-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-04-31T00:00:00Z",
        "2026-04-00T00:00:00Z",
        "2026-11-29T24:00:01Z",
        "2026-11-29T24:00:00.001Z",
        "2026-11-29T25:00:00Z",
        "2026-11-29T18:60:00Z",
        "2026-11-29T18:39:60Z",
        "2026-11-29T18:39:37+24:00",
        "2026-11-29T18:39:37+01:60",
        "2026-11-29T18:39:37Z\n",
        "２026-11-29T18:39:37Z",
    ],
)
def test_what_names_no_instant_is_not_read(text: str) -> None:
    assert epoch_ms(text) is None


def test_times_outside_the_calendar_are_held_at_its_edges() -> None:
    assert iso_timestamp(-1) == "1970-01-01T00:00:00.000Z"
    assert iso_timestamp(1.9) == "1970-01-01T00:00:00.001Z"
    assert iso_timestamp(LAST_TIMESTAMP_MS + 1) == "9999-12-31T23:59:59.999Z"


POSTS = {
    "defaultMs": 60000,
    "scaling": {
        "inputField": "minReturnedPosts",
        "baseMs": 45000,
        "perUnitMs": 2000,
        "minMs": 45000,
        "maxMs": 300000,
    },
}


def scaled(**scaling: object) -> dict[str, Any]:
    return {"defaultMs": 5000, "scaling": {"inputField": "n", "perUnitMs": 100, **scaling}}


@pytest.mark.parametrize(
    ("policy", "inputs", "timeout"),
    [
        (POSTS, {"minReturnedPosts": 20}, 85000),
        (POSTS, {"minReturnedPosts": 200}, 300000),
        (POSTS, {}, 60000),
        (POSTS, {"minReturnedPosts": -3}, 45000),
        (POSTS, {"minReturnedPosts": "20"}, 60000),
        (POSTS, {"minReturnedPosts": True}, 60000),
        (POSTS, {"minReturnedPosts": float("inf")}, 60000),
        (None, {}, 30000),
        ({}, {}, 30000),
        ({"defaultMs": 100}, {}, 1000),
        ({"defaultMs": 2500.9}, {}, 2500),
        ({"defaultMs": "60000"}, {}, 30000),
        (scaled(), {"n": 3}, 5300),
        (scaled(baseMs=1000), {"n": 2.55}, 1255),
        (scaled(perUnitMs=0), {"n": 3}, 5000),
        (scaled(minMs=9000), {}, 9000),
        (scaled(minMs=9000, maxMs=2000), {}, 2000),
        (scaled(maxMs=0), {}, 1000),
        (scaled(perUnitMs=-100), {"n": 30}, 2000),
        ({"scaling": {"maxMs": 7000}}, {}, 7000),
        ({"scaling": 7}, {}, 30000),
    ],
)
def test_a_timeout_is_computed_from_the_policy(
    policy: dict[str, Any] | None, inputs: dict[str, Any], timeout: int
) -> None:
    assert resolved_timeout_ms(policy, inputs) == timeout


@pytest.mark.parametrize("explicit", [1, 0, 30000, 1e9])
def test_what_the_user_asks_for_always_wins(explicit: float) -> None:
    assert resolved_timeout_ms(POSTS, {"minReturnedPosts": 20}, explicit) == explicit


@given(json_values, st.dictionaries(st.just("n"), json_values))
def test_any_policy_gives_a_whole_number_of_at_least_a_second(
    policy: Any, inputs: dict[str, Any]
) -> None:
    whole = policy if isinstance(policy, dict) else {"scaling": policy, "defaultMs": policy}
    timeout = resolved_timeout_ms({**scaled(), **whole}, inputs)
    assert timeout == int(timeout) >= 1000


def test_a_budget_keeps_within_the_bounds_of_the_relay() -> None:
    assert budget_ms(None) == 30000
    assert [budget_ms(one) for one in (0, -5, 999, 1000, 1500.7, 600000, 1e9)] == [
        1000,
        1000,
        1000,
        1000,
        1500,
        600000,
        600000,
    ]


def test_a_policy_is_part_of_a_descriptor() -> None:
    wire = {"site": "s", "id": "i", "displayName": "d", "description": "e", "timeoutPolicy": POSTS}
    told = CommandDescriptor.from_wire(wire)
    assert isinstance(told.timeout_policy, TimeoutPolicy)
    assert told.to_wire() == wire
