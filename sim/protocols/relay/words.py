"""The protocol's words for languages that name frames: families, events, actions, listeners.

A frame has several names. ``command (action=primitive.tab.open)`` and
``primitive.tab.open`` mean the same, as do ``event (type=routed)`` and ``routed``. A field
is named without the place where it stands: in the envelope, in the payload, in the inner
payload of a command, or in the options of a listener.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from sim.core.op import Frame
from sim.protocols.relay.codes import ERROR_CODES
from sim.protocols.relay.constants import CONTROLLER, NODE, RELAY, ROLES
from sim.protocols.relay.frames import (
    ACTIONS,
    EVENTS,
    LISTENERS,
    MESSAGES,
    Command,
    Envelope,
    Error,
    Event,
    RelayBody,
)
from sim.protocols.relay.frames.envelope import (
    BOTH,
    CONTROLLER_TO_NODE,
    NODE_TO_CONTROLLER,
    PEER_TO_RELAY,
    RELAY_TO_PEER,
)
from sim.wire.vocabulary import Vocabulary

NAMED: Final[Mapping[str, type[RelayBody]]] = {**MESSAGES, **EVENTS, **ACTIONS, **LISTENERS}
AROUND: Final = tuple(field.name for field in Envelope.FIELDS if field.name != "payload")
"""Fields of the envelope; no payload has one of the same name."""

_HEAD: Final = re.compile(r"[^.\[]*")
_IN: Final[Mapping[str, str]] = {
    **dict.fromkeys(ACTIONS, "payload.payload."),
    **dict.fromkeys(LISTENERS, "payload.payload.options."),
}
_TOWARDS: Final[Mapping[str, tuple[str, ...]]] = {
    CONTROLLER: (f"{CONTROLLER}>{RELAY}",),
    NODE: (f"{NODE}>{RELAY}",),
    RELAY: (f"{RELAY}>{CONTROLLER}", f"{RELAY}>{NODE}"),
}
_WAYS: Final[Mapping[str, tuple[str, ...]]] = {
    CONTROLLER_TO_NODE: (f"{CONTROLLER}>{RELAY}", f"{RELAY}>{NODE}"),
    NODE_TO_CONTROLLER: (f"{NODE}>{RELAY}", f"{RELAY}>{CONTROLLER}"),
    PEER_TO_RELAY: (f"{CONTROLLER}>{RELAY}", f"{NODE}>{RELAY}"),
    RELAY_TO_PEER: _TOWARDS[RELAY],
}


class _AndOthers(tuple[str, ...]):
    """Fields that are known, where any others may stand too: progress is free in form."""

    __slots__ = ()

    def __contains__(self, name: object) -> bool:
        return True


class RelayWords:
    """What may be said about frames, and where it stands in them.

    Every method that takes a name of a frame raises KeyError for one that is not known.
    """

    def __init__(self) -> None:
        self._words = Vocabulary(NAMED.values())
        self._inner = {name: frozenset(field.name for field in NAMED[name].FIELDS) for name in _IN}

    def frame_types(self) -> tuple[str, ...]:
        """All names of frames: families first, then what has a name of its own within them."""
        return self._words.frame_types()

    def fields(self, type: str) -> tuple[str, ...]:
        """What may be named of such a frame, wherever it stands."""
        own = self._words.fields(type)
        around = self._words.fields(Command.TYPE) if type in _IN else ()
        found = tuple(dict.fromkeys((*own, *around, *AROUND)))
        return _AndOthers(found) if type == Event.TYPE else found

    def enum_values(self, type: str) -> dict[str, tuple[str, ...]]:
        """The values of fields that have a closed set of them."""
        values = {"senderRole": ROLES, **self._words.enum_values(type)}
        if type in _IN:
            values |= self._words.enum_values(Command.TYPE)
        elif type == Command.TYPE:
            values["action"] = tuple(ACTIONS)
        elif type == Error.TYPE:
            values["code"] = tuple(ERROR_CODES)
        return values

    def direction(self, type: str) -> str:
        """Who sends it to whom: ``controller>relay``, several with ``|`` between them."""
        cls = NAMED[type]
        if cls.DIRECTION == BOTH:
            ways = tuple(way for role in cls.SENDERS for way in _TOWARDS[role])
        else:
            ways = _WAYS.get(cls.DIRECTION, (cls.DIRECTION,))
        return "|".join(ways)

    def called(self, frame: Frame) -> tuple[str, ...]:
        """All names of a frame, the family first."""
        return names_of(frame.type, frame.wire)

    def place(self, type: str, path: str) -> str:
        """Where in the decoded frame a named field stands, as a path from the envelope on."""
        head = _HEAD.match(path)
        first = head.group() if head is not None else path
        if first in AROUND:
            return path
        if first in self._inner.get(type, ()):
            return _IN[type] + path
        return f"payload.{path}"


def names_of(family: str, wire: Any) -> tuple[str, ...]:
    """The names of a decoded frame, good or bad."""
    payload = wire.get("payload") if isinstance(wire, Mapping) else None
    if not isinstance(payload, Mapping):
        return (family,)
    if family == Event.TYPE:
        kind = payload.get("type")
        return (family, kind) if isinstance(kind, str) and kind in EVENTS else (family,)
    action = payload.get("action")
    if family != Command.TYPE or not isinstance(action, str) or action not in ACTIONS:
        return (family,)
    inner = payload.get("payload")
    listener = inner.get("listener") if isinstance(inner, Mapping) else None
    if isinstance(listener, str) and listener in LISTENERS:
        return (family, action, listener)
    return (family, action)


UNTOLD: Final = (
    "type",
    "accepted",
    "relayVersion",
    "capabilities",
    "replayNonce",
    "durationMs",
    "heartbeatIntervalMs",
    "scopes",
    "payload",
)
"""Fields of payloads that say little to people who look at a run."""
_FEW_FOR: Final = ("hello", "hello_ack", "auth", "auth_ack", "refresh", "refresh_ack")


def told(frame: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """What people are told of a decoded frame: its nearest name, and the telling fields."""
    family = str(frame.get("messageType", ""))
    name = names_of(family, frame)[-1]
    payload = frame.get("payload")
    outer: Mapping[str, Any] = payload if isinstance(payload, Mapping) else {}
    inner = outer.get("payload") if family == Command.TYPE else None
    fields = {"requestId": frame.get("requestId")} if family not in _FEW_FOR else {}
    fields |= inner if isinstance(inner, Mapping) else {}
    action = outer.get("action")
    for field, value in outer.items():
        is_said = field in UNTOLD or (field == "action" and action in (name, *ACTIONS))
        if not is_said:
            fields.setdefault(field, value)
    if family in ("ping", "pong"):
        fields = {}
    return name, fields


WORDS: Final = RelayWords()
