"""A message type explained as plain data, for ``explain`` and for inspectors."""

from __future__ import annotations

from sim.wire.build import builder_name
from sim.wire.declare import Body, Field, Record, summary
from sim.wire.linkage import JsonObject
from sim.wire.spec import Choice, Kind, ListOf, MapOf, Nested, Number, Text

_EXAMPLE_ID = "f-1"
_EXAMPLE_TS = 1760000000000


def describe(cls: type[Body]) -> JsonObject:
    """Everything that the declaration of a message type says, JSON-able.

    Keys: type, direction, feature (null or name and announced_by), section,
    summary, unknown_fields, fields (nested ones with dotted names), answer (fields
    or null), linkage (sentences), example (a whole frame) and builder.
    """
    return {
        "type": cls.TYPE,
        "direction": cls.DIRECTION,
        "feature": _feature(cls),
        "section": cls.SECTION,
        "summary": summary(cls),
        "unknown_fields": "ignored" if cls.UNKNOWN == "ignored" else "refused",
        "fields": _fields(cls, ""),
        "answer": _fields(cls.ANSWER, "") if cls.ANSWER is not None else None,
        "linkage": [*_sentences(cls), *(rule.sentence for rule in cls.AROUND)],
        "example": cls.enclose(_EXAMPLE_ID, _EXAMPLE_TS, cls.EXAMPLE),
        "builder": cls.BUILDER or builder_name(cls.TYPE),
    }


def _feature(cls: type[Body]) -> JsonObject | None:
    if cls.GATE is None:
        return None
    return {"name": cls.GATE.feature, "announced_by": cls.GATE.announced_by}


def nested_record(kind: Kind) -> type[Record] | None:
    """The class of the objects within a field, if its kind has any."""
    while isinstance(kind, ListOf):
        kind = kind.item
    return kind.record if isinstance(kind, Nested) else None


def _lists_around(kind: Kind) -> str:
    """``[]`` for each list that the objects of a field stand in."""
    return "[]" + _lists_around(kind.item) if isinstance(kind, ListOf) else ""


def _fields(cls: type[Record], prefix: str) -> list[JsonObject]:
    described = []
    for field in cls.FIELDS:
        described.append(_field(field, prefix))
        inner = nested_record(field.kind)
        if inner is not None:
            mark = _lists_around(field.kind)
            described += _fields(inner, f"{prefix}{field.name}{mark}.")
    return described


def _field(field: Field, prefix: str) -> JsonObject:
    return {
        "name": prefix + field.name,
        "attribute": field.attribute,
        "type": field.kind.says,
        "required": not field.optional,
        "nullable": field.nullable,
        "when": dict(field.when) if field.when is not None else None,
        "limits": _limits(field.kind),
        "enum": list(field.kind.values) if isinstance(field.kind, Choice) else None,
    }


def _limits(kind: Kind) -> JsonObject:
    """What bounds a value: ``min`` and ``max`` (UTF-16 units, items or a value), ``where``."""
    limits: JsonObject = {}
    if isinstance(kind, Text | ListOf | Number) and kind.min:
        limits["min"] = kind.min
    if isinstance(kind, Text | ListOf) and kind.max is not None:
        limits["max"] = kind.max
    if isinstance(kind, Text) and kind.where is not None:
        limits["where"] = kind.where.says
    if isinstance(kind, MapOf):
        limits["keys"] = kind.key.says
        limits["values"] = kind.value.says
    if isinstance(kind, ListOf) and (kind.unique or kind.unique_by):
        limits["unique"] = kind.unique_by or True
    return limits


def _sentences(cls: type[Record]) -> list[str]:
    """The rules between fields in the order of checking, those of nested objects in place."""
    sentences = []
    for field in cls.FIELDS:
        sentences += [rule.sentence for rule in field.before]
        inner = nested_record(field.kind)
        if inner is not None:
            sentences += _sentences(inner)
        sentences += [rule.sentence for rule in field.after]
    sentences += [rule.sentence for rule in cls.RULES]
    return list(dict.fromkeys(sentences))
