"""Schemas of declared messages as named components, with references that stay within the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from sim.protocols import register
from sim.wire.declare import Body
from sim.wire.linkage import JsonObject
from sim.wire.schema import json_schema

PLACE: Final = "#/components/schemas/"
_DEFS: Final = "#/$defs/"
_OTHERS = re.compile(r"[^A-Za-z0-9._-]+")


def component_name(name: str) -> str:
    """A name with the signs that components may have."""
    return _OTHERS.sub("_", name).strip("_")


def components_of(classes: Iterable[type[Body]]) -> JsonObject:
    """Whole frames by their type, payloads and objects within by their classes."""
    from urllib.parse import unquote

    found = json_schema(classes)["$defs"]
    names = {name: component_name(name) for name in found}

    def moved(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: _moved_to(one) if key == "$ref" else moved(one)
                    for key, one in value.items()}  # fmt: skip
        return [moved(one) for one in value] if isinstance(value, list) else value

    def _moved_to(reference: str) -> str:
        name = unquote(reference.removeprefix(_DEFS)).replace("~1", "/").replace("~0", "~")
        return PLACE + names[name]

    return {names[name]: moved(schema) for name, schema in found.items()}


def everything_declared(protocol: str) -> Mapping[str, type[Body]]:
    """Message types, and what stands within them under a name of its own."""
    return register.protocol(protocol).declared


def sentences_of(cls: type[Body]) -> str:
    """Rules between fields, the feature, the section: what no schema says."""
    from sim.wire.describe import describe

    told = describe(cls)
    lines = [str(sentence) for sentence in told["linkage"]]
    if cls.GATE is not None:
        lines.append(f"Only if {cls.GATE.announced_by} has announced {cls.GATE.feature}.")
    lines.append(f"Section {cls.SECTION} of the protocol document.")
    return "\n\n".join(lines)
