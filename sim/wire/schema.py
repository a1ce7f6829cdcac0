"""JSON Schema (2020-12) of declared messages.

The schema accepts every frame that the validator accepts. The reverse does
not hold: lengths are counted in UTF-16 units here and in characters there,
and some conditions (URLs, equal fields, unique ids) no schema can say.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from urllib.parse import quote

from sim.wire.declare import Body, Field, Record, summary
from sim.wire.javascript import SAFE_INTEGER
from sim.wire.linkage import JsonObject, among
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

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema(classes: Iterable[type[Body]]) -> JsonObject:
    """One schema for all frames of these classes, told apart by their type.

    ``$defs`` has an entry per message type for the whole frame, one per body
    class for its payload and one per nested object.
    """
    definitions: JsonObject = {}
    alternatives = []
    for cls in classes:
        _define(cls, definitions)
        frame = cls.frame_schema({"$ref": _reference(cls.__name__)})
        definitions[cls.TYPE] = {"title": cls.TYPE, "description": summary(cls), **frame}
        alternatives.append({"$ref": _reference(cls.TYPE)})
    return {"$schema": DIALECT, "oneOf": alternatives, "$defs": definitions}


def object_schema(cls: type[Record]) -> JsonObject:
    """The schema of an object whose fields are simple, to stand within another one.

    Raises TypeError for a class with objects within: those need definitions.
    """
    definitions: JsonObject = {}
    _define(cls, definitions)
    made: JsonObject = definitions.pop(cls.__name__)
    if definitions:
        raise TypeError(f"{cls.__name__} holds {', '.join(definitions)}; use json_schema")
    return made


def _reference(name: str) -> str:
    """A JSON pointer in a URI; names may hold slashes, braces and spaces."""
    return "#/$defs/" + quote(name.replace("~", "~0").replace("/", "~1"))


def _define(cls: type[Record], definitions: JsonObject) -> None:
    """Put the schema of an object, and of all objects within, among the definitions."""
    if cls.__name__ in definitions:
        return
    definition = definitions[cls.__name__] = {"type": "object", "description": summary(cls)}
    ordinary = [field for field in cls.FIELDS if field.when is None]
    definition["properties"] = {f.name: _field_schema(f, definitions) for f in ordinary}
    required = [field.name for field in ordinary if not field.optional]
    if required:
        definition["required"] = required
    if cls.UNKNOWN != "ignored":
        definition["additionalProperties"] = False
    clauses = [_conditional(f, definitions) for f in cls.FIELDS if f.when is not None]
    rules = [*(r for f in cls.FIELDS for r in (*f.before, *f.after)), *cls.RULES]
    clauses += [rule.schema for rule in rules if rule.schema is not None]
    if clauses:
        definition["allOf"] = clauses


def _conditional(field: Field, definitions: JsonObject) -> JsonObject:
    """A field that is only looked at under a condition, and demanded there."""
    assert field.when is not None
    conditions = [among(name, [value]) for name, value in field.when.items()]
    schema = _field_schema(field, definitions)
    return {
        "if": {"allOf": conditions},
        "then": {"properties": {field.name: schema}, "required": [field.name]},
    }


def _field_schema(field: Field, definitions: JsonObject) -> JsonObject | bool:
    schema = _kind_schema(field.kind, definitions)
    return {"anyOf": [schema, {"type": "null"}]} if field.nullable else schema


def _kind_schema(kind: Kind, definitions: JsonObject) -> JsonObject | bool:
    match kind:
        case Text():
            return _text_schema(kind)
        case Number():
            return _number_schema(kind)
        case Flag():
            return {"type": "boolean"}
        case Choice():
            return {"enum": list(kind.values)}
        case Anything():
            return True
        case Never():
            return False
        case AnyObject():
            return {"type": "object"}
        case Nested():
            _define(kind.record, definitions)
            return {"$ref": _reference(kind.record.__name__)}
        case ListOf():
            return _list_schema(kind, definitions)
        case MapOf():
            return {
                "type": "object",
                "propertyNames": {"pattern": kind.key.pattern or ""},
                "additionalProperties": _kind_schema(kind.value, definitions),
            }


def _text_schema(kind: Text) -> JsonObject:
    schema: JsonObject = {"type": "string"}
    if kind.min:
        schema["minLength"] = kind.min
    if kind.max is not None:
        schema["maxLength"] = kind.max
    if kind.where is not None:
        schema["description"] = kind.where.says
        if kind.where.pattern is not None:
            schema["pattern"] = kind.where.pattern
    return schema


def _number_schema(kind: Number) -> JsonObject:
    schema: JsonObject = {"type": "integer" if kind.integer else "number"}
    if kind.min is not None:
        schema["minimum"] = kind.min
    elif kind.safe:
        schema["minimum"] = -SAFE_INTEGER
    if kind.safe:
        schema["maximum"] = SAFE_INTEGER
    elif kind.finite:
        schema["maximum"] = sys.float_info.max
    return schema


def _list_schema(kind: ListOf, definitions: JsonObject) -> JsonObject:
    schema: JsonObject = {"type": "array", "items": _kind_schema(kind.item, definitions)}
    if kind.min:
        schema["minItems"] = kind.min
    if kind.max is not None:
        schema["maxItems"] = kind.max
    if kind.unique:
        schema["uniqueItems"] = True
    if kind.unique_by is not None:
        schema["description"] = f"{kind.unique_by} differs from item to item"
    return schema
