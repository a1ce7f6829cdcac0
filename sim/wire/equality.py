"""Equality of decoded JSON, to any depth."""

from __future__ import annotations


def same_json(left: object, right: object) -> bool:
    """Whether two decoded values are the same JSON.

    The order of keys does not matter, 1 and 1.0 are one number, but true is
    not 1. Works without recursion, so depth is no limit.
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
        elif isinstance(a, bool) is not isinstance(b, bool) or a != b:
            return False
    return True
