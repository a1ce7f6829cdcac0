"""A puppet's frames: what the diagram names, completed with what a twin would send.

The frame may be as wrong as the diagram wants it: nothing is checked here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any
from urllib.parse import urlsplit

import attrs

from sim.protocols.relay import ACTIONS, EVENTS, LISTENERS, MESSAGES, RelayBody
from sim.protocols.relay.constants import (
    CONTROLLER,
    HEARTBEAT_INTERVAL_MS,
    HTTP_INTERCEPT,
    NODE,
    RELAY,
    RELAY_PROTOCOL_VERSION,
)
from sim.protocols.relay.frames.commands import needs_tab
from sim.protocols.relay.predicates import epoch_ms, iso_timestamp
from sim.protocols.relay.standing import Standing
from sim.protocols.relay.standing_tabs import payload_of
from sim.protocols.relay.words import WORDS
from sim.scenario.playing.match import MISSING, Names, at_path, set_path
from sim.scenario.stages.connected import PuppetIds
from sim.scenario.stages.relay_ledger import ANSWERS, Ledger
from sim.scenario.syntax import FrameText, Item, Name
from sim.wire.message import Message
from sim.world.host import Host

Wire = dict[str, Any]


@attrs.define
class Composer(PuppetIds):
    """Makes the frames of all puppets of a run. ``nodes`` are the nodeIds, ``identities``
    whose name each lifeline bears."""

    ledger: Ledger
    standing: Standing
    names: Names
    nodes: tuple[str, ...]
    identities: Mapping[str, str]
    made: int = 0

    def compose(self, host: Host, receiver: str, text: FrameText) -> Message:
        """The literal frame; names that are new get fresh ids and are bound."""
        values = {item.path: self._value(host, item) for item in text.items if item.op != "enum"}
        request = values.get("requestId")
        family = family_of(text.type)
        asked = self._asked(host, receiver, family, request)
        wire = self._wire(host, text.type, str(request or ""), asked)
        for item in text.items:
            paths = item.fields[:1] if item.op == "enum" else (item.path,)
            place = WORDS.place(text.type, paths[0])
            if item.op == "enum":
                wire = set_path(wire, place, item.value)
            elif item.op in ("equals", "contains"):
                wire = set_path(wire, place, values[item.path])
            elif at_path(wire, place) is MISSING:
                wire = set_path(wire, place, self._example(text.type, place))
        return message_of(wire)

    def usual(
        self, host: Host, receiver: str, type: str, request: str = "", asked: Any = None
    ) -> Message:
        """What a twin would send here, without a word from the diagram."""
        return message_of(self._wire(host, type, request, asked))

    def _asked(self, host: Host, receiver: str, family: str, request: Any) -> Any:
        if isinstance(request, str):
            found = self.ledger.named(host.name, request)
            if found is not None:
                return found
        return self.ledger.asked(host.name, receiver, family)

    def _wire(self, host: Host, type: str, request: str, asked: Any) -> Wire:
        family = family_of(type)
        if not request and family in ANSWERS and asked is not None:
            request = str(asked.get("requestId"))
        if not request:
            self.made += 1
            request = f"{host.name}-d{self.made}"
        return {
            "protocolVersion": RELAY_PROTOCOL_VERSION,
            "messageType": family,
            "requestId": request,
            "timestamp": iso_timestamp(host.now_ms()),
            "senderRole": host.kind,
            "payload": self._payload(host, type, asked),
        }

    def _value(self, host: Host, item: Item) -> Any:
        if not isinstance(item.value, Name):
            return item.value
        real = self.names.get(item.value.text)
        if real is None:
            real = self.new_id(host)
            self.names.bind({item.value.text: real})
        return real

    def _example(self, type: str, place: str) -> Any:
        shape = MESSAGES[family_of(type)]
        example = at_path({"payload": dict(shape.EXAMPLE)}, place)
        return None if example is MISSING else example

    # -- what a twin would send --------------------------------------------------------

    def _payload(self, host: Host, type: str, asked: Any) -> Wire:
        if type in ACTIONS or type in LISTENERS:
            return self.command(host, type)
        builder = _BUILDERS.get(type)
        if builder is not None:
            return builder(self, host, asked)
        shape = EVENTS.get(type) or MESSAGES[type]
        return deepcopy(dict(shape.EXAMPLE))

    def command(self, host: Host, action: str) -> Wire:
        """A command of this puppet: to the first node, in the newest tab where it needs one."""
        tab = self.newest_tab()
        if action in ("listener.subscribe", *LISTENERS):
            listener = action if action in LISTENERS else HTTP_INTERCEPT
            options = {**required(LISTENERS[listener]), "tabSessionId": tab}
            if "site" in options and tab in self.standing.tabs:
                options["site"] = urlsplit(self.standing.tabs[tab].url).hostname
            action, inner = "listener.subscribe", {"listener": listener, "options": options}
        else:
            inner = required(ACTIONS[action])
        if action == "listener.unsubscribe":
            inner["targetRequestId"] = next(reversed(self.standing.listeners), "nothing")
        wire: Wire = {"targetNodeId": self.nodes[0], "action": action, "payload": inner}
        if needs_tab(action):
            wire["tabSessionId"] = tab
        if host.kind != RELAY:
            wire["replayNonce"] = self.new_id(host)
        return wire

    def newest_tab(self) -> str:
        """The tab that is meant where none is named."""
        there = [tab.id for tab in self.standing.tabs.values() if tab.is_open]
        return there[-1] if there else "tab_1"


def required(shape: type[RelayBody]) -> Wire:
    """Example values of the fields that must be there."""
    names = [field.name for field in shape.FIELDS if not field.optional]
    return {name: deepcopy(shape.EXAMPLE[name]) for name in names}


def family_of(type: str) -> str:
    """The message family that a name of a frame belongs to."""
    if type in MESSAGES:
        return type
    return "event" if type in EVENTS else "command"


def message_of(wire: Any) -> Message:
    """A frame around its decoded object, good or bad."""
    kind, id = str(wire.get("messageType")), str(wire.get("requestId"))
    stamp = wire.get("timestamp")
    ts = epoch_ms(stamp) if isinstance(stamp, str) else None
    return Message(kind, id, ts or 0, None, wire, MESSAGES.get(kind), str(wire.get("senderRole")))


Builder = Callable[[Composer, Host, Any], Wire]


def _hello(c: Composer, host: Host, asked: Any) -> Wire:
    payload: Wire = {"role": host.kind, "capabilities": []}
    if host.kind == NODE:
        payload["nodeId"] = c.identities[host.name]
    return payload


def _auth(c: Composer, host: Host, asked: Any) -> Wire:
    return {"accessToken": f"token-{host.name}"}


def _refresh(c: Composer, host: Host, asked: Any) -> Wire:
    return {"refreshToken": f"refresh-{host.name}"}


def _hello_ack(c: Composer, host: Host, asked: Any) -> Wire:
    return {"accepted": True, "heartbeatIntervalMs": HEARTBEAT_INTERVAL_MS}


def _auth_ack(c: Composer, host: Host, asked: Any) -> Wire:
    role = CONTROLLER if asked is None else str(asked.get("senderRole"))
    token = str(payload_of(asked or {}).get("accessToken", ""))
    identity = c.identities.get(token.removeprefix("token-"), token)
    field = "nodeId" if role == NODE else "controllerId"
    return {"accepted": True, "role": role, field: identity, "scopes": ["*"]}


def _any_command(c: Composer, host: Host, asked: Any) -> Wire:
    return c.command(host, "primitive.tab.query")


def _tab_lock(c: Composer, host: Host, asked: Any) -> Wire:
    return {"targetNodeId": c.nodes[0], "tabSessionId": c.newest_tab()}


def _cancel(c: Composer, host: Host, asked: Any) -> Wire:
    open_ones = [task.request for task in c.standing.tasks.values() if not task.is_over]
    return {"targetRequestId": open_ones[-1] if open_ones else "nothing"}


def _result(c: Composer, host: Host, asked: Any) -> Wire:
    command = payload_of(asked or {})
    inner = payload_of(command)
    action = str(command.get("action", "primitive.tab.query"))
    data: Wire = {}
    if action == "primitive.tab.open":
        data = {"tabSessionId": f"tab_{c.new_id(host)[:8]}", "url": inner.get("url")}
    elif "tabSessionId" in command:
        data = {"tabSessionId": command["tabSessionId"]}
    if action == "listener.subscribe":
        data = {"listener": inner.get("listener"), "subscribed": True}
    elif action == "listener.unsubscribe":
        data = {"targetRequestId": inner.get("targetRequestId"), "unsubscribed": True}
    return {"ok": True, "durationMs": 5, "action": action, "data": data}


def _error(c: Composer, host: Host, asked: Any) -> Wire:
    return {
        "category": "execution",
        "code": "command_failed",
        "message": "the browser has failed",
    }


_BUILDERS: Mapping[str, Builder] = {
    "hello": _hello,
    "auth": _auth,
    "refresh": _refresh,
    "hello_ack": _hello_ack,
    "auth_ack": _auth_ack,
    "command": _any_command,
    "command_cancel": _cancel,
    "tab_lock": _tab_lock,
    "tab_unlock": _tab_lock,
    "result": _result,
    "error": _error,
    "ping": lambda c, host, asked: {},
    "pong": lambda c, host, asked: {"ok": True},
}
