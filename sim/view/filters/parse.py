"""The parser of the filter language. Errors name the column and what may stand there."""

from __future__ import annotations

import re
from collections.abc import Collection
from fnmatch import translate

from sim.core.errors import UsageError
from sim.view.filters.facts import NUMBER_FIELDS, TEXT_FIELDS
from sim.view.filters.terms import (
    FIELDS,
    SELECTORS,
    Both,
    Either,
    Everything,
    Filter,
    Finding,
    Matches,
    Not,
    Selected,
    Visible,
    VisibleMatches,
    Within,
)

MOST_CHARS = 2000
_TOKEN = re.compile(
    r"\s*(?:(?P<op>[&|!()])"
    r'|(?P<text>"(?:[^"\\]|\\.)*")'
    r"|(?P<regex>re:/(?:[^/\\]|\\.)*/)"
    r"|(?P<selector>@\w*)"
    r"|(?P<field>[A-Za-z]+)(?P<compare><=|>=|[:<>=])"
    r'(?P<value>re:/(?:[^/\\]|\\.)*/|"(?:[^"\\]|\\.)*"|[^\s&|!()"]*)'
    r'|(?P<word>[^\s&|!()"]+))'
)


class FilterError(UsageError):
    """A filter that does not parse. ``column`` counts characters from 1."""

    def __init__(self, column: int, text: str, allowed: Collection[str] = ()) -> None:
        words = f"; write one of {', '.join(allowed)}" if allowed else ""
        super().__init__(f"column {column}: {text}{words}")
        self.column = column
        self.text = text
        self.allowed = tuple(allowed)


def parse_filter(text: str) -> Filter:
    """The predicate of a filter. Raises FilterError at the column that is wrong."""
    if len(text) > MOST_CHARS:
        raise FilterError(MOST_CHARS, f"a filter has at most {MOST_CHARS} characters")
    tokens = _tokens(text)
    if not tokens:
        return Everything()
    return _Parser(tokens, len(text) + 1).whole()


def _tokens(text: str) -> list[tuple[int, re.Match[str]]]:
    found, place = [], 0
    while text[place:].strip():
        token = _TOKEN.match(text, place)
        if token is None:
            column = place + len(text[place:]) - len(text[place:].lstrip()) + 1
            raise FilterError(column, "a text that begins with a quote must end with one")
        column = token.start(token.lastgroup or 0) + 1
        if token["field"] is not None:
            column = token.start("field") + 1
        found.append((column, token))
        place = token.end()
    return found


class _Parser:
    """Recursive descent: or, and, not, term. Two terms side by side are joined by and."""

    def __init__(self, tokens: list[tuple[int, re.Match[str]]], end: int) -> None:
        self.tokens = tokens
        self.place = 0
        self.end = end
        self.depth = 0

    def whole(self) -> Filter:
        found = self._either()
        if self.place < len(self.tokens):
            raise FilterError(self._column(), "this parenthesis closes nothing")
        return found

    def _column(self) -> int:
        return self.tokens[self.place][0] if self.place < len(self.tokens) else self.end

    def _op(self) -> str:
        if self.place < len(self.tokens):
            return self.tokens[self.place][1]["op"] or ""
        return ""

    def _either(self) -> Filter:
        found = self._both()
        while self._op() == "|":
            self.place += 1
            found = Either(found, self._both())
        return found

    def _both(self) -> Filter:
        found = self._not()
        while self.place < len(self.tokens) and self._op() not in ("|", ")"):
            if self._op() == "&":
                self.place += 1
            found = Both(found, self._not())
        return found

    def _not(self) -> Filter:
        negations = 0
        while self._op() == "!":
            self.place += 1
            negations += 1
        term = self._term()
        return Not(term) if negations % 2 else term

    def _term(self) -> Filter:
        column = self._column()
        if self.place >= len(self.tokens):
            raise FilterError(column, "something must follow here: a field, a word or (")
        token = self.tokens[self.place][1]
        op = token["op"]
        self.place += 1
        if op == "(":
            return self._group(column)
        if op is not None:
            raise FilterError(column, f"a term must stand before {op!r}")
        return _term_of(column, token)

    def _group(self, column: int) -> Filter:
        self.depth += 1
        if self.depth > 100:
            raise FilterError(column, "at most 100 parentheses within each other")
        found = self._either()
        if self._op() != ")":
            raise FilterError(column, "this parenthesis is never closed")
        self.place += 1
        self.depth -= 1
        return found


