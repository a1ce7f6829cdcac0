"""Lines of text with roles: what a pane shows, before it has colours.

A role names why a piece looks different ("bad", "call", "dim"); the theme says
how. State is always a word or a sign too: roles only repeat it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import attrs
from rich.cells import cell_len, set_cell_size

from sim.cli.terminal import clean
from sim.core.http import untold

ROLES = (
    "dim", "strong", "head", "bad", "good", "warn", "frame", "call", "person", "link",
    "lost", "cursor", "match", "button", "chip", "late",
)  # fmt: skip
"""All roles; a style may follow for each."""


@attrs.frozen
class Span:
    """A piece of a line; ``act`` is what a click on it means: (what, argument)."""

    text: str
    role: str = ""
    act: tuple[str, Any] | None = None


@attrs.frozen
class Line:
    """A line; ``row`` says which step or item it belongs to, for a click on it."""

    spans: tuple[Span, ...] = ()
    row: Any = None

    @property
    def text(self) -> str:
        return "".join(span.text for span in self.spans)

    @property
    def width(self) -> int:
        """In cells: a Chinese character takes two."""
        return cell_len(self.text)

    def at(self, column: int) -> Span | None:
        """The piece under a column of cells."""
        place = 0
        for span in self.spans:
            place += cell_len(span.text)
            if column < place:
                return span
        return None


def line(*parts: str | tuple[str, str] | Span, row: Any = None) -> Line:
    """A line of texts, (text, role) pairs and spans; texts are made harmless."""
    spans = []
    for part in parts:
        if isinstance(part, Span):
            spans.append(part)
        elif isinstance(part, tuple) and part[0]:
            spans.append(Span(harmless(part[0]), part[1]))
        elif isinstance(part, str) and part:
            spans.append(Span(harmless(part)))
    return Line(tuple(spans), row)


def harmless(text: str) -> str:
    """One line that no terminal misunderstands; signs of no or doubtful width are
    replaced, and so is what nobody shall see."""
    text = untold(text)
    if text.isascii() and text.isprintable():
        return text
    return "".join(_one(sign) for sign in clean(text))


def _one(sign: str) -> str:
    if unicodedata.combining(sign) or unicodedata.category(sign) in ("Cf", "Mn", "Me"):
        return ""
    return sign


def fit(text: str, width: int) -> str:
    """At most ``width`` cells; what is too long ends with an ellipsis."""
    if width <= 0:
        return ""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1).rstrip() + "…"


def fit_middle(text: str, width: int) -> str:
    """At most ``width`` cells; what is too long loses its middle."""
    if width <= 0:
        return ""
    if cell_len(text) <= width:
        return text
    if width < 5:
        return fit(text, width)
    head = (width - 1) * 2 // 3
    tail = width - 1 - head
    end = text
    while cell_len(end) > tail:
        end = end[1:]
    return set_cell_size(text, head).rstrip() + "…" + end


def pad(text: str, width: int) -> str:
    """Exactly ``width`` cells."""
    return set_cell_size(fit(text, width), max(width, 0))


def wrap(text: str, width: int, most: int = 100) -> list[str]:
    """Lines of at most ``width`` cells, broken at blanks where there are some."""
    width = max(width, 4)
    lines = list(islice(_rows(text, width), most + 1))
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], fit(lines[most - 1] + " " * width + "…", width)]


def _rows(text: str, width: int) -> Iterator[str]:
    """All lines, one by one: of a megabyte in a frame only the first hundred are wanted."""
    for paragraph in text.split("\n"):
        current = ""
        for word in harmless(paragraph).split(" "):
            for piece in _pieces(word, width):
                if current and cell_len(current) + 1 + cell_len(piece) > width:
                    yield current
                    current = piece
                else:
                    current = f"{current} {piece}" if current else piece
        yield current


def _pieces(word: str, width: int) -> Iterator[str]:
    """A long word, or a text without blanks (Chinese), in pieces."""
    start, used = 0, 0
    for end, sign in enumerate(word):
        cells = cell_len(sign)
        if used + cells > width:
            yield word[start:end]
            start, used = end, 0
        used += cells
    yield word[start:]


def cropped(one: Line, width: int) -> Line:
    """The line, at most ``width`` cells of it."""
    if one.width <= width:
        return one
    left, spans = width, []
    for span in one.spans:
        if left <= 0:
            break
        text = fit(span.text, left)
        spans.append(attrs.evolve(span, text=text))
        left -= cell_len(text)
    return Line(tuple(spans), one.row)


def spoken(one: Line, speech: Callable[[str], str]) -> Line:
    """The line in another language, piece by piece."""
    spans = tuple(
        span if (told := speech(span.text)) == span.text else attrs.evolve(span, text=told)
        for span in one.spans
    )
    return Line(spans, one.row)


def facts(
    pairs: Sequence[tuple[str, str | tuple[str, str]]], width: int, most: int = 6
) -> list[Line]:
    """A name and a value per line; long values go on below, for at most so many lines."""
    names = min(max((cell_len(name) for name, _ in pairs), default=0) + 2, 14)
    lines = []
    for name, told in pairs:
        value, role = told if isinstance(told, tuple) else (told, "")
        rows = wrap(value, width - names, most)
        lines.append(line((pad(name, names), "dim"), (rows[0], role)))
        lines += [line(" " * names, (row, role)) for row in rows[1:]]
    return lines
