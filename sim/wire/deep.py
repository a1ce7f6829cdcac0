"""JSON without recursion, for documents that nest deeper than Python's stack.

Slower than the other decoders by far, and only asked when they cannot answer.
"""

from __future__ import annotations

import json.decoder
import re
from collections.abc import Callable
from json import JSONDecodeError
from typing import Any, Final

from sim.wire.javascript import integer_from_digits, merged_surrogates

MAX_DEPTH: Final = 5_000_000
"""Levels of nesting beyond which a text is refused; each costs about 100 bytes."""

# The decoder's own scanner for strings: strict, in C, and public only by habit.
_scan_string: Callable[[str, int, bool], tuple[str, int]] = vars(json.decoder)["scanstring"]
_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_LITERALS: Final = {"t": ("true", True), "f": ("false", False), "n": ("null", None)}


class NotJson(ValueError):
    """The text is no JSON document; the argument says why, on one line."""


def decode(text: str) -> object:
    """Decode a document of at most :data:`MAX_DEPTH` levels; raises :class:`NotJson`."""
    return _Decoder(text).run()


class _Decoder:
    """A position in the text and the containers that are open there.

    ``keys`` has one entry per open container: the key that waits for its
    value in an object, None in a list.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.open: list[Any] = []
        self.keys: list[str | None] = []
        # Every open container needs its closing bracket further on.
        self.limit = min(MAX_DEPTH, text.count("]") + text.count("}"))

    def run(self) -> object:
        self._skip()
        while True:
            value = self._value()
            if value is _OPENED:
                continue
            done, value = self._close(value)
            if done:
                break
        if self.at != len(self.text):
            raise self._fault("something follows the document")
        return value

    def _fault(self, reason: str) -> NotJson:
        return NotJson(f"{reason} (character {self.at})")

    def _skip(self) -> str:
        """Go over white space; the character there, or '' at the end."""
        at = self.at
        text = self.text
        char = text[at : at + 1]
        if char and char in " \t\n\r":
            at = _SPACE.match(text, at).end()  # type: ignore[union-attr]  # matches anything
            self.at = at
            char = text[at : at + 1]
        return char

    def _value(self) -> object:
        """Read a scalar or an empty container; ``_OPENED`` if a container was entered."""
        char = self.text[self.at : self.at + 1]
        if char == '"':
            return self._string()
        if char == "[" or char == "{":
            return self._enter(char)
        if char in _LITERALS:
            word, value = _LITERALS[char]
            if self.text.startswith(word, self.at):
                self.at += len(word)
                return value
        return self._number()

    def _enter(self, char: str) -> object:
        self.at += 1
        made: Any = [] if char == "[" else {}
        following = self._skip()
        if following == ("]" if char == "[" else "}"):
            self.at += 1
            return made
        if len(self.open) >= self.limit:
            raise self._fault("nested too deeply, or not closed")
        self.open.append(made)
        self.keys.append(None if char == "[" else self._key())
        return _OPENED

    def _close(self, value: object) -> tuple[bool, object]:
        """Put a finished value where it belongs; close what ends there.

        Returns (False, …) when another value follows, (True, document) at the end.
        """
        while self.open:
            container = self.open[-1]
            key = self.keys[-1]
            if key is None:
                container.append(value)
            else:
                container[key] = value
            char = self._skip()
            self.at += 1
            if char == ",":
                self._skip()
                if key is not None:
                    self.keys[-1] = self._key()
                return False, None
            if char != ("]" if key is None else "}"):
                self.at -= 1
                raise self._fault("a comma or a closing bracket is missing")
            value = self.open.pop()
            self.keys.pop()
        self._skip()
        return True, value

    def _string(self) -> str:
        try:
            value, self.at = _scan_string(self.text, self.at + 1, True)
        except JSONDecodeError as fault:
            raise self._fault(fault.msg) from None
        return value

    def _key(self) -> str:
        if self.text[self.at : self.at + 1] != '"':
            raise self._fault("a key must be a string")
        key = self._string()
        if self._skip() != ":":
            raise self._fault("a key must be followed by a colon")
        self.at += 1
        self._skip()
        return key

    def _number(self) -> int | float:
        match = _NUMBER.match(self.text, self.at)
        if match is None:
            raise self._fault("no JSON value")
        self.at = match.end()
        whole, fraction, exponent = match.groups()
        if fraction is None and exponent is None:
            return integer_from_digits(whole)
        return float(match.group())


_OPENED: Final = object()


def with_merged_surrogates(value: object) -> object:
    """The same value with the strings and keys as :func:`merged_surrogates` gives them.

    Containers are changed in place; they are the decoder's own.
    """
    if isinstance(value, str):
        return merged_surrogates(value)
    todo: list[Any] = [value]
    while todo:
        container = todo.pop()
        if isinstance(container, list):
            container[:] = _merged_items(container, todo.append)
        elif isinstance(container, dict):
            items = list(container.items())
            container.clear()
            values = _merged_items([item for _, item in items], todo.append)
            for (key, _), item in zip(items, values, strict=True):
                container[merged_surrogates(key)] = item
    return value


def _merged_items(items: list[Any], later: Callable[[Any], None]) -> list[Any]:
    merged = [merged_surrogates(item) if isinstance(item, str) else item for item in items]
    for item in merged:
        if isinstance(item, list | dict):
            later(item)
    return merged
