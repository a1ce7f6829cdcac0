"""Validators, written from the declarations.

For each declared class one function ``check(p)`` is generated at its first
use: it takes a decoded object and returns None or the first fault. The text
is registered with linecache, so that tracebacks and debuggers show it;
:func:`source_of` prints it.

There are two variants. The usual one asks ``type(v) is dict``, which is true
for everything that comes from a JSON text, and takes demanded fields for
present. The ``lenient`` one first makes instances of subclasses plain (see
:mod:`sim.wire.exact`) and allows for missing keys; the usual one turns to it
when a key is missing.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from sim.wire.absent import ABSENT
from sim.wire.declare import Field, Record
from sim.wire.exact import exact
from sim.wire.javascript import SAFE_INTEGER, longer_than, ordered_keys
from sim.wire.linkage import Fault, Linkage
from sim.wire.spec import (
    AnyObject,
    Anything,
    Choice,
    Flag,
    Kind,
    ListOf,
    MapOf,
    Nested,
    Never,
    Number,
    Text,
)

Check: TypeAlias = Callable[..., Fault | None]


class _Writer:
    """Lines of the function in the making, and the names they may use."""

    def __init__(self, lenient: bool, quick: bool) -> None:
        self.lenient = lenient
        self.quick = quick
        self.lines: list[str] = []
        self.depth = 1
        self.names: dict[str, Any] = {
            "ABSENT": ABSENT,
            "exact": exact,
            "longer_than": longer_than,
            "ordered_keys": ordered_keys,
        }

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        self.line(head)
        self.depth += 1
        yield
        self.depth -= 1

    def constant(self, prefix: str, value: object) -> str:
        """A global name for a value, the same one if it is already there."""
        for name, known in self.names.items():
            if known is value:
                return name
        name = f"{prefix}_{len(self.names)}"
        self.names[name] = value
        return name

    def fault(self, path: str, text: str) -> str:
        return f"return ({path}, {text!r})"

    def plain(self, variable: str) -> None:
        if self.lenient:
            self.line(f"{variable} = exact({variable})")


def _refusal(w: _Writer, kind: Kind, v: str) -> str:
    """A Python expression that is true when ``v`` is not of this simple kind."""
    match kind:
        case Text():
            return _text_refusal(w, kind, v)
        case Number():
            refuses = w.constant("refuses", kind.refuses)
            if not kind.integer:
                return f"{refuses}({v})"
            low = -SAFE_INTEGER if kind.min is None else kind.min
            return f"not (type({v}) is int and {low} <= {v} <= {SAFE_INTEGER}) and {refuses}({v})"
        case Flag():
            return f"{v} is not True and {v} is not False"
        case Choice():
            values = w.constant("choices", frozenset(kind.values))
            return f"type({v}) is not str or {v} not in {values}"
        case AnyObject():
            return f"type({v}) is not dict"
        case Never():
            return f"{v} is not ABSENT"
        case _:
            raise TypeError(f"{kind!r} has parts")


def _text_refusal(w: _Writer, kind: Text, v: str) -> str:
    terms = [f"type({v}) is not str"]
    if kind.min:
        terms.append(f"not {v}")
    if kind.max is not None:
        terms.append(f"longer_than({v}, {kind.max})")
    if kind.where is not None:
        accepts = w.constant(kind.where.name, kind.where.accepts)
        terms.append(f"not {accepts}({v})")
    return " or ".join(terms)


def _write_field(w: _Writer, field: Field, seen: bool) -> None:
    for rule in field.before:
        _write_rule(w, rule)
    if field.when is None:
        _write_value(w, field)
    else:
        terms = (
            f"p.get({name!r}) is {wanted}"
            if isinstance(wanted, bool)
            else f"p.get({name!r}) == {wanted!r}"
            for name, wanted in field.when.items()
        )
        with w.block(f"if {' and '.join(terms)}:"):
            _write_value(w, field)
    if seen:
        with w.block("if v in seen:"):
            w.line(w.fault(repr(f".{field.name}"), "must differ from item to item"))
        w.line("seen.add(v)")
    for rule in field.after:
        _write_rule(w, rule)


def _write_value(w: _Writer, field: Field) -> None:
    """Fetch the value as ``v``, leave out null and absence where allowed, check it."""
    if isinstance(field.kind, Anything):
        return
    optional = field.optional and field.when is None
    default = "" if optional == field.nullable and not isinstance(field.kind, Never) else ", ABSENT"
    if w.quick and not optional and field.when is None:
        w.line(f"v = p[{field.name!r}]")
    else:
        w.line(f"v = p.get({field.name!r}{default})")
    guard = "v is not None" if field.nullable else "v is not ABSENT" if optional else ""
    says = f"must be {'null or ' if field.nullable else ''}{field.kind.says}"
    path = f".{field.name}"
    if isinstance(field.kind, Nested | ListOf | MapOf):
        if guard:
            with w.block(f"if {guard}:"):
                _write_container(w, field.kind, path, says)
        else:
            _write_container(w, field.kind, path, says)
        return
    w.plain("v")
    refusal = _refusal(w, field.kind, "v")
    with w.block(f"if {guard} and ({refusal}):" if guard else f"if {refusal}:"):
        w.line(w.fault(repr(path), says))


def _write_container(w: _Writer, kind: Nested | ListOf | MapOf, path: str, says: str) -> None:
    w.plain("v")
    match kind:
        case Nested():
            _write_object(w, kind, "v", repr(path), "", says)
        case MapOf():
            _write_map(w, kind, path, says)
        case ListOf():
            _write_list(w, kind, "v", repr(path), says)


def _write_object(w: _Writer, kind: Nested, v: str, path: str, seen: str, says: str) -> None:
    with w.block(f"if type({v}) is not dict:"):
        where = f"{path} + {kind.fault_at!r}" if kind.fault_at else path
        w.line(w.fault(where, says))
    check = w.constant(
        f"check_{kind.record.__name__}", validator(kind.record, w.lenient, seen or None)
    )
    w.line(f"f = {check}({v}, seen)" if seen else f"f = {check}({v})")
    with w.block("if f is not None:"):
        w.line(f"return ({path} + f[0], f[1])")


def _write_map(w: _Writer, kind: MapOf, path: str, says: str) -> None:
    with w.block("if type(v) is not dict:"):
        w.line(w.fault(repr(path), says))
    accepts = w.constant(kind.key.name, kind.key.accepts)
    with w.block("for k in ordered_keys(v):"):
        with w.block(f"if not {accepts}(k):"):
            w.line(w.fault(repr(path), f"must only have keys that are {kind.key.says}"))
        w.line("x = v[k]")
        with w.block(f"if {_refusal(w, kind.value, 'x')}:"):
            w.line(w.fault(f"f'{path}[{{k}}]'", f"must be {kind.value.says}"))


def _write_list(w: _Writer, kind: ListOf, v: str, path: str, says: str) -> None:
    """Check the list in variable ``v``; ``path`` is a Python expression."""
    terms = [f"type({v}) is not list"]
    if kind.min:
        terms.append(f"len({v}) < {kind.min}")
    if kind.max is not None:
        terms.append(f"len({v}) > {kind.max}")
    with w.block(f"if {' or '.join(terms)}:"):
        w.line(w.fault(path, says))
    if isinstance(kind.item, Text):
        with w.block(f"for x in {v}:"), w.block(f"if {_refusal(w, kind.item, 'x')}:"):
            w.line(w.fault(path, says))
        if kind.unique:
            with w.block(f"if len(set({v})) != len({v}):"):
                w.line(w.fault(path, says))
        return
    if kind.unique_by:
        w.line("seen = set()")
    index, item = ("i", "x") if v == "v" else (f"i{w.depth}", f"x{w.depth}")
    with w.block(f"for {index}, {item} in enumerate({v}):"):
        w.plain(item)
        place, must = f"{path} + f'[{{{index}}}]'", f"must be {kind.item.says}"
        if isinstance(kind.item, ListOf):
            _write_list(w, kind.item, item, place, must)
        else:
            _write_object(w, kind.item, item, place, kind.unique_by or "", must)


def _write_rule(w: _Writer, rule: Linkage) -> None:
    check = w.constant(rule.name, rule.check)
    if rule.holds is not None:
        with w.block(f"if not ({rule.holds}):"):
            w.line(f"return {check}(p)")
        return
    w.line(f"f = {check}(p)")
    with w.block("if f is not None:"):
        w.line("return f")


def _write_unknown(w: _Writer, cls: type[Record]) -> None:
    known = w.constant("known", frozenset(field.name for field in cls.FIELDS))
    with w.block(f"if not p.keys() <= {known}:"):
        w.line(f"k = next(k for k in ordered_keys(p) if k not in {known})")
        w.line(w.fault("f'.{k}'", "must not be there, this object has a closed set of keys"))


def _write(cls: type[Record], lenient: bool, unique_by: str | None) -> _Writer:
    quick = not lenient and not unique_by and any(not field.optional for field in cls.FIELDS)
    w = _Writer(lenient, quick)
    if quick:
        w.names["thorough"] = lambda p: validator(cls, lenient=True)(p)
        w.line("try:")
        w.depth += 1
    w.plain("p")
    if cls.UNKNOWN == "refused first":
        _write_unknown(w, cls)
    for field in cls.FIELDS:
        _write_field(w, field, seen=field.name == unique_by)
    if cls.UNKNOWN == "refused last":
        _write_unknown(w, cls)
    for rule in cls.RULES:
        _write_rule(w, rule)
    w.line("return None")
    if quick:
        w.depth -= 1
        with w.block("except KeyError:  # something is missing: find out in order"):
            w.line("return thorough(p)")
    parameters = "p, seen" if unique_by else "p"
    w.lines.insert(0, f"def check({parameters}):")
    return w


def source_of(cls: type[Record], lenient: bool = False, unique_by: str | None = None) -> str:
    """Python text of a validator, to read."""
    return "\n".join(_write(cls, lenient, unique_by).lines) + "\n"


_VALIDATORS: dict[tuple[type[Record], bool, str | None], Check] = {}


def validator(cls: type[Record], lenient: bool = False, unique_by: str | None = None) -> Check:
    """The check for objects of a class, made at the first call.

    It takes a decoded JSON object and returns None or (path suffix, text).
    With ``unique_by`` it takes a set of earlier values of that field as well.
    """
    known = _VALIDATORS.get((cls, lenient, unique_by))
    if known is not None:
        return known
    w = _write(cls, lenient, unique_by)
    text = "\n".join(w.lines) + "\n"
    variant = f"{', lenient' if lenient else ''}{', one of several' if unique_by else ''}"
    file = f"<validator of {cls.__module__}.{cls.__qualname__}{variant}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), w.names)
    made: Check = w.names["check"]
    _VALIDATORS[cls, lenient, unique_by] = made
    return made
