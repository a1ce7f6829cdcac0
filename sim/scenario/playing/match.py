"""Does a frame fit an arrow? Items against a payload, names against real ids."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sim.scenario.syntax import Item, Name

MISSING = object()
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


class Names:
    """What ``R1``, ``K1``, ``A1`` stand for in this run, in order of binding."""

    def __init__(self) -> None:
        self._real: dict[str, Any] = {}

    def get(self, name: str) -> Any:
        """The real id, or None while the name is not bound."""
        return self._real.get(name)

    def name_of(self, real: Any) -> str | None:
        """The name that stands for a real id, if the diagram gave it one."""
        for name, value in self._real.items():
            if value == real:
                return name
        return None

    def all(self) -> list[tuple[str, str]]:
        """Every name with the text of what it stands for, in order of binding."""
        return [(name, str(value)) for name, value in self._real.items()]

    def bind(self, found: Mapping[str, Any]) -> None:
        """Take over the bindings of a match."""
        self._real.update(found)

    def release(self, found: Mapping[str, Any]) -> None:
        """Take bindings back: the frame that gave them got lost."""
        for name in found:
            self._real.pop(name, None)


def at_path(payload: Any, path: str) -> Any:
    """The value at ``usage.durationMs`` or ``buttons[0].id``; MISSING where there is none."""
    value = payload
    for key, index in _STEP.findall(path):
        if key:
            if not isinstance(value, Mapping) or key not in value:
                return MISSING
            value = value[key]
        else:
            if not isinstance(value, list | tuple) or int(index) >= len(value):
                return MISSING
            value = value[int(index)]
    return value


def set_path(payload: Any, path: str, value: Any) -> Any:
    """``payload`` with a value at ``usage.durationMs`` or ``buttons[0].id``; makes what is
    missing, and replaces what is in the way."""
    return _put(payload, [key or int(index) for key, index in _STEP.findall(path)], value)


def _put(target: Any, steps: list[str | int], value: Any) -> Any:
    if not steps:
        return value
    step, *rest = steps
    if isinstance(step, int):
        row = list(target) if isinstance(target, list | tuple) else []
        row += [None] * (step + 1 - len(row))
        row[step] = _put(row[step], rest, value)
        return row
    table = dict(target) if isinstance(target, dict) else {}
    table[step] = _put(table.get(step), rest, value)
    return table


def same(left: Any, right: Any) -> bool:
    """JSON equality: true is not 1, 1 is 1.0."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(same(left[k], right[k]) for k in left)
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)


def fits(
    items: Iterable[Item], wire: Any, names: Names, place: Callable[[str], str] = str
) -> dict[str, Any] | str:
    """New bindings if all items hold, else a sentence about the first that does not.

    ``place`` says where in ``wire`` the field stands that an item names.
    """
    found: dict[str, Any] = {}
    for item in items:
        complaint = _check(item, wire, names, found, place)
        if complaint is not None:
            return complaint
    return found


def _check(
    item: Item, wire: Any, names: Names, found: dict[str, Any], place: Callable[[str], str]
) -> str | None:
    if item.op == "enum":
        values = [at_path(wire, place(path)) for path in item.fields]
        if any(same(value, item.value) for value in values):
            return None
        return f"{' / '.join(item.fields)} was {_say(values[0] if values else MISSING)}"
    value = at_path(wire, place(item.path))
    if value is MISSING:
        return f"{item.path} was absent"
    if item.op == "present":
        return None
    if item.op == "contains":
        ok = isinstance(value, str) and str(item.value) in value
        return None if ok else f"{item.path} was {_say(value)}"
    return _check_equal(item, value, names, found)


def _check_equal(item: Item, value: Any, names: Names, found: dict[str, Any]) -> str | None:
    wanted = item.value
    if isinstance(wanted, Name):
        bound = found.get(wanted.text, names.get(wanted.text))
        if bound is None:
            if value is None:
                return f"{item.path} was null, which is nobody's id"
            found[wanted.text] = value
            return None
        wanted = bound
    return None if same(value, wanted) else f"{item.path} was {_say(value)}"


def _say(value: Any) -> str:
    if value is MISSING:
        return "absent"
    # As a diagram writes it, so that it can be copied into one.
    text = f'"{value}"' if isinstance(value, str) else _literal(value)
    return text if len(text) <= 80 else text[:79] + "…"


def _literal(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=repr, separators=(",", ":"))
