"""Decoded values to JSON text, letter for letter as ``JSON.stringify`` writes it.

Compact, non-ASCII as it is, lone surrogates escaped, integer-like keys first,
numbers in their shortest form, values that are no number as null, ABSENT left
out (null within lists).
"""

from __future__ import annotations

from collections.abc import Iterator
from json.encoder import encode_basestring
from typing import Any, Final

import msgspec

from sim.wire.absent import ABSENT
from sim.wire.javascript import (
    SAFE_INTEGER,
    SURROGATE,
    merged_surrogates,
    number_text,
    ordered_keys,
)

_FAST_LEVELS: Final = 40
_DIGITS: Final = frozenset("0123456789")
_fast = msgspec.json.Encoder().encode


def encode_json(value: object) -> str:
    """The JSON text of a decoded value, of any depth.

    Raises ValueError for a value that contains itself, TypeError (naming the
    type) for one that is not JSON.
    """
    if _is_simple(value, _FAST_LEVELS):
        try:
            return _fast(value).decode()
        except UnicodeEncodeError:
            pass  # a lone surrogate
    return "".join(_Encoder().pieces(value))


def _is_simple(value: object, levels: int) -> bool:
    """Whether msgspec writes this value exactly as JavaScript does.

    That excludes floats, integers that are no exact doubles and keys that
    may have to be moved to the front. Surrogates it refuses by itself.
    """
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return True
    if kind is int:
        return -SAFE_INTEGER <= value <= SAFE_INTEGER  # type: ignore[operator]
    if levels == 0:
        return False
    if kind is dict:
        for key, item in value.items():  # type: ignore[attr-defined]
            if type(key) is not str or key[:1] in _DIGITS:
                return False
            if type(item) is not str and not _is_simple(item, levels - 1):
                return False
        return True
    if kind is list:
        return all(_is_simple(item, levels - 1) for item in value)  # type: ignore[attr-defined]
    return False


def string_text(text: str) -> str:
    """A string as a JSON literal; surrogates that stand alone are escaped."""
    if SURROGATE.search(text) is None:
        return encode_basestring(text)
    quoted: str = encode_basestring(merged_surrogates(text))
    return SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", quoted)


class _Encoder:
    """Writes without recursion: ``open`` holds what is being written, outermost first.

    A value that contains itself is noticed by Brent's method: one container
    on the way down is remembered, at depths 1, 2, 4, 8 …; meeting it again
    below itself means a cycle.
    """

    def __init__(self) -> None:
        self.open: list[tuple[Iterator[tuple[str, Any]], str]] = []
        self.marked: object = None
        self.marked_depth = 0

    def pieces(self, value: object) -> Iterator[str]:
        yield self._start(value)
        while self.open:
            members, closing = self.open[-1]
            for prefix, item in members:
                yield prefix
                started = self._start(item)
                yield started
                if self.open[-1][0] is not members:
                    break
            else:
                self.open.pop()
                yield closing
                if len(self.open) < self.marked_depth:
                    self.marked = None

    def _start(self, value: object) -> str:
        """Text of a scalar, or the opening bracket of a container that is now open."""
        if isinstance(value, str):
            return string_text(value)
        if value is None or value is ABSENT:
            return "null"
        if value is True:
            return "true"
        if value is False:
            return "false"
        if isinstance(value, int | float):
            return number_text(value)
        if isinstance(value, dict):
            self._enter(value, _object_members(value), "}")
            return "{"
        if isinstance(value, list | tuple):
            self._enter(value, _list_members(value), "]")
            return "["
        raise TypeError(f"a {type(value).__name__} cannot be written as JSON")

    def _enter(self, value: object, members: Iterator[tuple[str, Any]], closing: str) -> None:
        if value is self.marked:
            raise ValueError("the value contains itself and cannot be written as JSON")
        self.open.append((members, closing))
        if self.marked is None or len(self.open) >= 2 * self.marked_depth:
            self.marked, self.marked_depth = value, len(self.open)


def _object_members(value: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    comma = ""
    for key in ordered_keys(value):
        item = value[key]
        if item is not ABSENT:
            yield f"{comma}{string_text(key)}:", item
            comma = ","


def _list_members(value: list[Any] | tuple[Any, ...]) -> Iterator[tuple[str, Any]]:
    comma = ""
    for item in value:
        yield comma, item
        comma = ","
