"""Equality of decoded JSON, to any depth."""

from __future__ import annotations

from sim.wire.javascript import as_double


def same_json(left: object, right: object) -> bool:
    """Whether two decoded values are the same JSON.

    The order of keys does not matter; numbers are compared as doubles, so 1
    and 1.0 are one number; true is not 1. Works without recursion, so depth is no limit.
    """
    todo = [(left, right)]
    while todo:
        a, b = todo.pop()
        if a is b:
            continue
        if isinstance(a, dict):
            if not isinstance(b, dict) or a.keys() != b.keys():
                return False
            todo.extend((item, b[key]) for key, item in a.items())
        elif isinstance(a, list | tuple):
            if not isinstance(b, list | tuple) or len(a) != len(b):
                return False
            todo.extend(zip(a, b, strict=True))
        elif not _same_scalar(a, b):
            return False
    return True


def _same_scalar(a: object, b: object) -> bool:
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, int | float) and isinstance(b, int | float):
        return as_double(a) == as_double(b)
    return a == b
