"""Frame builders: keyword arguments in, a frame with fresh id and time out.

A builder checks the names of its arguments and nothing else, so that wrong
frames can be made on purpose. The payload keeps the order of the arguments.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sim.core.ambient import HOST
from sim.wire.absent import ABSENT
from sim.wire.convert import plain
from sim.wire.declare import Body, summary
from sim.wire.linkage import JsonObject
from sim.wire.message import Message
from sim.wire.spec import Never


def builder_name(type: str) -> str:
    """Name of the builder of a message type: ``move.undo`` has ``make_move_undo``, and
    ``POST /game/{gameID}`` has ``make_post_game_game_id``."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+", "_", type)
    return "make_" + words.strip("_").lower()


def builder(
    cls: type[Body],
    *,
    first: Mapping[str, object] | None = None,
    when_null: Mapping[str, object] | None = None,
    envelope: Mapping[str, str] | None = None,
    further: bool = False,
) -> Callable[..., Message]:
    """The builder of a message type.

    ``first`` are wire fields that stand in front with these values unless given;
    ``when_null`` are values that replace a missing, absent or null argument (a
    missing one at the end). ``envelope`` are arguments that say what stands around
    the payload: name of the argument to ``id``, ``ts`` or ``sender``; what is not
    given comes from the host and the type. With ``further`` arguments of other
    names become fields, spelled as they are. The builder takes each field by its
    Python or its wire name; ``ABSENT`` leaves a field out. It raises TypeError for
    an unknown argument and for a demanded one that is missing.
    """
    first = dict(first or {})
    when_null = dict(when_null or {})
    envelope = dict(envelope or {})
    declared = _names(cls)
    allowed = (*declared, *envelope)
    demanded = [f.name for f in cls.FIELDS if not f.optional]

    def make(**arguments: Any) -> Message:
        payload: JsonObject = dict(first)
        around = {envelope[one]: arguments.pop(one) for one in envelope if one in arguments}
        names = declared if not further else {one: one for one in arguments} | declared
        for argument, value in arguments.items():
            payload[_wire_name(make.__name__, names, argument, allowed)] = plain(value)
        if len(arguments) + len(first) > len(payload):
            _refuse_twice(make.__name__, names, arguments)
        for name, value in when_null.items():
            if payload.get(name) is None or payload[name] is ABSENT:
                payload[name] = value
        missing = [name for name in demanded if name not in payload]
        if missing:
            raise TypeError(f"{make.__name__}() lacks {', '.join(missing)}; pass ABSENT on purpose")
        payload = {name: value for name, value in payload.items() if value is not ABSENT}
        host = HOST.get()
        id = around["id"] if "id" in around else host.new_frame_id()
        ts = around["ts"] if "ts" in around else host.now_ms()
        wire = cls.enclose(id, ts, payload, around.get("sender", ""))
        return Message.of_wire(cls, wire, id, ts)

    make.__name__ = make.__qualname__ = builder_name(cls.TYPE)
    make.__doc__ = _documentation(cls)
    return make


def _names(cls: type[Body]) -> dict[str, str]:
    """Accepted argument to wire name."""
    fields = [field for field in cls.FIELDS if not isinstance(field.kind, Never)]
    return {field.attribute: field.name for field in fields} | {f.name: f.name for f in fields}


def _wire_name(make: str, names: dict[str, str], argument: str, allowed: Iterable[str]) -> str:
    try:
        return names[argument]
    except KeyError:
        listed = ", ".join(dict.fromkeys(allowed)) or "none"
        raise TypeError(f"{make}() has no argument {argument!r}; allowed: {listed}") from None


def _refuse_twice(make: str, names: dict[str, str], arguments: Mapping[str, object]) -> None:
    given: set[str] = set()
    for argument in arguments:
        if names[argument] in given:
            raise TypeError(f"{make}() got {names[argument]} under two names")
        given.add(names[argument])


def _documentation(cls: type[Body]) -> str:
    lines = [f"Build a {cls.TYPE} frame. {summary(cls)}", ""]
    lines += (
        f"{field.attribute}: {'null or ' if field.nullable else ''}{field.kind.says}"
        f"{', optional' if field.optional else ''}"
        for field in cls.FIELDS
    )
    return "\n".join(lines)
