"""A recorded conversation, told again: its peers' sides as recorded, the relay's by the twin."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs

from sim.core.actor import Actor, CloseReason, Port
from sim.core.op import Close, Connection, Dial, Frame, Send
from sim.drivers.step import StepDriver
from sim.protocols.relay.acts import RemoveController
from sim.protocols.relay.relay.endpoint import Relay
from sim.protocols.relay.relay.plan import Limits, RelayPlan
from sim.protocols.relay.relay.sessions import Grant
from sim.protocols.relay.rules import RelayRules
from sim.world.host import START_MS
from sim.world.world import World
from tests.protocols.relay.relay_play import frame_of

Wire = dict[str, Any]

CLOSE = "<websocket close>"
CLOSED: Wire = {"messageType": "close", "requestId": "", "payload": {}}


class Recorded(Actor):
    """One socket of the recording."""

    __slots__ = ("conn", "heard", "times_ms")

    def __init__(self, port: Port) -> None:
        super().__init__(port)
        self.conn: Any = None
        self.heard: list[Wire] = []
        self.times_ms: list[float] = []

    async def on_act(self, act: Any) -> None:
        if act == "open":
            self.conn = await self.perform(Dial("R", "peer"))
        elif act == CLOSE:
            await self.perform(Close(self.conn, 1005))
        else:
            await self.perform(Send(self.conn, act))

    async def on_frame(self, conn: Connection, frame: Frame) -> None:
        self._hear(frame.wire)

    async def on_close(self, conn: Connection, close: CloseReason) -> None:
        self._hear(CLOSED)

    def _hear(self, wire: Wire) -> None:
        self.heard.append(wire)
        self.times_ms.append(self.port.now_us() / 1000)


@attrs.define
class Recording:
    """One file: its settings and tokens, and who did what when."""

    name: str
    started_ms: int
    settings: Wire
    tokens: Wire
    lines: list[Wire]

    def deeds(self) -> Iterator[tuple[float, str, Any]]:
        """When, who, what: open, a frame, a text, or a deed of the socket or the administrator."""
        for line in self.lines:
            kind, who, frame = line["dir"], line["who"], line["frame"]
            if kind == "open":
                yield line["at_ms"], who, "open"
            elif kind == "send":
                yield line["at_ms"], who, line["raw"] if frame is None else frame
            elif kind == "http" and frame["path"] == "/api/controller/remove":
                yield line["at_ms"], who, RemoveController(frame["request"]["clientId"])

    def received(self, who: str) -> list[tuple[float, Wire]]:
        """When a peer heard what; a close by the relay stands as a frame of its own."""
        closes = CLOSE in [what for _, by, what in self.deeds() if by == who]
        lines = [line for line in self.lines if line["who"] == who]
        heard = [
            one for one in lines if one["dir"] == "recv" or (one["dir"] == "close" and not closes)
        ]
        return [(one["at_ms"], one["frame"] if one["dir"] == "recv" else CLOSED) for one in heard]

    def peers(self) -> list[str]:
        return list(dict.fromkeys(who for _, who, what in self.deeds() if what == "open"))


def recording(file: Path) -> Recording:
    """A file, read."""
    meta, *lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    facts = meta["frame"]
    started, settings = facts["started_at_epoch_ms"], facts["settings"]
    return Recording(file.stem, started, settings, facts["tokens"], lines)


class Retold:
    """The same again, with the twin in the middle; its clock is that of the recording."""

    def __init__(self, of: Recording, rules: RelayRules | None = None, check_ms: int = 0) -> None:
        self.of = of
        self.names: dict[str, str] = {}
        self.issued: dict[str, str] = {}
        self.world = World(1)
        self.driver = StepDriver(self.world)
        self.plan = plan = RelayPlan(
            tokens=grants(of),
            refresh_tokens=refresh_grants(of),
            rules=rules or RelayRules(),
            limits=limits(of, check_ms),
        )
        self.world.add_host("R", "relay", lambda port: Relay(port, plan))
        self.world.hosts["R"].skew_us = (of.started_ms - START_MS) * 1000
        for who in of.peers():
            self.world.add_host(who, "peer", Recorded)
            self.world.latencies[who, "R"] = self.world.latencies["R", who] = (0, 0)
        for name in list(self.world.hosts):
            self.world.boot(name)
        self.driver.drain()

    def peer(self, who: str) -> Recorded:
        actor = self.world.hosts[who].actor
        assert isinstance(actor, Recorded)
        return actor

    def play(self) -> Retold:
        """All deeds at their times, and then silence for as long as the recording went on."""
        for at_ms, who, what in self.of.deeds():
            self.driver.run(limit_us=max(self.world.now, round(at_ms * 1000)))
            if isinstance(what, RemoveController):
                self.world.act("R", what)
            else:
                self.world.act(who, what if what in ("open", CLOSE) else self._frame(who, what))
            self.driver.run(limit_us=self.world.now)
        self.driver.run(limit_us=round(self.of.lines[-1]["at_ms"] * 1000) + 1000)
        return self

    def _frame(self, who: str, said: Any) -> Any:
        if isinstance(said, dict):
            payload = said.get("payload")
            if said.get("messageType") == "auth" and isinstance(payload, dict):
                token = payload.get("accessToken")
                said = {**said, "payload": {"accessToken": self._token(who, token)}}
            said = {**said, "requestId": self._own(who, said.get("requestId"))}
            if said["requestId"] is None:
                del said["requestId"]
        return frame_of(said)

    def _token(self, who: str, recorded: Any) -> Any:
        """A token that was refreshed is what the twin has issued."""
        issued = [
            wire["payload"]["accessToken"]
            for wire in self.peer(who).heard
            if wire["messageType"] == "refresh_ack"
        ]
        return issued[-1] if issued else recorded

    def _own(self, who: str, id: Any) -> Any:
        """The relay's own commands have ids of the twin's; a node answers under those."""
        theirs = [wire["requestId"] for _, wire in self.of.received(who) if _is_own(wire)]
        ours = [wire["requestId"] for wire in self.peer(who).heard if _is_own(wire)]
        if id in theirs and theirs.index(id) < len(ours):
            return ours[theirs.index(id)]
        return id


def _is_own(wire: Wire) -> bool:
    return (wire["messageType"], wire.get("senderRole")) == ("command", "relay")


def limits(of: Recording, check_ms: int) -> Limits:
    """The settings of the recording, as the twin calls them."""
    names = {
        "tab_queue_limit": "tab_queue",
        "rate_limit_per_min": "frames_per_minute",
        "replay_window_ms": "replay_window_ms",
        "controller_heartbeat_interval_ms": "heartbeat_interval_ms",
        "controller_heartbeat_miss_limit": "heartbeat_misses",
    }
    found = {names[name]: value for name, value in of.settings.items()}
    if "replay_window_ms" in found:
        found["nonce_memory_ms"] = 2 * found["replay_window_ms"]
    return Limits(auth_check_ms=check_ms, **found)


def grants(of: Recording) -> dict[str, Grant]:
    """The access tokens. A registered client is one identity; it reaches nodes that grant it."""
    found = {}
    for token, facts in of.tokens.items():
        if facts["kind"] != "access":
            continue
        client = facts.get("clientId")
        identity = facts.get("nodeId", "")
        nodes = None
        if facts["role"] == "controller":
            identity = client or facts["controllerId"]
            nodes = None if client is None else granted(of, client)
        expires = of.started_ms + facts["lifetime_s"] * 1000
        found[token] = Grant(facts["role"], identity, tuple(facts["scopes"]), nodes, expires)
    return found


def granted(of: Recording, client: str) -> tuple[str, ...]:
    """The nodes whose owners let this client in."""
    responses = [line["frame"]["response"] for line in of.lines if line["dir"] == "http"]
    return tuple(
        one["nodeId"] for one in responses if one.get("granted") and one["clientId"] == client
    )


def refresh_grants(of: Recording) -> dict[str, Grant]:
    """Refresh tokens belong to whoever got them together with an access token."""
    access, found = grants(of), {}
    for line in of.lines:
        response = line["frame"].get("response", {}) if line["dir"] == "http" else {}
        for prefix in ("controllerA", "nodeA", "a"):
            token, refresh = (
                response.get(f"{prefix}ccessToken"),
                response.get(f"{prefix[:-1]}{'R' if prefix != 'a' else 'r'}efreshToken"),
            )
            if token in access and refresh:
                found[refresh] = attrs.evolve(access[token], expires_ms=None)
    return found


MASKED = {
    "relayVersion",
    "lockExpiresAt",
    "lockOwnerControllerId",
    "accessToken",
    "controllerId",
    "clientId",
    "controllerClientId",
    "actionableHint",
    "__controllerClientId",
}


def masked(wire: Wire) -> Wire:
    """A frame without what the index says to mask."""
    payload: Wire = {k: "*" if k in MASKED else v for k, v in wire["payload"].items()}
    kind, sender = wire["messageType"], wire.get("senderRole", "")
    if kind == "command":
        inner = payload["payload"].items()
        payload["payload"] = {k: "*" if k in MASKED else v for k, v in inner}
    if kind == "error" and sender == "relay":
        payload["message"] = "*"
    if kind == "auth_ack" and payload["role"] == "controller":
        payload.pop("nodeId", None)  # pairing, which is out of scope, ties controllers to nodes
    id = "*" if _is_own(wire) or payload.get("code") == "controller_revoked" else None
    further = {k: v for k, v in wire.items() if k not in ("timestamp", "payload", "requestId")}
    return {**further, "requestId": id or wire.get("requestId"), "payload": payload}
