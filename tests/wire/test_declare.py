"""Declarations, generated validators and messages, with a small protocol of its own."""

from __future__ import annotations

import linecache
import traceback
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.wire.absent import ABSENT, Absent
from sim.wire.build import builder
from sim.wire.declare import Body, Record, message, record, wire
from sim.wire.describe import describe
from sim.wire.generate import source_of, validator
from sim.wire.linkage import Fault, JsonObject, Wire, linkage
from sim.wire.message import Message
from sim.wire.result import Accepted, Refused
from sim.wire.spec import SOME_TEXT, AnyObject, Anything, ListOf, Nested, Number, Text
from sim.wire.strategies import frames


class GameBody(Body):
    """Frames that look different from those of any real protocol here."""

    __slots__ = ()

    @classmethod
    def enclose(cls, id: str, ts: int | float, payload: JsonObject, sender: str = "") -> JsonObject:
        return {"kind": cls.TYPE, "no": id, "at": ts, **payload}

    @classmethod
    def payload_in(cls, frame: Wire) -> Wire:
        return frame


@record(unknown="refused first")
class Square(Record):
    """A field of the board."""

    column: str = wire(SOME_TEXT)
    row: int = wire(Number(min=1, integer=True))


@linkage()
def path_has_two_ends(payload: Wire) -> Fault | None:
    """A move has at least a start and an end."""
    return (".path", "must have two squares") if len(payload["path"]) < 2 else None


@message("move", direction="player>table", section="1", example={"path": []})
class Move(GameBody):
    """A piece moves."""

    path: tuple[Square, ...] = wire(
        ListOf(Nested(Square), unique_by="column"), after=(path_has_two_ends,)
    )
    said_aloud: str | Absent | None = wire(Text(), nullable=True, default=ABSENT, name="say")
    extra: Any = wire(Anything(), default=ABSENT)
    options: dict[str, Any] | Absent = wire(AnyObject(), default=ABSENT)


A1 = {"column": "a", "row": 1}
B2 = {"column": "b", "row": 2}


def test_absent_is_a_falsy_singleton_apart_from_none() -> None:
    assert not ABSENT
    assert repr(ABSENT) == "ABSENT"
    assert Absent("ABSENT") is ABSENT
    assert ABSENT is not None


@pytest.mark.parametrize(
    ("payload", "suffix"),
    [
        ({"path": [A1, B2]}, None),
        ({}, ".path"),
        ({"path": [A1, 1]}, ".path[1]"),
        ({"path": [A1, {"column": "b", "row": 0}]}, ".path[1].row"),
        ({"path": [A1, {"column": "b", "row": 1, "z": 1}]}, ".path[1].z"),
        ({"path": [A1, {"column": "a", "row": "x"}]}, ".path[1].column"),
        ({"path": [A1]}, ".path"),
        ({"path": [A1, B2], "say": None}, None),
        ({"path": [A1, B2], "say": 1}, ".say"),
        ({"path": [A1, B2], "options": []}, ".options"),
    ],
)
@pytest.mark.parametrize("lenient", [False, True])
def test_the_first_fault_in_declared_order_is_found(
    payload: JsonObject, suffix: str | None, lenient: bool
) -> None:
    fault = validator(Move, lenient)(payload)
    assert (fault and fault[0]) == suffix


def test_validators_are_made_once_and_can_be_read() -> None:
    check = validator(Move)
    assert validator(Move) is check
    assert "p['path']" in source_of(Move)
    shown = "".join(linecache.getlines(check.__code__.co_filename))
    assert shown == source_of(Move)


def test_a_traceback_through_a_validator_shows_its_line() -> None:
    with pytest.raises(TypeError) as caught:
        validator(Move)(5)
    assert "v = p['path']" in "".join(traceback.format_exception(caught.value))


def test_bodies_are_frozen_and_compare_by_value() -> None:
    move = Move(path=(Square(column="a", row=1),))
    assert move == Move(path=(Square(column="a", row=1),))
    assert hash(move) == hash(Move(path=(Square(column="a", row=1),)))
    with pytest.raises(AttributeError):
        move.path = ()  # type: ignore[misc]
    assert not hasattr(move, "__dict__")


def test_a_message_made_of_a_body_has_its_json_in_declared_order() -> None:
    move = Move(path=(Square(column="a", row=1),), said_aloud=None)
    made = Message("move", "7", 5, move)
    assert list(made.wire.items()) == [
        ("kind", "move"),
        ("no", "7"),
        ("at", 5),
        ("path", [A1]),
        ("say", None),
    ]
    assert made.wire is made.wire
    assert made.body is move


