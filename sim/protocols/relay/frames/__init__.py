"""The 15 message families of the protocol, each declared once, and what is within them.

*Is this field legal?* Families: ``connection``, ``commands``, ``locks``, ``events``.
Within them: ``events`` has the event types, ``actions`` the inner payloads of
commands with their ``answers``, ``listeners`` the options of a subscription,
``descriptors`` what command.list says.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from sim.protocols.relay.frames.actions import ACTIONS
from sim.protocols.relay.frames.commands import Command, CommandCancel, Error, Result
from sim.protocols.relay.frames.connection import (
    Auth,
    AuthAck,
    Hello,
    HelloAck,
    Ping,
    Pong,
    Refresh,
    RefreshAck,
)
from sim.protocols.relay.frames.envelope import Envelope, RelayBody
from sim.protocols.relay.frames.events import EVENTS, Event, EventBody
from sim.protocols.relay.frames.inner import ActionBody
from sim.protocols.relay.frames.listeners import LISTENERS, ListenerBody
from sim.protocols.relay.frames.locks import TabLock, TabUnlock

_BODIES: Final[tuple[type[RelayBody], ...]] = (
    Hello,
    HelloAck,
    Auth,
    AuthAck,
    Refresh,
    RefreshAck,
    Command,
    Result,
    Error,
    Event,
    Ping,
    Pong,
    TabLock,
    TabUnlock,
    CommandCancel,
)

MESSAGES: Final[Mapping[str, type[RelayBody]]] = MappingProxyType({c.TYPE: c for c in _BODIES})
"""Message family to body class, in the order of the protocol's own list."""

DECLARED: Final[Mapping[str, type[RelayBody]]] = MappingProxyType(
    {**MESSAGES, **EVENTS, **ACTIONS, **LISTENERS}
)
"""Everything that has a declaration of its own, by its name."""


def shape_of(frame: Mapping[str, Any]) -> type[RelayBody] | None:
    """The declaration of a decoded frame: of its family, or of its event's own type."""
    family = str(frame.get("messageType"))
    payload = frame.get("payload")
    if family == Event.TYPE and isinstance(payload, Mapping):
        return EVENTS.get(str(payload.get("type")), Event)
    return MESSAGES.get(family)


RELAY_MESSAGE_TYPES: Final[tuple[str, ...]] = tuple(MESSAGES)

__all__ = [
    "ACTIONS",
    "DECLARED",
    "EVENTS",
    "LISTENERS",
    "MESSAGES",
    "RELAY_MESSAGE_TYPES",
    "ActionBody",
    "Auth",
    "AuthAck",
    "Command",
    "CommandCancel",
    "Envelope",
    "Error",
    "Event",
    "EventBody",
    "Hello",
    "HelloAck",
    "ListenerBody",
    "Ping",
    "Pong",
    "Refresh",
    "RefreshAck",
    "RelayBody",
    "Result",
    "TabLock",
    "TabUnlock",
    "shape_of",
]
