"""Pieces of a scenario's text that know where they stand in the file."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from attrs import frozen

from sim.core.errors import ScenarioError

QUOTED_OR_WORD = re.compile(r'"(?:[^"\\]|\\.)*"(?!\S)|\S+')


@frozen
class Span:
    """A piece of one line; ``column`` counts from 1 in characters."""

    text: str
    path: str
    line: int
    column: int

    def fail(self, message: str, allowed: Iterable[str] = (), at: int = 0) -> ScenarioError:
        """An error that points at this piece (``at`` characters into it)."""
        return ScenarioError(
            message,
            path=self.path,
            line=self.line,
            column=self.column + at,
            allowed=tuple(allowed),
        )

    def cut(self, start: int, end: int | None = None) -> Span:
        """The piece from ``start`` to ``end`` of this piece."""
        return Span(self.text[start:end], self.path, self.line, self.column + start)

    def strip(self) -> Span:
        """Without blanks at both ends."""
        bare = self.text.lstrip()
        return Span(bare.rstrip(), self.path, self.line, self.column + len(self.text) - len(bare))

    def words(self) -> list[Span]:
        """The pieces between blanks; a quoted string is one piece."""
        return [self.cut(*found.span()) for found in QUOTED_OR_WORD.finditer(self.text)]

    def group(self, found: re.Match[str], name: str) -> Span:
        """The piece that a group of a match on ``self.text`` covers."""
        return self.cut(*found.span(name))


_PART = re.compile(r"[^\W_]+")
FAR = 10
"""Of a long list without a near match so many are told."""


def near(word: str, known: Iterable[str], limit: int = 12) -> tuple[str, ...]:
    """The words to offer instead of ``word``: the close ones first, all of a short list.

    Of a long list without a close one the nearest few: nobody reads a hundred names.
    """
    names = sorted(set(known))
    close = close_to(word, names)
    if len(names) <= limit:
        return (*close, *(name for name in names if name not in close))
    return close or tuple(difflib.get_close_matches(word[:60], names, n=FAR, cutoff=0.0))


def close_to(word: str, known: Iterable[str]) -> tuple[str, ...]:
    """The words that may be meant by another one; often none: those that have it as a part
    (``desktop task`` by ``task``), then those that are spelt alike, in small letters or not."""
    names = {name.casefold(): name for name in sorted(set(known), reverse=True)}
    told = word[:60].casefold()
    parts = [name for name in sorted(names) if told in _PART.findall(name)]
    alike = difflib.get_close_matches(told, sorted(names), n=3, cutoff=0.6)
    return tuple(names[one] for one in dict.fromkeys((*parts[:3], *alike)))


def all_of(word: str, known: Iterable[str], command: str, limit: int = 12) -> str:
    """Where :func:`near` offers a part that may not hold what is meant: what lists all of it."""
    names = set(known)
    if len(names) <= limit or close_to(word, names):
        return ""
    return f"; '{command}' lists all {len(names)}"
