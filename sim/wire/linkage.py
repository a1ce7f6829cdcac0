"""Rules between fields of one object.

A rule looks at a decoded object whose earlier fields have been checked, and
answers with a fault or None. Most rules say which fields are set in which
state; those are built here from data, so that the JSON Schema can say the
same. Others are functions under :func:`linkage`, their docstring the rule.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from sim.wire.absent import ABSENT

if TYPE_CHECKING:
    from sim.wire.declare import Field

Fault: TypeAlias = tuple[str, str]
"""Path suffix below the object (``".errorMessage"``, ``""``), and what must be."""

Wire: TypeAlias = Mapping[str, Any]
JsonObject: TypeAlias = dict[str, Any]


@attrs.frozen
class Linkage:
    """A named rule: its sentence, its check and what a JSON Schema can say of it.

    ``holds`` is a Python expression over the object ``p`` that is true when the
    rule is kept; a validator asks it first and calls ``check`` when it is false. ``quick``
    makes, of the object's fields by wire name, a function that tells it of a typed object.
    """

    name: str
    sentence: str
    check: Callable[[Wire], Fault | None]
    schema: JsonObject | None = None
    holds: str | None = None
    quick: Callable[[Mapping[str, Field]], Callable[[Any], bool]] | None = None


def linkage(
    schema: JsonObject | None = None,
    typed: Callable[[Any], bool] | None = None,
) -> Callable[[Callable[[Wire], Fault | None]], Linkage]:
    """Make a rule of a function; the first line of its docstring is the sentence.

    ``typed`` says of a typed object whether the rule is kept, for objects that come often.
    """
    quick = None if typed is None else lambda _: typed

    def made(check: Callable[[Wire], Fault | None]) -> Linkage:
        sentence = (check.__doc__ or "").strip().partition("\n")[0]
        if not sentence and sys.flags.optimize < 2:  # -OO strips them all
            raise TypeError(f"rule {check.__name__} needs a docstring that states it")
        return Linkage(check.__name__, sentence, check, schema, None, quick)

    return made


def among(selector: str, values: Iterable[str | bool]) -> JsonObject:
    """Schema: the selector has one of these values."""
    return {"properties": {selector: {"enum": list(values)}}, "required": [selector]}


def is_null(*fields: str) -> JsonObject:
    """Schema: these fields, where present, are null."""
    return {"properties": {field: {"type": "null"} for field in fields}}


def is_set(*fields: str) -> JsonObject:
    """Schema: these fields are present and not null."""
    unset: JsonObject = {"not": {"type": "null"}}
    return {"properties": dict.fromkeys(fields, unset), "required": list(fields)}


def is_filled(field: str) -> JsonObject:
    """Schema: this field is a non-empty string."""
    return {"properties": {field: {"type": "string", "minLength": 1}}, "required": [field]}


def set_exactly_when(field: str, selector: str, values: tuple[str, ...]) -> Linkage:
    """``field`` is not null where ``selector`` is one of ``values``, and null elsewhere."""
    words = " or ".join(values)
    missing = (f".{field}", f"must be set when {selector} is {words}")
    surplus = (f".{field}", f"must be null unless {selector} is {words}")
    wanted = frozenset(values)

    def check(wire: Wire) -> Fault | None:
        if wire[selector] in wanted:
            return missing if wire.get(field) is None else None
        return surplus if wire.get(field) is not None else None

    def quick(fields: Mapping[str, Field]) -> Callable[[Any], bool]:
        mine, other = fields[field].attribute, fields[selector].attribute
        if fields[field].optional:
            nothing = (None, ABSENT)
            return lambda one: (
                (getattr(one, mine) not in nothing) is (getattr(one, other) in wanted)
            )
        return lambda one: (getattr(one, mine) is not None) is (getattr(one, other) in wanted)

    schema = {"if": among(selector, values), "then": is_set(field), "else": is_null(field)}
    sentence = f"{field} is set exactly when {selector} is {words}; otherwise it is null."
    holds = f"(p.get({field!r}) is not None) is (p[{selector!r}] in {values!r})"
    name = f"{field}_set_exactly_when_{selector}"
    return Linkage(name, sentence, check, schema, holds, quick)


def filled_when(field: str, selector: str, value: str | bool) -> Linkage:
    """``field`` is a non-empty string where ``selector`` has ``value``; elsewhere it is free."""
    shown = str(value).lower() if isinstance(value, bool) else value
    missing = (f".{field}", f"must be a non-empty string when {selector} is {shown}")

    def check(wire: Wire) -> Fault | None:
        return missing if wire[selector] == value and not wire.get(field) else None

    schema = {"if": among(selector, [value]), "then": is_filled(field)}
    sentence = f"{field} is a non-empty string when {selector} is {shown}."
    holds = f"p[{selector!r}] != {value!r} or p.get({field!r})"
    return Linkage(f"{field}_filled_when_{selector}_is_{shown}", sentence, check, schema, holds)


@attrs.frozen
class Demand:
    """In these states these fields are set (True) or null (False).

    ``reported_at`` names the field that a fault is reported at, where that is
    not the field itself.
    """

    states: tuple[str, ...]
    fields: tuple[str, ...]
    set: bool
    reported_at: str | None = None

    def fault(self, selector: str, state: str, field: str) -> Fault:
        place = self.reported_at or field
        verb = "set" if self.set else "null"
        subject = "" if place == field else f"and {field} "
        return f".{place}", f"{subject}must be {verb} when {selector} is {state}"

    def says(self) -> str:
        verb = "set" if self.set else "null"
        return f"{', '.join(self.fields)} {verb} in {', '.join(self.states)}"


def null_matrix(selector: str, demands: tuple[Demand, ...]) -> Linkage:
    """Which fields are set or null in which states, in the order of checking."""
    by_state: dict[str, list[tuple[str, bool, Fault]]] = {}
    for demand in demands:
        for state in demand.states:
            by_state.setdefault(state, []).extend(
                (field, demand.set, demand.fault(selector, state, field)) for field in demand.fields
            )

    def check(wire: Wire) -> Fault | None:
        for field, wanted, fault in by_state.get(wire[selector], ()):
            if (wire.get(field) is None) is wanted:
                return fault
        return None

    clauses: list[JsonObject] = [
        {"if": among(selector, d.states), "then": (is_set if d.set else is_null)(*d.fields)}
        for d in demands
    ]
    sentence = f"By {selector}: {'; '.join(demand.says() for demand in demands)}."
    return Linkage(f"fields_by_{selector}", sentence, check, {"allOf": clauses})
