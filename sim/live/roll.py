"""Who is who on real connections: devices become hosts, connections get a lane and a number.

The names are those of simulated runs: the first device is ``D``, the next ``D2``; its
connections to one chat service are generations of one lane, ``D.slack#1``, ``D.slack#2``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import parse_qs

import attrs

from sim.channel.services import SERVICES
from sim.wire.decode import NotJson, decode_json

LANES = SERVICES
_WORDS = {"slack": "slack", "telegram": "telegram", "tg": "telegram", "x": "x", "twitter": "x"}


@attrs.frozen
class Named:
    """A connection: the host that dialled, the lane (without the host), the whole name."""

    client: str
    lane: str
    link: str

    @property
    def track(self) -> str:
        """What stays the same when it reconnects: ``D.slack``."""
        return f"{self.client}.{self.lane}"


class Roll:
    """Gives names in order of appearance."""

    def __init__(self) -> None:
        self._devices: dict[str, str] = {}
        self._generations: dict[str, int] = {}
        self._hosts = 0

    def name(self, path: str, first: str | None) -> Named:
        """The name of a new connection. ``first`` is what its client sent first, if it did.

        A client that introduces itself with no ``hello`` is a device of its own.
        """
        hello = hello_of(first)
        device = hello.get("deviceId")
        if isinstance(device, str) and device:
            client = self._devices.get(device) or self._devices.setdefault(device, self._next())
        else:
            client = self._next()
        lane = lane_of(path) or _lane_of_features(hello.get("features"))
        track = f"{client}.{lane}"
        number = self._generations[track] = self._generations.get(track, 0) + 1
        return Named(client, lane, f"{track}#{number}")

    def stranger(self, path: str) -> Named:
        """Whose dial came to nothing, as near as one can know; nobody is counted for it.

        ``D0`` where several devices are known, for it may have been any of them.
        """
        client = "D" if self._hosts <= 1 else "D0"
        lane = lane_of(path) or LANES[0]
        track = f"{client}.{lane}"
        return Named(client, lane, f"{track}#{self._generations.get(track, 0) + 1}")

    def left(self, named: Named) -> None:
        """A connection is over: a device keeps its name."""

    def _next(self) -> str:
        self._hosts += 1
        return "D" if self._hosts == 1 else f"D{self._hosts}"


class PeerRoll:
    """The same for peers of a relay: ``A``, ``A2`` are controllers, ``N``, ``N2`` nodes.

    A node that names itself keeps its name. Whom a hello does not name, as controllers, gets
    the first name of its role that nobody has: who comes back is taken for who has gone.
    """

    FIRSTS: ClassVar[Mapping[str, str]] = {"controller": "A", "node": "N"}

    def __init__(self) -> None:
        self._nodes: dict[str, str] = {}
        self._open: dict[str, int] = {}
        self._generations: dict[str, int] = {}

    def name(self, path: str, first: str | None) -> Named:
        """The name of a new connection. ``first`` is what its client sent first, if it did."""
        hello = payload_of(first, "messageType", "hello")
        role = self._role(path, hello.get("role"))
        node = hello.get("nodeId") if role == "node" else None
        if isinstance(node, str) and node:
            client = self._nodes.get(node) or self._nodes.setdefault(node, self._next(role))
        else:
            client = self._next(role)
        track = f"{client}.{role}"
        number = self._generations[track] = self._generations.get(track, 0) + 1
        self._open[client] = self._open.get(client, 0) + 1
        return Named(client, role, f"{track}#{number}")

    def stranger(self, path: str) -> Named:
        """Whose dial came to nothing; nobody is counted for it."""
        role = self._role(path, None)
        client = f"{self.FIRSTS[role]}0"
        return Named(client, role, f"{client}.{role}#1")

    def left(self, named: Named) -> None:
        """A connection is over."""
        self._open[named.client] = self._open.get(named.client, 1) - 1

    def _role(self, path: str, said: object) -> str:
        """The hello's role counts, before it that of the query; who says neither controls."""
        asked = parse_qs(path.partition("?")[2]).get("role", [""])[-1]
        words = (word for word in (said, asked) if isinstance(word, str))
        return next((word for word in words if word in self.FIRSTS), "controller")

    def _next(self, role: str) -> str:
        first, number = self.FIRSTS[role], 1
        owned = self._nodes.values()
        while True:
            name = first if number == 1 else f"{first}{number}"
            if not self._open.get(name) and name not in owned:
                return name
            number += 1


def lane_of(path: str) -> str:
    """The chat service that a URL path names (``/hook/slack``), "" if none."""
    for word in reversed(re.split(r"[^a-z]+", path.partition("?")[0].lower())):
        if word in _WORDS:
            return _WORDS[word]
    return ""


def hello_of(text: str | None) -> dict[str, Any]:
    """The payload of a hello, {} for anything else."""
    return payload_of(text, "type", "hello")


def payload_of(text: str | None, key: str, kind: str) -> dict[str, Any]:
    """The payload of a frame whose type, under this key, is ``kind``; {} for anything else."""
    if text is None:
        return {}
    try:
        frame = decode_json(text)
    except NotJson:
        return {}
    if not isinstance(frame, dict) or frame.get(key) != kind:
        return {}
    payload = frame.get("payload")
    return payload if isinstance(payload, dict) else {}


def _lane_of_features(features: object) -> str:
    """What a desktop announces tells the lane where the path does not."""
    if isinstance(features, list):
        for lane in LANES:
            if f"provider:{lane}" in features:
                return lane
        if "turn-delivery-v1" in features:
            return "x"
    return "slack"
