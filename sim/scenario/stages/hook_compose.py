"""A puppet's frames: what the diagram names, completed with what a twin would send.

The frame may be as wrong as the diagram wants it: nothing is checked here.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import attrs

from sim.protocols.hook import HOOK_PROTOCOL_VERSION, MESSAGES
from sim.protocols.hook.server import ServerPlan
from sim.scenario.playing.match import MISSING, Names, at_path, set_path
from sim.scenario.stages.connected import PuppetIds
from sim.scenario.stages.hook_ledger import Ledger, Task
from sim.scenario.syntax import FrameText, Item, Name
from sim.wire.message import Message
from sim.world.host import Host

Payload = dict[str, Any]
_FRESH = ("requestId", "interactionId", "queryId", "attemptId", "bindingId")


@attrs.define
class Composer(PuppetIds):
    """Makes the frames of all puppets of a run; remembers each one's last hello."""

    ledger: Ledger
    names: Names
    plan: ServerPlan
    features: dict[str, tuple[str, ...]]
    hellos: dict[str, Payload] = attrs.field(factory=dict)
    made: int = 0

    def compose(self, host: Host, text: FrameText) -> Message:
        """The literal frame; names that are new get fresh ids and are bound."""
        named = {item.path: self._value(host, item) for item in text.items if item.op != "enum"}
        payload = self.payload(host, text.type, named, text)
        for item in text.items:
            if item.op in ("equals", "contains"):
                payload = set_path(payload, item.path, named[item.path])
            elif item.op == "present" and at_path(payload, item.path) is MISSING:
                example = at_path(self._example(host, text.type), item.path)
                payload = set_path(payload, item.path, None if example is MISSING else example)
        if text.type == "hello":
            self.hellos[host.name] = payload
        self.made += 1
        return self.frame(host, text.type, payload, f"{host.name}-d{self.made}")

    def change_feature(self, host: str, feature: str, on: bool) -> None:
        """What a puppet announces from its next hello or welcome on."""
        features = dict.fromkeys(self.features.get(host, ()))
        features.pop(feature, None)
        if on:
            features[feature] = None
        self.features[host] = tuple(features)
        if host in self.hellos:
            self.hellos[host] = {**self.hellos[host], "features": list(features)}

    def frame(self, host: Host, kind: str, payload: Payload, id: str = "") -> Message:
        """An envelope around a payload, from this host."""
        id, ts = id or host.new_frame_id(), host.now_ms()
        wire = {"v": HOOK_PROTOCOL_VERSION, "type": kind, "id": id, "ts": ts, "payload": payload}
        return Message(kind, id, ts, None, wire, MESSAGES.get(kind))

    def payload(
        self, host: Host, kind: str, named: Payload | None = None, text: FrameText | None = None
    ) -> Payload:
        """What a twin in this place would send."""
        named = named or {}
        builder = _BUILDERS.get(kind)
        if builder is not None:
            payload = builder(self, host, named)
        else:
            payload = self._example(host, kind)
        for item in text.items if text is not None else ():
            if item.op == "enum":
                payload[item.fields[0]] = item.value
        linkage = _LINKAGE.get(kind)
        return payload if linkage is None else linkage(payload)

    def _value(self, host: Host, item: Item) -> Any:
        if not isinstance(item.value, Name):
            return item.value
        real = self.names.get(item.value.text)
        if real is None:
            real = self.new_id(host)
            self.names.bind({item.value.text: real})
        return real

    def _example(self, host: Host, kind: str) -> Payload:
        shape = MESSAGES.get(kind)
        payload: Payload = deepcopy(dict(shape.EXAMPLE)) if shape is not None else {}
        for field in _FRESH:
            if field in payload and payload[field] is not None:
                payload[field] = self.new_id(host)
        return payload

    def task(self, host: Host, named: Payload, *, ended: bool | None = None) -> Task | None:
        """The task that a frame of this desktop is about."""
        request = named.get("requestId")
        if isinstance(request, str):
            return self.ledger.tasks.get(request)
        return self.ledger.newest(host.name, ended=ended) or self.ledger.newest(host.name)


# -- what a twin would send --------------------------------------------------------


def _hello(c: Composer, host: Host, named: Payload) -> Payload:
    last = c.hellos.get(host.name)
    if last is not None:
        return deepcopy(last)
    features = c.features.get(host.name, ())
    return {
        "protocolVersion": 1,
        "deviceId": f"device-{host.name}",
        "deviceName": host.name,
        "workspaces": ["chat"],
        "agents": ["claude-code"],
        "features": list(features),
    }


def _welcome(c: Composer, host: Host, named: Payload) -> Payload:
    return {"serverName": host.name, "features": list(c.features.get(host.name, ()))}


def _empty(c: Composer, host: Host, named: Payload) -> Payload:
    return {}


