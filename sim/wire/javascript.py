"""JavaScript's view of strings, keys and numbers, where Python's differs.

The wire is defined by programs that count UTF-16 code units, keep numbers as
IEEE-754 doubles and list integer-like keys first. Everything that depends on
one of these goes through this module.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import Final

SAFE_INTEGER: Final = 2**53 - 1
"""Largest integer n for which n and n + 1 are both exact doubles."""

SURROGATE: Final = re.compile("[\ud800-\udfff]")
_LAST_INDEX: Final = 2**32 - 2
_DIGITS: Final = frozenset("0123456789")
_INDEX = re.compile("0|[1-9][0-9]{0,9}", re.ASCII)
_SPACE: Final = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_CHUNK: Final = 1 << 20


def utf16_length(text: str) -> int:
    """Number of UTF-16 code units: characters beyond U+FFFF count twice."""
    if text.isascii():
        return len(text)
    total = 0
    for start in range(0, len(text), _CHUNK):  # a whole 48 Mi text would need 100 MB at once
        total += len(text[start : start + _CHUNK].encode("utf-16-le", "surrogatepass"))
    return total // 2


def longer_than(text: str, limit: int) -> bool:
    """Whether ``text`` has more than ``limit`` UTF-16 code units, counting only if in doubt."""
    length = len(text)
    if length > limit:
        return True
    return 2 * length > limit and utf16_length(text) > limit


def merged_surrogates(text: str) -> str:
    """``text`` with each high and low surrogate that stand together made one character.

    Lone surrogates stay. To JavaScript both spellings are the same string.
    """
    if SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def trimmed(text: str) -> str:
    """``text`` without white space at both ends, as ``String.prototype.trim`` sees it."""
    return text.strip(_SPACE)


def is_index(key: str) -> bool:
    """Whether an object key is a canonical array index (0 to 2**32 - 2)."""
    if key[:1] not in _DIGITS:
        return False
    return _INDEX.fullmatch(key) is not None and int(key) <= _LAST_INDEX


def ordered_keys(value: Mapping[str, object]) -> Iterable[str]:
    """The keys of an object in JavaScript's order: indices ascending, then by appearance."""
    if not any(key[:1] in _DIGITS for key in value):
        return value
    indices = sorted((key for key in value if is_index(key)), key=int)
    return [*indices, *(key for key in value if not is_index(key))]


def as_double(value: int | float) -> float:
    """The double that JavaScript would hold; integers beyond its range are infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def integer_from_digits(digits: str) -> int | float:
    """The number that an integer literal of JSON denotes, rounded as a double is.

    Below 1e21 it is the ``int`` with the digits that JavaScript prints for the
    double (999999999999999900001 becomes 999999999999999900000), else a float.
    """
    if len(digits) < 16:
        return int(digits)
    number = float(digits)
    return int(number_text(number)) if abs(number) < 1e21 else number


def number_text(value: int | float) -> str:
    """The shortest text that JavaScript prints; ``null`` where JSON has no number."""
    if type(value) is int and -SAFE_INTEGER <= value <= SAFE_INTEGER:
        return str(value)
    number = as_double(value)
    if not math.isfinite(number):
        return "null"
    if number == 0:
        return "0"  # minus zero loses its sign
    sign = "-" if number < 0 else ""
    digits, point = _digits_and_point(abs(number))
    return sign + _laid_out(digits, point)


def _digits_and_point(number: float) -> tuple[str, int]:
    """Significant digits d and position n of the point: number = 0.d * 10**n."""
    mantissa, _, exponent = repr(number).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    return digits.rstrip("0"), point


def _laid_out(digits: str, point: int) -> str:
    count = len(digits)
    if count <= point <= 21:
        return digits + "0" * (point - count)
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    shown = digits if count == 1 else f"{digits[0]}.{digits[1:]}"
    return f"{shown}e{point - 1:+d}"
