"""The JSON text layer: decoding, encoding, numbers."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sim.wire import deep
from sim.wire.absent import ABSENT
from sim.wire.decode import NotJson, _careful, decode_json, decode_simple
from sim.wire.encode import encode_json
from sim.wire.equality import same_json
from sim.wire.javascript import is_index, number_text, ordered_keys, trimmed, utf16_length
from sim.wire.strategies import json_values

NOT_JSON = [
    "01", "-01", "1.", ".5", "+1", "-", "0x1", "1_0", "1e", "1e+", "NaN", "-Infinity", "Infinity",
    "undefined", "nul", "truex", "//", "/**/1", "[1,]", "{,}", "[,]", "{a:1}", "{1:2}", "'a'",
    "[1}}", "[1]]", "1,2", "[", "{",
    '{"a":1,}', '{"a"}', '{"a":}', '{"a":1]]', '{"a" 1}', '"a', '"\\x"', '"\\u12"', '"\\u12g4"',
    "", " ", "1 2", "\ufeff1", "1\ufeff", "\u00a01", "\v1", "\f1", "1\u2028", '"\t"', '"\x00"',
]  # fmt: skip

JSON = [
    "-0", "-0.0", "1E5", "1e+5", "1e309", "-1e400", "1e-400", "9007199254740993",
    "123456789012345678901234567890", "1" * 5000, '"\\ud800"', '"\ud800"', '"\\ud83d\\ude00"',
    '"\\ud83d\\ud83d\\ude00"', '"\\/\\b\\f\\n\\r\\t\\u00E9"', '"\x7f\u2028"', " \t\r\n1 \n",
    '{"a":1,"b":2,"a":3}', "[[],{},[{}]]", '{"":[null,true,false]}', "[1.5,2]", '{"__proto__":1}',
]  # fmt: skip


@pytest.mark.parametrize("text", NOT_JSON)
def test_what_is_no_json_is_refused_by_both_decoders(text: str) -> None:
    for decode in (decode_json, deep.decode):
        with pytest.raises(NotJson):
            decode(text)


@pytest.mark.parametrize("text", JSON)
def test_the_decoder_without_recursion_agrees_with_the_others(text: str) -> None:
    value = decode_json(text)
    assert same_json(deep.with_merged_surrogates(deep.decode(text)), value)
    assert same_json(_careful.decode(text), value)


def _outcome(decode: Any, text: str) -> str:
    try:
        return repr(decode(text))
    except ValueError:
        return "refused"


@given(st.text(st.sampled_from('0123456789eE+-.{}[]",:\\ \n\tuntrfalse😀\ud800')))
@example("1e5")
@example('{"a":1,"a":[2]}')
def test_all_decoders_judge_every_text_alike(text: str) -> None:
    careful = _outcome(decode_json, text)
    assert _outcome(deep.decode, text) == careful
    try:
        fast = repr(decode_simple(text))
    except (ValueError, RecursionError):
        return
    assert fast == _outcome(_careful.decode, text)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_fast_decoder_rounds_numbers_correctly(number: float) -> None:
    for text in (repr(number), f"{number:.25e}", f"{number:.3e}"):
        assert decode_json(text) == float(text)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=30))
def test_long_decimals_are_rounded_correctly(number: Any) -> None:
    text = format(number, "f")
    assert decode_json(text) == float(text)


@given(json_values)
def test_encoding_and_decoding_is_the_identity(value: Any) -> None:
    text = encode_json(value)
    assert same_json(decode_json(text), value)
    assert encode_json(decode_json(text)) == text


@given(json_values)
def test_the_decoders_give_equal_values_for_any_json(value: Any) -> None:
    text = json.dumps(value)
    assert same_json(decode_json(text), json.loads(text))
    assert same_json(deep.decode(text), json.loads(text))


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"), (-0.0, "0"), (1.0, "1"), (-1.5, "-1.5"), (1e21, "1e+21"), (1e20, "1" + "0" * 20),
        (123456789012345680000.0, "123456789012345680000"), (1e-6, "0.000001"), (1e-7, "1e-7"),
        (1.5e-7, "1.5e-7"), (0.1, "0.1"), (1e16, "10000000000000000"), (5e-324, "5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"), (math.inf, "null"), (math.nan, "null"),
        (2**53, "9007199254740992"), (2**53 + 1, "9007199254740992"), (10**400, "null"),
        (-(10**30), "-1e+30"), (100.25, "100.25"), (123e-20, "1.23e-18"),
    ],
)  # fmt: skip
def test_numbers_are_written_as_javascript_writes_them(number: float, text: str) -> None:
    assert number_text(number) == text
    assert encode_json([number]) == f"[{text}]"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_written_number_reads_back_as_the_same_double(number: float) -> None:
    assert float(number_text(number)) == number


@pytest.mark.parametrize("safe", [True, False], ids=["fast path", "slow path"])
def test_strings_are_escaped_as_javascript_does(safe: bool) -> None:
    value: list[Any] = ['"\\/\b\f\n\r\t\x00\x1f\x7f\u2028é😀']
    text = '"\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\x7f\u2028é😀"'
    if safe:
        assert encode_json(value) == f"[{text}]"
    else:
        assert encode_json([*value, 1.5]) == f"[{text},1.5]"


def test_lone_surrogates_are_escaped_and_pairs_are_not() -> None:
    assert encode_json("\ud800a\udfff") == '"\\ud800a\\udfff"'
    assert encode_json("\ud83d\ude00") == '"😀"'
    assert encode_json({"\udc00": 1}) == '{"\\udc00":1}'


def test_index_keys_are_written_first() -> None:
    value = {"b": 1, "10": 2, "9": 3, "01": 4, "4294967295": 5, "4294967294": 6}
    assert list(ordered_keys(value)) == ["9", "10", "4294967294", "b", "01", "4294967295"]
    assert encode_json({"a": 1, "0": 2}) == '{"0":2,"a":1}'
    assert not is_index("-1")
    assert not is_index("१")


def test_absent_values_are_left_out_of_objects_and_null_in_lists() -> None:
    assert encode_json({"a": ABSENT, "b": [ABSENT], "c": ()}) == '{"b":[null],"c":[]}'


def test_a_value_that_contains_itself_cannot_be_written() -> None:
    one: list[Any] = [[], {"a": []}]
    one.append({"b": one})
    ring: list[Any] = []
    inner = ring
    for _ in range(5000):
        inner.append([])
        inner = inner[0]
    inner.append(ring)
    for value in (one, ring, {"x": [1, ring]}):
        with pytest.raises(ValueError, match="contains itself"):
            encode_json(value)


def test_a_value_may_occur_twice() -> None:
    shared: list[Any] = [1.5]
    value: list[Any] = [shared, [shared, [shared, [shared, shared]]], shared]
    assert encode_json(value) == json.dumps(value, separators=(",", ":"))


def test_foreign_types_are_named_when_they_cannot_be_written() -> None:
    with pytest.raises(TypeError, match="bytes"):
        encode_json({"a": b""})


def test_100000_levels_are_read_compared_and_written() -> None:
    for opening, closing in (("[", "]"), ('{"a":[', "]}")):
        text = opening * 100_000 + "1.5" + closing * 100_000
        value = decode_json(text)
        assert encode_json(value) == text
        assert same_json(value, decode_json(text))


def test_open_brackets_alone_are_refused_at_once() -> None:
    with pytest.raises(NotJson):
        decode_json("[" * 10_000_000)


def test_utf16_length_counts_astral_characters_twice() -> None:
    assert utf16_length("a😀é\ud800") == 5
    assert utf16_length("😀" * 2_000_000) == 4_000_000


def test_trimming_follows_what_javascript_does() -> None:
    assert trimmed("\ufeff\u3000 a \u2029") == "a"
    assert trimmed("\x1c\x85\u200ba") == "\x1c\x85\u200ba"


def test_true_is_not_one_but_numbers_are_compared_by_value() -> None:
    assert not same_json([True], [1])
    assert same_json({"a": 1, "b": [2.0]}, {"b": [2], "a": 1.0})
    assert not same_json({"a": 1}, {"a": 1, "b": 2})
    assert not same_json([1], [1, 2])
    assert not same_json({}, [])
    assert not same_json([], {})
    assert not same_json("a", "b")
