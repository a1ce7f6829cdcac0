"""What may stand in a trace: texts, numbers, containers of them, and declared structs."""

from __future__ import annotations

from typing import Any

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
