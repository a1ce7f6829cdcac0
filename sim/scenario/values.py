"""Values inside a scenario: JSON literals, bare words, names, durations, quoted texts."""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction

from sim.scenario.source import Span
from sim.scenario.syntax import Name

NAME = re.compile(r"[A-Z][0-9]+")
# A bare word ends at whatever could be the start of something else.
BARE_WORD = re.compile(r"[^\s,()\[\]{}\"'=~|<>]+")
DURATION = re.compile(r"(?P<number>[0-9]{1,12}(?:\.[0-9]{1,6})?)(?P<unit>us|ms|s|m|h|d)")
UNITS_US = {"us": 1, "ms": 1000, "s": 10**6, "m": 60 * 10**6, "h": 3600 * 10**6, "d": 86400 * 10**6}
DURATION_EXAMPLES = ("20ms", "3s", "10m", "8h", "1d")
LONGEST_US = 3660 * UNITS_US["d"]
DEEPEST_VALUE = 50


def read_duration(at: Span) -> int:
    """``3s`` in microseconds."""
    found = DURATION.fullmatch(at.text)
    if found is None:
        raise at.fail(f"{at.text[:40]!r} is no duration", DURATION_EXAMPLES)
    exact = Fraction(found["number"]) * UNITS_US[found["unit"]]
    if exact.denominator != 1:
        raise at.fail("time is counted in whole microseconds", DURATION_EXAMPLES)
    if exact > LONGEST_US:
        raise at.fail("no run takes longer than ten years", DURATION_EXAMPLES)
    return int(exact)


def duration_of(text: str) -> int:
    """A duration that :func:`read_duration` has accepted, in microseconds."""
    found = DURATION.fullmatch(text)
    assert found is not None
    return int(Fraction(found["number"]) * UNITS_US[found["unit"]])


def read_range(at: Span) -> tuple[int, int]:
    """``20ms..80ms``, or ``3s`` for exactly that."""
    if ".." not in at.text:
        exact = read_duration(at)
        return exact, exact
    split = at.text.index("..")
    low, high = read_duration(at.cut(0, split)), read_duration(at.cut(split + 2))
    if low > high:
        raise at.fail("the range starts above its end", ("20ms..80ms",))
    return low, high


def read_name(at: Span) -> Name:
    """``R1``."""
    if NAME.fullmatch(at.text) is None:
        raise at.fail(f"{at.text[:40]!r} is no name", ("R1", "A1", "a capital letter and a number"))
    return Name(at.text)


def read_string(at: Span) -> str:
    """``"text"`` with the escapes of JSON."""
    if len(at.text) < 2 or not (at.text.startswith('"') and at.text.endswith('"')):
        raise at.fail("a text in double quotes is expected", ('"text"',))
    value = read_json(at)
    if not isinstance(value, str):
        raise at.fail("a text in double quotes is expected", ('"text"',))
    return value


def read_integer(at: Span, largest: int = 2**63 - 1) -> int:
    """A whole number from 0."""
    if re.fullmatch(r"[0-9]{1,19}", at.text) is None or int(at.text) > largest:
        raise at.fail(f"{at.text[:40]!r} is no whole number up to {largest}", ("0", "1", "2"))
    return int(at.text)


def read_json(at: Span) -> object:
    """A JSON value; doubled keys, surrogates, and numbers that no other program reads (NaN,
    1e999) are refused as well."""
    if _depth(at.text) > DEEPEST_VALUE:
        raise at.fail(f"a value is nested deeper than {DEEPEST_VALUE}")
    try:
        value: object = json.loads(
            at.text,
            parse_constant=_no_constant,
            parse_float=_finite,
            object_pairs_hook=_no_doubles,
        )
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except json.JSONDecodeError as bad:
        raise at.fail(f"no JSON value: {bad.msg}", at=min(bad.pos, len(at.text))) from None
    except UnicodeEncodeError:
        raise at.fail("half of a surrogate pair is no text") from None
    except ValueError as bad:
        raise at.fail(f"no JSON value: {str(bad)[:80]}") from None
    return value


def read_value(at: Span) -> object:
    """What may follow ``name=``: a name, a JSON literal or a bare word."""
    if not at.text:
        raise at.fail("a value is missing", ("a JSON value", "a bare word", "R1"))
    if NAME.fullmatch(at.text):
        return Name(at.text)
    if at.text[0] in '"[{' or at.text in ("true", "false", "null"):
        return read_json(at)
    if re.fullmatch(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", at.text):
        return read_json(at)
    if BARE_WORD.fullmatch(at.text):
        return at.text
    raise at.fail(
        f"{at.text[:40]!r} is neither a JSON value nor one word; quote texts with blanks or signs",
        ("a JSON value", "a bare word", "R1"),
    )


def _depth(text: str) -> int:
    """How deep brackets nest at most (those inside strings count, which only errs early)."""
    depth = deepest = 0
    for sign in text:
        if sign in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif sign in "]}":
            depth -= 1
    return deepest


def _no_constant(text: str) -> object:
    raise ValueError(f"{text} is not JSON")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{text[:40]} is larger than any number that programs exchange")
    return value


def _no_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key stands twice")
    return value
