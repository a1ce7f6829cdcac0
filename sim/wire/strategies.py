"""Hypothesis strategies for valid frames, from the declarations.

Fields are drawn one by one; rules between fields are then satisfied by asking
the validator and redrawing what it names, so that a new rule needs no code
here. Hypothesis is an extra: tests import this through ``sim.testing``, which says
how to get it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from sim.wire.declare import Body, Field, Record
from sim.wire.generate import validator
from sim.wire.javascript import SAFE_INTEGER, utf16_length
from sim.wire.linkage import JsonObject
from sim.wire.message import Message
from sim.wire.spec import (
    AnyObject,
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

_REPAIRS = 40
_FEW = 4

json_values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-SAFE_INTEGER, SAFE_INTEGER)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=_FEW) | st.dictionaries(st.text(), inner, max_size=_FEW),
    max_leaves=12,
)
"""Any JSON whose numbers JavaScript holds exactly."""


def frames(classes: Iterable[type[Body]]) -> st.SearchStrategy[JsonObject]:
    """Decoded frames of these classes that the validator accepts."""
    return st.one_of([_frames_of(cls) for cls in classes])


def messages(classes: Iterable[type[Body]]) -> st.SearchStrategy[Message]:
    """The same as :class:`Message` objects made of typed bodies."""
    return st.one_of([_messages_of(cls) for cls in classes])


def payloads(cls: type[Body]) -> st.SearchStrategy[JsonObject]:
    """Valid payloads of one message type."""
    return _valid_payload(cls)


_ids = st.text(min_size=1, max_size=12)
_times = st.integers(1, SAFE_INTEGER) | st.floats(allow_nan=False, allow_infinity=False)


def _frames_of(cls: type[Body]) -> st.SearchStrategy[JsonObject]:
    return _parts(cls).map(lambda parts: cls.enclose(*parts))


def _messages_of(cls: type[Body]) -> st.SearchStrategy[Message]:
    return _parts(cls).map(
        lambda parts: Message(
            cls.family(), parts[0], parts[1], cls.from_wire(parts[2]), sender=parts[3]
        )
    )


@st.composite
def _parts(draw: st.DrawFn, cls: type[Body]) -> tuple[str, int | float, JsonObject, str]:
    """Id, time, payload and sender of a frame; the payload fits what is around it."""
    times = _times if cls.LAST_TS is None else st.integers(0, cls.LAST_TS)
    id, ts, payload = draw(_ids), draw(times), draw(payloads(cls))
    sender = draw(st.sampled_from(cls.SENDERS))
    wire = cls.enclose(id, ts, payload, sender) if cls.AROUND else {}
    assume(all(rule.check(wire) is None for rule in cls.AROUND))
    return id, ts, payload, sender


@st.composite
def _valid_payload(draw: st.DrawFn, cls: type[Body]) -> JsonObject:
    """A payload whose fields fit one by one, with the rules between them mended."""
    payload: JsonObject = draw(_objects(cls))
    check = validator(cls)
    for _ in range(_REPAIRS):
        fault = check(payload)
        if fault is None:
            return payload
        _mend(draw, cls, payload, fault[0])
    assume(False)
    return payload


def _mend(draw: st.DrawFn, cls: type[Record], payload: JsonObject, suffix: str) -> None:
    """Change the field that a fault names, or some field when it names none."""
    name = suffix[1:].partition(".")[0].partition("[")[0]
    field = next((f for f in cls.FIELDS if f.name == name), None)
    if field is None:
        field = draw(st.sampled_from([f for f in cls.FIELDS if not isinstance(f.kind, Never)]))
        name = field.name
    # A rule may report one field and mean another that hangs together with it.
    if field.nullable and payload.get(name) is None and draw(st.integers(0, 7)) == 0:
        field = draw(st.sampled_from([f for f in cls.FIELDS if f.nullable]))
        name = field.name
    if field.nullable and payload.get(name) is not None and draw(st.integers(0, 3)):
        payload[name] = None
    else:
        payload[name] = draw(_values(field.kind))


@st.composite
def _objects(draw: st.DrawFn, cls: type[Record]) -> JsonObject:
    made: JsonObject = {}
    for field in cls.FIELDS:
        if field.optional and not _wanted(field, made) and draw(st.booleans()):
            continue
        if isinstance(field.kind, Never):
            continue
        made[field.name] = draw(_nullable(field))
    return made


def _wanted(field: Field, made: JsonObject) -> bool:
    when = field.when
    return when is not None and all(made.get(name) == value for name, value in when.items())


def _nullable(field: Field) -> st.SearchStrategy[Any]:
    values = _values(field.kind)
    return st.none() | values if field.nullable else values


def _values(kind: Kind) -> st.SearchStrategy[Any]:
    match kind:
        case Text():
            return _texts(kind)
        case Number():
            return _numbers(kind)
        case Flag():
            return st.booleans()
        case Choice():
            return st.sampled_from(kind.values)
        case AnyObject():
            return st.dictionaries(st.text(), json_values, max_size=_FEW)
        case Nested():
            return _objects(kind.record)
        case ListOf():
            return _lists(kind)
        case MapOf():
            keys: Sequence[str] = kind.key.samples
            return st.dictionaries(st.sampled_from(keys), _values(kind.value), max_size=_FEW)
        case _:
            return json_values


def _texts(kind: Text) -> st.SearchStrategy[str]:
    if kind.where is not None:
        return st.sampled_from(kind.where.samples)
    texts = st.text(min_size=kind.min, max_size=20)
    if kind.max is None:
        return texts
    limit = kind.max
    long = st.sampled_from(["a" * limit, "中" * limit, "😀" * (limit // 2)])
    return (texts | long).filter(lambda text: utf16_length(text) <= limit)


def _numbers(kind: Number) -> st.SearchStrategy[int | float]:
    low = -SAFE_INTEGER if kind.min is None else kind.min
    integers = st.integers(low, low + 3) | st.integers(low, SAFE_INTEGER)
    if kind.integer:
        return integers
    floats = st.floats(min_value=kind.min, allow_nan=False, allow_infinity=False)
    return integers | floats


def _lists(kind: ListOf) -> st.SearchStrategy[list[Any]]:
    least, most = kind.min, min(kind.max or _FEW, _FEW)
    items = _values(kind.item)
    unique_by = kind.unique_by
    if unique_by is not None:
        return st.lists(
            items, min_size=least, max_size=most, unique_by=lambda item: item[unique_by]
        )
    return st.lists(items, min_size=least, max_size=most, unique=kind.unique)