def _dispatch(c: Composer, host: Host, named: Payload) -> Payload:
    request = named.get("requestId") or c.new_id(host)
    lane = next(iter(c.plan.channels.values()), "slack")
    return {
        "requestId": request,
        "externalKey": f"{lane}:T1:C1:{request}",
        "workspace": "chat",
        "sessionId": None,
        "prompt": "Hello",
        "source": {"im": lane},
    }


def _ack(c: Composer, host: Host, named: Payload) -> Payload:
    task = c.task(host, named, ended=False)
    session = task.session if task is not None else None
    return {
        "requestId": task.request if task is not None else named.get("requestId", c.new_id(host)),
        "result": "accepted",
        "reason": None,
        "sessionId": session or c.new_id(host),
        "queuePosition": None,
    }


def _progress(c: Composer, host: Host, named: Payload) -> Payload:
    task = c.task(host, named, ended=False)
    return {"requestId": task.request if task else c.new_id(host), "text": "Working on it"}


def _end(c: Composer, host: Host, named: Payload) -> Payload:
    task = c.task(host, named, ended=False)
    return {
        "requestId": task.request if task else c.new_id(host),
        "externalKey": task.external_key if task else "slack:T1:C1:unknown",
        "sessionId": task.session if task else None,
        "status": "ok",
        "finalText": "Done.",
        "errorMessage": None,
        "usage": {"durationMs": None},
    }


def _reopen(c: Composer, host: Host, named: Payload) -> Payload:
    old = named.get("reopenOf")
    task = (
        c.ledger.tasks.get(old) if isinstance(old, str) else c.ledger.newest(host.name, ended=True)
    )
    return {
        "requestId": c.new_id(host),
        "reopenOf": task.request if task else c.new_id(host),
        "externalKey": task.external_key if task else "slack:T1:C1:unknown",
        "sessionId": task.session if task else None,
        "reason": "user-continued",
    }


def _question(c: Composer, host: Host, named: Payload) -> Payload:
    task = c.task(host, named, ended=False)
    return {
        "requestId": task.request if task else c.new_id(host),
        "interactionId": c.new_id(host),
        "kind": "permission",
        "title": "Allow this?",
        "body": "",
        "buttons": [
            {"id": "perm:allow", "label": "Allow", "style": "primary"},
            {"id": "perm:deny", "label": "Deny", "style": "danger"},
        ],
    }


def _card_facts(c: Composer, host: Host, named: Payload) -> Payload:
    wanted = named.get("interactionId")
    card = c.ledger.cards.get(wanted) if isinstance(wanted, str) else None
    if card is None and c.ledger.cards:
        card = next(reversed(c.ledger.cards.values()))
    return card or {"requestId": c.new_id(host), "interactionId": c.new_id(host), "buttons": []}


def _card_cancel(c: Composer, host: Host, named: Payload) -> Payload:
    card = _card_facts(c, host, named)
    return {
        "requestId": card.get("requestId"),
        "interactionId": card.get("interactionId"),
        "reason": "timed out",
    }


def _decision(c: Composer, host: Host, named: Payload) -> Payload:
    card = _card_facts(c, host, named)
    button = at_path(card, "buttons[0].id")
    return {
        "requestId": card.get("requestId"),
        "interactionId": card.get("interactionId"),
        "buttonId": "perm:allow" if button is MISSING else button,
    }


def _last_request(c: Composer, named: Payload) -> Task | None:
    request = named.get("requestId")
    if isinstance(request, str):
        return c.ledger.tasks.get(request)
    return next(reversed(c.ledger.tasks.values()), None)


def _cancel(c: Composer, host: Host, named: Payload) -> Payload:
    task = _last_request(c, named)
    return {"requestId": task.request if task else c.new_id(host)}


def _archive(c: Composer, host: Host, named: Payload) -> Payload:
    task = _last_request(c, named)
    return {"externalKey": task.external_key if task else "slack:T1:C1:unknown"}


_BUILDERS: dict[str, Callable[[Composer, Host, Payload], Payload]] = {
    "hello": _hello,
    "welcome": _welcome,
    "ping": _empty,
    "pong": _empty,
    "task.dispatch": _dispatch,
    "task.ack": _ack,
    "turn.progress": _progress,
    "turn.end": _end,
    "turn.reopen": _reopen,
    "interaction.request": _question,
    "interaction.cancel": _card_cancel,
    "interaction.decision": _decision,
    "task.cancel": _cancel,
    "session.archive": _archive,
}


# -- fields that go together --------------------------------------------------------


def _link_ack(payload: Payload) -> Payload:
    result = payload.get("result")
    if result == "rejected":
        payload["reason"] = payload.get("reason") or "invalid"
        payload["sessionId"] = None
    elif result == "queued":
        payload["queuePosition"] = 0
    return payload


def _link_end(payload: Payload) -> Payload:
    if payload.get("status") == "error":
        payload["errorMessage"] = payload.get("errorMessage") or "Something went wrong."
        payload["finalText"] = ""
    return payload


_LINKAGE: dict[str, Callable[[Payload], Payload]] = {
    "task.ack": _link_ack,
    "turn.end": _link_end,
}
