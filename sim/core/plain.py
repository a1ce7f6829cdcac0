"""What may stand in a trace: texts, numbers, containers of them, and declared structs.

A trace that is read has the JSON of a struct instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

_BUILT_IN = (type(None), bool, int, float, str, bytes, tuple, list, dict, set, frozenset)
_PLAIN: dict[type[Any], bool] = dict.fromkeys(_BUILT_IN, True)
_MARKS = ("__struct_fields__", "__attrs_attrs__", "__dataclass_fields__", "wire")
"""What the classes have that the encoder of traces knows; see ``Frame`` for ``wire``."""


def is_plain(value: Any) -> bool:
    """Whether the encoder of traces takes a value of this class; asked once for each class."""
    kind = value.__class__
    known = _PLAIN.get(kind)
    if known is None:
        known = _PLAIN[kind] = any(hasattr(kind, mark) for mark in _MARKS)
    return known


def as_struct(plain: Any, cls: type | None) -> Any:
    """The struct whose JSON this is; the JSON as it is where it is that of none."""
    if cls is None or not isinstance(plain, Mapping):
        return plain
    try:
        return msgspec.convert(plain, cls)
    except msgspec.ValidationError:
        return plain


def as_tagged(plain: Any, classes: Mapping[str, type]) -> Any:
    """The same for a struct whose tag ``is`` says which of these it is."""
    tag = plain.get("is") if isinstance(plain, Mapping) else None
    return as_struct(plain, classes.get(str(tag)))