def test_a_message_made_of_json_reads_its_body_when_asked() -> None:
    frame = Move.enclose("7", 5, {"path": [A1, "garbage"], "unknown": 1})
    made = Message.of_wire(Move, frame, "7", 5)
    body = made.body
    assert isinstance(body, Move)
    assert body.path[0] == Square(column="a", row=1)
    assert str(body.path[1]) == "garbage"
    assert body.said_aloud is ABSENT
    assert made.body is body
    assert made.wire is frame


def test_messages_are_equal_when_their_json_is() -> None:
    one = Message("move", "7", 5, Move(path=()))
    two = Message.of_wire(Move, Move.enclose("7", 5, {"path": []}), "7", 5)
    other = Message.of_wire(Move, Move.enclose("7", 5, {"path": [], "more": 1}), "7", 5)
    assert one == two
    assert hash(one) == hash(two)
    assert one != other
    assert one != "move"
    assert repr(one) == "<Message move 7>"


def test_results_are_told_apart_by_ok() -> None:
    good = Accepted(Message("move", "7", 5, Move(path=())))
    bad = Refused.at("move.path", "must be a list")
    assert (good.ok, good.error, good.path) == (True, None, None)
    assert (bad.ok, bad.message, bad.error) == (False, None, "move.path must be a list")
    assert "move.path" in repr(bad)
    assert "move" in repr(good)


def test_a_declaration_without_docstring_is_refused() -> None:
    class Silent(Record):
        text: str = wire(SOME_TEXT)

    with pytest.raises(TypeError, match="docstring"):
        record()(Silent)


def test_a_rule_without_docstring_is_refused() -> None:
    def silent(payload: Wire) -> Fault | None:
        return None

    with pytest.raises(TypeError, match="docstring"):
        linkage()(silent)


def test_a_field_of_any_value_must_be_optional() -> None:
    with pytest.raises(TypeError, match="ABSENT"):
        wire(Anything())


def test_a_body_without_envelope_says_so() -> None:
    with pytest.raises(NotImplementedError):
        Body.enclose("i", 1, {})
    with pytest.raises(NotImplementedError):
        Body.payload_in({})
    with pytest.raises(NotImplementedError):
        Body.frame_schema({})


class LetterBody(Body):
    """Frames whose envelope names its sender."""

    __slots__ = ()
    LAST_TS = 99

    @classmethod
    def enclose(cls, id: str, ts: int | float, payload: JsonObject, sender: str = "") -> JsonObject:
        return {"no": id, "at": ts, "from": sender or cls.SENDERS[0], "in": payload}

    @classmethod
    def payload_in(cls, frame: Wire) -> Wire:
        inner: Wire = frame["in"]
        return inner


@linkage()
def only_the_bank_asks_for_money(frame: Wire) -> Fault | None:
    """A sum is named in letters of the bank only."""
    if "sum" in frame["in"] and frame["from"] != "bank":
        return ".sum", "must not be there unless the bank writes"
    return None


@message(
    "letter",
    direction="both",
    section="2",
    example={"text": "hello"},
    senders=("friend", "bank"),
    around=(only_the_bank_asks_for_money,),
)
class Letter(LetterBody):
    """A letter."""

    text: str = wire(SOME_TEXT)
    sum: int | Absent = wire(Number(), default=ABSENT)


def test_an_envelope_names_the_usual_sender_unless_the_message_names_another() -> None:
    assert Message("letter", "1", 5, Letter(text="a")).wire["from"] == "friend"
    other = Message("letter", "1", 5, Letter(text="a"), sender="bank")
    assert (other.sender, other.wire["from"]) == ("bank", "bank")


def test_a_builder_takes_what_stands_around_the_payload() -> None:
    make = builder(Letter, envelope={"number": "id", "at": "ts", "by": "sender"})
    made = make(text="a", number="7", at=3, by="bank")
    assert made.wire == {"no": "7", "at": 3, "from": "bank", "in": {"text": "a"}}
    assert (made.id, made.ts) == ("7", 3)
    assert make(text="a").wire["from"] == "friend"
    with pytest.raises(TypeError, match=r"'to'; allowed: text, sum, number, at, by"):
        make(text="a", to="you")


def test_the_rules_around_a_payload_are_told_with_the_others() -> None:
    assert describe(Letter)["linkage"] == ["A sum is named in letters of the bank only."]


@given(st.lists(frames([Letter]), min_size=1, max_size=5))
def test_drawn_frames_keep_the_rules_around_and_the_last_time(drawn: list[JsonObject]) -> None:
    for one in drawn:
        assert only_the_bank_asks_for_money.check(one) is None
        assert one["from"] in ("friend", "bank")
        assert 0 <= one["at"] <= 99
