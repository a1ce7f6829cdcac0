"""Plain JSON values out of instances of subclasses, without running their code.

A decoded object handed in by a caller may hold a dict subclass with its own
``__getitem__`` or a str subclass with its own ``__eq__``. The unbound methods
of the built-in types read the true content and never call such overrides.
"""

from __future__ import annotations

from typing import cast

from sim.wire.absent import ABSENT


def exact(value: object) -> object:
    """``value`` itself where its type is plain; else a copy, one level deep.

    Scalars inside a copied container are plain too; containers inside it are
    left for a later call. Keys whose value is ABSENT are dropped, as are keys
    that are no strings.
    """
    kind = type(value)  # isinstance would ask the value for its __class__
    if issubclass(kind, dict):
        return {
            exact_scalar(key): exact_scalar(item)
            for key, item in dict.items(cast("dict[object, object]", value))
            if item is not ABSENT and issubclass(type(key), str)
        }
    if issubclass(kind, list):
        return [exact_scalar(item) for item in list.__iter__(cast("list[object]", value))]
    return exact_scalar(value)


def plain_object(value: object) -> dict[str, object]:
    """The content of an object; nothing where the value is none."""
    if type(value) is not dict:
        value = exact(value)
    return value if type(value) is dict else {}


def exact_scalar(value: object) -> object:
    """The str, int or float that an instance of a subclass really holds."""
    kind = type(value)
    if kind is str or kind is int or kind is bool or kind is float:
        return value
    if issubclass(kind, str):
        return str.__str__(cast(str, value))
    if issubclass(kind, int):
        return int.__int__(cast(int, value))
    if issubclass(kind, float):
        return float.__float__(cast(float, value))
    return value
