"""OpenAPI 3.1 of the question protocol: OpenCode's calls, and the used methods of the Bot API.

Paths, parameters and bodies come from the declarations; what they do not say (which field
stands in the query, what is answered) stands in the tables at the top.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from sim import __version__
from sim.cli.exporting.components import PLACE, component_name, components_of, sentences_of
from sim.protocols import register
from sim.wire.declare import Body, Field, summary
from sim.wire.linkage import JsonObject

PROTOCOL: Final = "question"
ROUTE = re.compile(r"(?P<method>GET|POST) (?P<path>/\S*)")
IN_QUERY: Final = ("directory",)
"""Fields of OpenCode's calls that stand in the query, whatever the method."""

SIMPLE: Final = frozenset({"string", "integer", "number", "boolean"})
TO_TELEGRAM: Final = ">telegram"
ANSWERS: Final[Mapping[str, JsonObject]] = MappingProxyType(
    {
        "GET /question": {
            "type": "array",
            "items": {"$ref": PLACE + "ListedQuestion"},
        },
        "GET /session": {"type": "array", "items": {"type": "object"}},
        "POST /question/{requestID}/reply": {"const": True},
        "POST /question/{requestID}/reject": {"const": True},
    }
)
"""What OpenCode answers with status 200 (§3)."""

UPDATES: Final = ("callback_query", "message")
SERVERS: Final = MappingProxyType(
    {
        "opencode": {"url": "http://127.0.0.1:4096", "description": "OpenCode, or its twin"},
        "telegram": {"url": "https://api.telegram.org", "description": "The Bot API"},
    }
)


def openapi() -> JsonObject:
    """The whole document."""
    messages = register.protocol(PROTOCOL).messages
    schemas = components_of(messages.values())
    for name in messages:
        # Requests have no envelope: only what it says is of use here.
        schemas.pop(component_name(name), None)
    schemas["Update"] = _update(schemas)
    paths: JsonObject = {}
    for name, cls in messages.items():
        for path, method, operation, server in _operations(name, cls, schemas):
            item = paths.setdefault(path, {"servers": [SERVERS[server]]})
            item[method] = operation
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "question: OpenCode's question API and the Bot API, as the bridge uses them",
            "version": __version__,
            "description": (
                "Made by hooktwin from the declarations of the question protocol. "
                "'hooktwin serve --protocol question' answers all of it."
            ),
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [SERVERS["opencode"]],
        "paths": paths,
        "components": {"schemas": schemas},
    }


def _operations(
    name: str, cls: type[Body], schemas: JsonObject
) -> Iterator[tuple[str, str, JsonObject, str]]:
    """(path, method, operation, server) of a declaration that is a request."""
    route = ROUTE.fullmatch(name)
    if route is not None:
        path, method = route["path"], route["method"].lower()
        yield path, method, _of_opencode(name, cls, path, method, schemas), "opencode"
    elif cls.DIRECTION.endswith(TO_TELEGRAM):
        path = f"/bot{{token}}/{name}"
        yield path, "get", _of_telegram(name, cls, "get", schemas), "telegram"
        yield path, "post", _of_telegram(name, cls, "post", schemas), "telegram"


def _operation(name: str, cls: type[Body], id: str, answer: JsonObject) -> JsonObject:
    return {
        "operationId": id,
        "summary": summary(cls),
        "description": sentences_of(cls),
        "responses": {
            "200": {"description": "It is done.", "content": _json(answer)},
            "default": {
                "description": "It is refused; nothing has changed.",
                "content": _json({"type": "object"}),
            },
        },
        "x-declaration": name,
    }


def _json(schema: JsonObject) -> JsonObject:
    return {"application/json": {"schema": schema}}


def _schema_of(cls: type[Body], field: Field, schemas: JsonObject) -> JsonObject:
    """Of a field; where the declaration leaves it open, what the rules between fields say."""
    own = schemas[cls.__name__]
    found = own.get("properties", {}).get(field.name)
    if isinstance(found, dict):
        return found
    for rule in own.get("allOf", ()):
        if field.name in rule.get("properties", {}):
            made: JsonObject = rule["properties"][field.name]
            return made
    return {}


