"""The protocols of this program by name: the one table of them.

Whoever must find a protocol by a word that a person typed, or the declaration of a
name that may be anybody's, asks here. A protocol is imported when it is asked for.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final

import attrs

from sim.core.errors import UsageError
from sim.core.table import Table
from sim.wire.declare import Body
from sim.wire.result import ParseResult


@attrs.frozen
class WireProtocol:
    """One protocol as far as its frames go.

    ``messages`` by the type that stands in the envelope; ``declared`` has them and
    whatever else has a declaration of its own within their payloads. ``type_key`` is
    the envelope's key of the message type. ``shape_of`` is the nearest declaration of a
    decoded frame, None where it has none. ``told`` is what people are told of a decoded
    frame: the name that says most, and its fields in the order of telling.
    """

    name: str
    messages: Mapping[str, type[Body]]
    declared: Mapping[str, type[Body]]
    parse: Callable[[object], ParseResult]
    type_key: str
    shape_of: Callable[[Mapping[str, Any]], type[Body] | None]
    told: Callable[[Mapping[str, Any]], tuple[str, Mapping[str, Any]]]

    def tables(self) -> dict[str, Table]:
        """All transition tables of its ``machine*`` modules, by role."""
        package = importlib.import_module(f"{__package__}.{self.name}")
        found: dict[str, Table] = {}
        for module in pkgutil.iter_modules(package.__path__):
            if module.name.startswith("machine"):
                loaded = importlib.import_module(f"{package.__name__}.{module.name}")
                tables = (value for value in vars(loaded).values() if isinstance(value, Table))
                found.update({table.role: table for table in tables})
        return found


def _hook() -> WireProtocol:
    from sim.protocols.hook.frames import MESSAGES
    from sim.protocols.hook.parse import parse_hook_message

    def shape_of(frame: Mapping[str, Any]) -> type[Body] | None:
        return MESSAGES.get(str(frame.get("type")))

    def told(frame: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
        payload = frame.get("payload", frame)
        return str(frame.get("type", "")), payload if isinstance(payload, Mapping) else {}

    return WireProtocol("hook", MESSAGES, MESSAGES, parse_hook_message, "type", shape_of, told)


def _relay() -> WireProtocol:
    from sim.protocols.relay.frames import DECLARED, MESSAGES, shape_of
    from sim.protocols.relay.parse import parse_relay_message
    from sim.protocols.relay.words import told

    return WireProtocol(
        "relay", MESSAGES, DECLARED, parse_relay_message, "messageType", shape_of, told
    )


def _question() -> WireProtocol:
    from sim.protocols.question.messages import MESSAGES, shape_of, told
    from sim.protocols.question.parse import parse_question_message

    return WireProtocol(
        "question", MESSAGES, MESSAGES, parse_question_message, "is", shape_of, told
    )


_TABLE: Final[Mapping[str, Callable[[], WireProtocol]]] = MappingProxyType(
    {"hook": cache(_hook), "relay": cache(_relay), "question": cache(_question)}
)

PROTOCOLS: Final = tuple(_TABLE)
"""The names; the first is meant where nobody says which."""
DEFAULT_PROTOCOL: Final = PROTOCOLS[0]


def protocol(name: str) -> WireProtocol:
    """The protocol of that name. Raises UsageError, naming those there are."""
    try:
        return _TABLE[name]()
    except KeyError:
        known = ", ".join(PROTOCOLS)
        raise UsageError(f"no protocol is called {name[:80]!r}; there is {known}") from None


def declared(name: str | None = None) -> Mapping[str, type[Body]]:
    """The declarations of one protocol by name; without a name those of all.

    Where several have the same name, that of the first protocol counts.
    """
    wanted = PROTOCOLS if name is None else (name,)
    found: dict[str, type[Body]] = {}
    for one in wanted:
        for word, body in protocol(one).declared.items():
            found.setdefault(word, body)
    return found


def owners(word: str) -> tuple[str, ...]:
    """The protocols that declare this name."""
    return tuple(one for one in PROTOCOLS if word in protocol(one).declared)


def told(frame: object, type_name: str) -> tuple[str, Mapping[str, Any]]:
    """What people are told of a decoded frame: its nearest name, and its fields in order.

    ``type_name`` is what it is called where nobody can tell.
    """
    if not isinstance(frame, Mapping):
        return type_name, {}
    name, fields = protocol_of(frame).told(frame)
    return name or type_name, fields


def protocol_of(frame: object) -> WireProtocol:
    """Whose frame a decoded object is, by the key of its type; the first's where nothing tells."""
    if isinstance(frame, Mapping):
        for one in map(protocol, PROTOCOLS):
            if one.type_key in frame:
                return one
    return protocol(DEFAULT_PROTOCOL)
