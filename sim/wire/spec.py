"""What a field may hold, as data.

A kind is a frozen value. The validator, the JSON Schema, the Hypothesis
strategy and the explanation of a field are all derived from it; no kind knows
any of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import attrs

from sim.wire.javascript import SAFE_INTEGER, as_double

if TYPE_CHECKING:
    from sim.wire.declare import Record


@attrs.frozen
class Predicate:
    """A named condition on text that lengths cannot express.

    ``pattern`` is the condition (or its part) that an ECMA regular expression
    can say, for schemas; ``samples`` are texts that pass, for generated frames.
    """

    name: str
    says: str
    accepts: Callable[[str], bool]
    samples: tuple[str, ...]
    pattern: str | None = None


@attrs.frozen
class Text:
    """A string; ``min`` and ``max`` count UTF-16 code units."""

    min: int = 0
    max: int | None = None
    where: Predicate | None = None

    @property
    def says(self) -> str:
        words = "a non-empty string" if self.min else "a string"
        if self.max is not None:
            words += f" of at most {self.max} UTF-16 units"
        return f"{words} that is {self.where.says}" if self.where else words


@attrs.frozen
class Number:
    """A number that is no boolean. ``safe`` means an integer within 2**53 - 1."""

    min: int | None = None
    finite: bool = False
    integer: bool = False
    safe: bool = False

    @property
    def says(self) -> str:
        words = "a finite number" if self.finite else "a number"
        if self.integer:
            words = "an integer"
        if self.safe:
            words = f"an integer within ±{SAFE_INTEGER}"
        return words if self.min is None else f"{words}, at least {self.min}"

    def refuses(self, value: object) -> bool:
        """The whole check, for every value; generated code asks it only in doubt."""
        if type(value) is not int and type(value) is not float:
            return True
        number = as_double(value)
        if self.finite and not math.isfinite(number):
            return True
        if self.integer and not number.is_integer():
            return True
        if self.safe and abs(number) > SAFE_INTEGER:
            return True
        return self.min is not None and not number >= self.min


@attrs.frozen
class Flag:
    """``true`` or ``false``; 0 and 1 are numbers."""

    says: str = attrs.field(default="true or false", init=False)


@attrs.frozen
class Choice:
    """One of a closed set of strings."""

    values: tuple[str, ...]

    @property
    def says(self) -> str:
        if len(self.values) == 1:
            return f"the string {self.values[0]}"
        return f"one of {', '.join(self.values)}"


@attrs.frozen
class Anything:
    """Any JSON value; never looked at."""

    says: str = attrs.field(default="any JSON value", init=False)


@attrs.frozen
class AnyObject:
    """A JSON object whose content is not looked at."""

    says: str = attrs.field(default="an object", init=False)


@attrs.frozen
class Never:
    """A key that must not be there, not even with null."""

    says: str = attrs.field(default="left out", init=False)


@attrs.frozen
class Nested:
    """An object of a declared shape.

    ``fault_at`` is added to the path when the value is no object at all.
    """

    record: type[Record]
    fault_at: str = ""
    says: str = attrs.field(default="an object", init=False)


@attrs.frozen
class ListOf:
    """A list. Faults of simple items name the list, faults of objects the item.

    ``unique`` forbids equal simple items; ``unique_by`` names the field of an
    object that must differ from item to item. Lists within lists are rows.
    """

    item: Text | Nested | ListOf
    min: int = 0
    max: int | None = None
    unique: bool = False
    unique_by: str | None = None

    @property
    def says(self) -> str:
        words = "a non-empty list" if self.min else "a list"
        if self.max is not None:
            words += f" of at most {self.max} items"
        if isinstance(self.item, Text | ListOf):
            words += f", each {self.item.says}"
        return f"{words}, without duplicates" if self.unique else words


@attrs.frozen
class MapOf:
    """An object used as a map from texts to simple values."""

    key: Predicate
    value: Choice
    says: str = attrs.field(default="an object", init=False)


Kind: TypeAlias = (
    Text | Number | Flag | Choice | Anything | AnyObject | Never | Nested | ListOf | MapOf
)

ANY_TEXT = Text()
SOME_TEXT = Text(min=1)
SOME_TEXTS = ListOf(SOME_TEXT)
TIMESTAMP_MS = Number(min=1, safe=True, integer=True)
COUNT = Number(min=0, safe=True, integer=True)
