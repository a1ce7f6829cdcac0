"""Between typed objects and decoded JSON, again one small function per class.

Reading checks nothing: a message that was accepted may still hold garbage in
places the protocol does not look at, and a builder may be asked for a wrong
frame on purpose. A value that does not fit its shape is kept as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from sim.wire.absent import ABSENT
from sim.wire.declare import Field, Record
from sim.wire.linkage import JsonObject, Wire
from sim.wire.spec import ListOf, Nested

Reader: TypeAlias = Callable[[Wire], Record]
Writer: TypeAlias = Callable[[Any], JsonObject]


def plain(value: Any) -> Any:
    """``value`` as decoded JSON: a typed object becomes a dict, a tuple a list.

    So do typed objects and lists within a list. Everything else is taken to be
    JSON already, to whatever depth, and is not copied.
    """
    if isinstance(value, Record):
        return value.to_wire()
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def _read_record(value: Any, read: Reader) -> Any:
    return read(value) if isinstance(value, dict) else value


def _read_records(value: Any, read: Reader) -> Any:
    if not isinstance(value, list | tuple):
        return value
    return tuple(read(item) if isinstance(item, dict) else item for item in value)


def _read_texts(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _rows_reader(kind: ListOf) -> Callable[[Any], Any]:
    """Reads a list of whatever the kind says."""
    match kind.item:
        case Nested(record=inner):
            read = reader(inner)
            return lambda value: _read_records(value, read)
        case ListOf() as item:
            row = _rows_reader(item)
            return lambda value: (
                tuple(map(row, value)) if isinstance(value, list | tuple) else value
            )
    return _read_texts


def _reading(field: Field, names: dict[str, Any]) -> str:
    got = f"get(p, {field.name!r}, ABSENT)"
    match field.kind:
        case Nested(record=inner) | ListOf(item=Nested(record=inner)):
            name = f"read_{inner.__name__}"
            names[name] = reader(inner)
            several = "s" if isinstance(field.kind, ListOf) else ""
            return f"{field.attribute}=_read_record{several}({got}, {name})"
        case ListOf(item=ListOf()) as rows:
            names[f"read_{field.attribute}"] = _rows_reader(rows)
            return f"{field.attribute}=read_{field.attribute}({got})"
        case ListOf():
            return f"{field.attribute}=_read_texts({got})"
        case _:
            return f"{field.attribute}={got}"


_READERS: dict[type[Record], Reader] = {}
_WRITERS: dict[type[Record], Writer] = {}


def reader(cls: type[Record]) -> Reader:
    """The function that makes a typed object of a decoded one."""
    return _READERS.get(cls) or _READERS.setdefault(cls, _reader(cls))


def writer(cls: type[Record]) -> Writer:
    """The function that makes a decoded object of a typed one."""
    return _WRITERS.get(cls) or _WRITERS.setdefault(cls, _writer(cls))


def _reader(cls: type[Record]) -> Reader:
    names: dict[str, Any] = {
        "cls": cls,
        "get": dict.get,
        "ABSENT": ABSENT,
        "_read_record": _read_record,
        "_read_records": _read_records,
        "_read_texts": _read_texts,
    }
    arguments = ",\n        ".join(_reading(field, names) for field in cls.FIELDS)
    text = f"def read(p):\n    return cls(\n        {arguments}\n    )\n"
    exec(compile(text, f"<reader of {cls.__qualname__}>", "exec"), names)
    made: Reader = names["read"]
    return made


def _writer(cls: type[Record]) -> Writer:
    lines = ["def write(b):", "    d = {}"]
    for field in cls.FIELDS:
        has_parts = isinstance(field.kind, Nested | ListOf)
        lines += (
            f"    v = b.{field.attribute}",
            "    if v is not ABSENT:",
            f"        d[{field.name!r}] = {'plain(v)' if has_parts else 'v'}",
        )
    lines.append("    return d\n")
    names: dict[str, Any] = {"ABSENT": ABSENT, "plain": plain}
    exec(compile("\n".join(lines), f"<writer of {cls.__qualname__}>", "exec"), names)
    made: Writer = names["write"]
    return made
