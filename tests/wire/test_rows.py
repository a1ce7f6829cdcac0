"""Lists within lists: checked, read, written, described, generated."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
from hypothesis import given

from sim.wire import mirror
from sim.wire.declare import Body, Record, message, record, wire
from sim.wire.describe import describe
from sim.wire.generate import validator
from sim.wire.linkage import JsonObject, Wire
from sim.wire.message import Message
from sim.wire.schema import json_schema
from sim.wire.spec import ANY_TEXT, SOME_TEXT, ListOf, Nested
from sim.wire.strategies import frames
from sim.wire.vocabulary import Vocabulary


@record()
class Key(Record):
    """A key of a keyboard."""

    text: str = wire(SOME_TEXT)


class BoardBody(Body):
    """Frames of nobody."""

    __slots__ = ()

    @classmethod
    def enclose(cls, id: str, ts: int | float, payload: JsonObject, sender: str = "") -> JsonObject:
        return {"kind": cls.TYPE, "no": id, "at": ts, "payload": payload}

    @classmethod
    def payload_in(cls, frame: Wire) -> Wire:
        payload: Wire = frame["payload"]
        return payload

    @classmethod
    def frame_schema(cls, payload: JsonObject) -> JsonObject:
        return {"type": "object", "properties": {"payload": payload}, "required": ["payload"]}


@message("board", direction="a>b", section="1", example={"keys": [[]], "words": [["w"]]})
class Board(BoardBody):
    """Rows of keys, and rows of words."""

    keys: tuple[tuple[Key, ...], ...] = wire(ListOf(ListOf(Nested(Key), max=3)))
    words: tuple[tuple[str, ...], ...] = wire(ListOf(ListOf(ANY_TEXT, min=1), min=1))


GOOD = {"keys": [[{"text": "A"}], []], "words": [["x", "y"], ["z"]]}
FAULTS: list[tuple[Any, str | None]] = [
    (GOOD, None),
    ({**GOOD, "keys": {}}, ".keys"),
    ({**GOOD, "keys": [{}]}, ".keys[0]"),
    ({**GOOD, "keys": [[], [5]]}, ".keys[1][0]"),
    ({**GOOD, "keys": [[], [{"text": "A"}, {"text": ""}]]}, ".keys[1][1].text"),
    ({**GOOD, "keys": [[{"text": "A"}] * 4]}, ".keys[0]"),
    ({**GOOD, "words": []}, ".words"),
    ({**GOOD, "words": [["x"], "y"]}, ".words[1]"),
    ({**GOOD, "words": [["x"], []]}, ".words[1]"),
    ({**GOOD, "words": [["x"], ["y", 5]]}, ".words[1]"),
    ({"keys": []}, ".words"),
]


@pytest.mark.parametrize(("payload", "suffix"), FAULTS)
@pytest.mark.parametrize("lenient", [False, True])
def test_the_first_fault_says_row_and_place(
    payload: JsonObject, suffix: str | None, lenient: bool
) -> None:
    fault = validator(Board, lenient)(payload)
    assert (fault and fault[0]) == suffix


def test_rows_are_read_as_tuples_and_written_back_as_lists() -> None:
    board = Board.from_wire(GOOD)
    assert board.keys == ((Key(text="A"),), ())
    assert board.words == (("x", "y"), ("z",))
    assert board.to_wire() == GOOD
    odd: Any = Board.from_wire({"keys": [5, [6]], "words": "w"})
    assert (odd.keys, odd.words) == ((5, (6,)), "w")


def test_rows_are_described_with_both_lists() -> None:
    told = describe(Board)
    assert [field["name"] for field in told["fields"]] == ["keys", "keys[][].text", "words"]
    assert told["fields"][2]["type"] == "a non-empty list, each a non-empty list, each a string"
    assert Vocabulary([Board]).fields("board") == ("keys", "keys.text", "words")


@given(frames([Board]))
def test_generated_rows_are_good_for_validator_schema_and_mirror(frame: JsonObject) -> None:
    payload = frame["payload"]
    assert validator(Board)(payload) is None
    jsonschema.Draft202012Validator(json_schema([Board])).validate(frame)
    assert Message.of_wire(Board, frame, "1", 1).body.to_wire() == payload
    assert mirror.mirror(Board) is not None