def _term_of(column: int, token: re.Match[str]) -> Filter:
    if token["selector"] is not None:
        return _selector(column, token["selector"])
    if token["field"] is not None:
        return _field(column, token)
    if token["regex"] is not None:
        return VisibleMatches(_regex(column, token["regex"], re.IGNORECASE))
    if token["text"] is not None:
        return Visible(_unquoted(token["text"]).casefold())
    if token["word"] == "finding":
        return Selected("finding")
    return Visible(token["word"].casefold())


def _selector(column: int, name: str) -> Filter:
    if name not in SELECTORS:
        raise FilterError(column, f"unknown selection {name!r}", SELECTORS)
    return Selected(name)


def _field(column: int, token: re.Match[str]) -> Filter:
    field, compare, value = token["field"], token["compare"], token["value"]
    at = token.start("value") + 1
    if field not in FIELDS:
        raise FilterError(column, f"unknown field {field!r}", FIELDS)
    if not value:
        raise FilterError(at, f"a value must follow {field}{compare}")
    if field in NUMBER_FIELDS:
        return _numeric(field, compare, value, at)
    if compare not in (":", "="):
        raise FilterError(column, f"{field} is a text: it takes ':', not {compare!r}")
    pattern = _pattern(at, value)
    return Finding(pattern) if field == "finding" else Matches(field, pattern)


def _pattern(column: int, value: str) -> re.Pattern[str]:
    if value.startswith("re:/") and value.endswith("/"):
        return _regex(column, value)
    text = _unquoted(value) if value.startswith('"') else value
    return re.compile(translate(text), re.IGNORECASE)


def _regex(column: int, value: str, flags: int = 0) -> re.Pattern[str]:
    try:
        return re.compile(value[4:-1], flags)
    except re.error as error:
        place = column + 4 + (error.pos or 0)
        raise FilterError(place, f"no regular expression: {error.msg}") from error


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1])


def _numeric(field: str, compare: str, value: str, column: int) -> Filter:
    if compare in (":", "=") and ".." in value:
        low, _, high = value.partition("..")
        if not low and not high:
            raise FilterError(column, f"a range has a number on one side: {field}:10..20")
        return Within(
            field,
            _number(low, column) if low else None,
            _number(high, column + len(low) + 2) if high else None,
        )
    number = _number(value, column)
    match compare:
        case "<" | "<=":
            return Within(field, None, number, open_high=compare == "<")
        case ">" | ">=":
            return Within(field, number, None, open_low=compare == ">")
        case _:
            return Within(field, number, number)


def _number(text: str, column: int) -> float:
    plain = text.removeprefix("T+").removesuffix("s")
    if re.fullmatch(r"-?\d+(\.\d+)?", plain) is None:
        raise FilterError(column, f"{text!r} is no number")
    return float(plain)


def complete(text: str, values: Collection[str] = ()) -> list[str]:
    """How the last word of a filter could go on: fields, selectors, and ``values`` of a field."""
    word = re.split(r"[\s&|!()]", text)[-1]
    before = text[: len(text) - len(word)]
    if word.startswith("@"):
        return [before + name for name in SELECTORS if name.startswith(word)]
    field, colon, begun = word.partition(":")
    if not colon:
        return [f"{before}{name}:" for name in FIELDS if word and name.startswith(word)]
    if field in TEXT_FIELDS or field == "finding":
        return [f"{before}{field}:{value}" for value in values if value.startswith(begun)]
    return []