def _is_demanded(cls: type[Body], field: Field, schemas: JsonObject) -> bool:
    rules = schemas[cls.__name__].get("allOf", ())
    return not field.optional or any(field.name in rule.get("required", ()) for rule in rules)


# -- OpenCode ------------------------------------------------------------------------------------


def _of_opencode(
    name: str, cls: type[Body], path: str, method: str, schemas: JsonObject
) -> JsonObject:
    words = [word for word in re.split(r"\W+", path) if word]
    made = _operation(name, cls, "-".join((method, *words)), ANSWERS[name])
    in_path = [field for field in cls.FIELDS if f"{{{field.name}}}" in path]
    others = [field for field in cls.FIELDS if field not in in_path]
    in_query = [field for field in others if method == "get" or field.name in IN_QUERY]
    parameters = [_parameter(cls, f, "path", schemas) for f in in_path]
    parameters += [_parameter(cls, f, "query", schemas) for f in in_query]
    if parameters:
        made["parameters"] = parameters
    body = [field for field in others if field not in in_query]
    if body:
        made["requestBody"] = {"required": True, "content": _json(_object(cls, body, schemas))}
        example = {f.name: cls.EXAMPLE[f.name] for f in body if f.name in cls.EXAMPLE}
        made["requestBody"]["content"]["application/json"]["example"] = example
    return made


def _parameter(cls: type[Body], field: Field, place: str, schemas: JsonObject) -> JsonObject:
    made: JsonObject = {"name": field.name, "in": place}
    if place == "path" or _is_demanded(cls, field, schemas):
        made["required"] = True
    schema = _schema_of(cls, field, schemas)
    words = schema.get("type", ())
    if place == "query" and not set([words] if isinstance(words, str) else words) & SIMPLE:
        # As the Bot API has it: lists and objects are written as JSON.
        return {**made, "content": _json(schema)}
    return {**made, "schema": schema}


def _object(cls: type[Body], fields: list[Field], schemas: JsonObject) -> JsonObject:
    """A body with some of the declared fields; with all of them the declared object itself."""
    if len(fields) == len(cls.FIELDS):
        return {"$ref": PLACE + cls.__name__}
    made: JsonObject = {
        "type": "object",
        "properties": {field.name: _schema_of(cls, field, schemas) for field in fields},
    }
    required = [field.name for field in fields if _is_demanded(cls, field, schemas)]
    return {**made, "required": required} if required else made


# -- Telegram ------------------------------------------------------------------------------------


def _of_telegram(name: str, cls: type[Body], method: str, schemas: JsonObject) -> JsonObject:
    result: JsonObject = {}
    if name == "getUpdates":
        result = {"type": "array", "items": {"$ref": PLACE + "Update"}}
    answer: JsonObject = {
        "type": "object",
        "properties": {"ok": {"const": True}, "result": result},
        "required": ["ok", "result"],
    }
    made = _operation(name, cls, f"{method}-{name}", answer)
    token: JsonObject = {"name": "token", "in": "path", "required": True,
                         "schema": {"type": "string", "minLength": 1}}  # fmt: skip
    made["parameters"] = [token]
    if method == "get":
        made["parameters"] += [_parameter(cls, f, "query", schemas) for f in cls.FIELDS]
    elif cls.FIELDS:
        content = _json({"$ref": PLACE + cls.__name__})
        content["application/json"]["example"] = dict(cls.EXAMPLE)
        made["requestBody"] = {"required": True, "content": content}
    return made


def _update(schemas: JsonObject) -> JsonObject:
    """What getUpdates lists; a declaration has the number of its update within."""
    messages = register.protocol(PROTOCOL).messages
    properties: JsonObject = {"update_id": {"type": "integer", "minimum": 0}}
    for name in UPDATES:
        schema = schemas[messages[name].__name__]
        properties[name] = {
            **schema,
            "properties": {k: v for k, v in schema["properties"].items() if k != "update_id"},
            "required": [one for one in schema["required"] if one != "update_id"],
        }
    return {
        "type": "object",
        "description": "One update; it has one of the kinds.",
        "properties": properties,
        "required": ["update_id"],
    }
