"""What is read at once is good, and means what the parser says that it means."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.protocols.hook import MESSAGES, parse_hook_message
from sim.protocols.hook.swift import SwiftFrame, swift
from sim.wire.absent import ABSENT
from sim.wire.mirror import Mirror
from sim.wire.strategies import frames
from tests.protocols.hook.frames_for_tests import changed, corpus, good, raw_of

read = swift().reader(lambda _: None)
ODD: tuple[Any, ...] = (
    None, "", "x", "|", 0, 1, -1, 1.0, 1.5, -0.0, 10**20, True, False, [], ["a", "a"], {}, {"a": 1},
    "/etc", "https://a@b/c", "\U0001f600", "\ud800", [[[[[1]]]]],
)  # fmt: skip


def same(mine: Any, theirs: Any) -> bool:
    """Whether a mirror holds what the typed object holds, in the same types."""
    if isinstance(mine, tuple):
        return (
            isinstance(theirs, tuple) and len(mine) == len(theirs) and all(map(same, mine, theirs))
        )
    if isinstance(mine, Mirror):
        names = (field.attribute for field in mine.RECORD.FIELDS)
        return all(same(getattr(mine, name, ABSENT), getattr(theirs, name)) for name in names)
    return type(mine) is type(theirs) and bool(mine == theirs)


def agrees(text: str) -> bool:
    """Whether a text was read at once; it has to be as the parser reads it then."""
    frame, verdict = read(text), parse_hook_message(text)
    if frame is None:
        return False
    assert verdict.ok, (text, verdict.error)
    message = verdict.message
    assert (frame.type, frame.id, frame.ts) == (message.type, message.id, message.ts)
    assert same(frame.body, message.body), text
    assert frame.wire == message.wire, text
    return True


def test_whatever_is_read_at_once_of_the_corpus_is_what_the_parser_reads():
    at_once: Counter[tuple[bool, bool]] = Counter()
    for record in corpus():
        text = raw_of(record)
        at_once[agrees(text), parse_hook_message(text).ok] += 1
    assert at_once[True, False] == 0
    assert at_once[True, True] > at_once[False, True] > 0


@pytest.mark.parametrize("kind", MESSAGES)
def test_the_usual_frame_of_each_type_is_read_at_once(kind: str):
    assert agrees(json.dumps(good(kind)))


@settings(max_examples=60)
@given(st.data())
def test_a_field_that_is_changed_is_never_read_at_once_against_the_parser(data: st.DataObject):
    frame: Any = data.draw(frames(MESSAGES.values()))
    places = [frame]
    for place in places:
        places += [one for one in place.values() if isinstance(one, dict)]
        places += [one for some in place.values() if isinstance(some, list)
                   for one in some if isinstance(one, dict)]  # fmt: skip
    place = data.draw(st.sampled_from(places))
    key = data.draw(st.sampled_from([*place, "unheard"]))
    if data.draw(st.booleans()):
        place.pop(key, None)
    else:
        place[key] = data.draw(st.sampled_from(ODD))
    agrees(json.dumps(frame))


@pytest.mark.parametrize(
    "text",
    [
        '{"v":1,"type":"ping","type":"pong","id":"f","ts":0,"payload":{}}',
        '{"v":1,"v":2,"type":"ping","id":"f","ts":0,"payload":{}}',
        '{"v":2,"v":1,"type":"ping","id":"f","ts":0,"payload":{}}',
        '{"v":1.0,"type":"ping","id":"f","ts":0,"payload":{}}',
        '{"v":1,"type":"p\\u0069ng","id":"f","ts":0,"payload":{}}',
        '{"v":1,"type":"ping","id":"f","ts":9007199254740993,"payload":{}}',
        '{"v":1,"type":"ping","id":"f","ts":0,"payload":{},"x":"\\ud800"}',
        '{"v":1,"type":"ping","id":"f","ts":0,"payload":{}} x',
    ],
)
def test_what_json_may_be_in_two_ways_is_read_as_the_parser_does(text: str):
    agrees(text)


def test_rules_between_fields_are_kept():
    assert read(json.dumps(changed("task.ack", result="rejected"))) is None
    assert read(json.dumps(changed("turn.end", status="error"))) is None
    assert read(json.dumps(changed("hello", defaultWorkspace="elsewhere"))) is None
    assert read(json.dumps(changed("task.dispatch", workspace=None))) is None


def test_a_frame_of_more_than_half_the_limit_is_for_the_parser():
    text = json.dumps(good("ping"))
    assert isinstance(read(text), SwiftFrame)
    assert read(text + " " * swift().longest) is None
