"""A stage for the relay twin: controllers and nodes held by hand, links of 1 ms."""

from __future__ import annotations

import json
from typing import Any

import attrs

from sim.core.actor import Actor, CloseReason, Port
from sim.core.op import Connection, Dial, Frame, OpaqueFrame, Send
from sim.drivers.step import StepDriver
from sim.protocols.relay.frames import MESSAGES, shape_of
from sim.protocols.relay.predicates import iso_timestamp
from sim.protocols.relay.relay.endpoint import Relay
from sim.protocols.relay.relay.plan import Limits, RelayPlan
from sim.protocols.relay.relay.sessions import Grant
from sim.protocols.relay.rules import RelayRules
from sim.wire.message import Message
from sim.world import fault
from sim.world.world import World

MS = 1000
PEERS = {
    "A": ("controller", "ctl_a"),
    "B": ("controller", "ctl_b"),
    "C": ("controller", "ctl_c"),
    "N": ("node", "node_n"),
    "M": ("node", "node_m"),
}
"""Hosts with their roles and identities; a host may dial several times."""

TEXT = "primitive.dom.extract_text"
OPEN = "primitive.tab.open"
RUN = "command.run"
SUB = "listener.subscribe"
UNSUB = "listener.unsubscribe"


class InterruptedRelay(Relay):
    """A relay that preemption may stop between any two ops, which it has to stand all the same:
    over real sockets it may have to wait for room to write."""

    ONE_AT_A_TIME = False


class Puppet(Actor):
    """A peer that does what the test says."""

    __slots__ = ("conns", "play")

    def __init__(self, port: Port, play: RelayPlay) -> None:
        super().__init__(port)
        self.play = play
        self.conns: list[Connection] = []

    async def on_act(self, act: Any) -> None:
        if act in ("dial", "join"):
            conn: Any = await self.perform(Dial("R", self.play.role(self.port.name)))
            if conn is not None:
                self.conns.append(conn)
            for frame in self.play.greeting(self.port.name) if act == "join" and conn else ():
                await self.perform(Send(conn, frame))
        else:
            nth, frame = act
            await self.perform(Send(self.conns[nth], frame))

    async def on_frame(self, conn: Connection, frame: Frame) -> None:
        who = self.port.name, self.conns.index(conn)
        self.play.heard.append((who, self.port.now_us(), frame.wire))

    async def on_close(self, conn: Connection, close: CloseReason) -> None:
        self.play.closed.append((self.port.name, self.conns.index(conn), close.code))


class RelayPlay:
    """Controllers A, B, C, nodes N and M, and the relay R between them."""

    def __init__(
        self,
        *,
        off: tuple[str, ...] = (),
        limits: Limits | None = None,
        tokens: dict[str, Grant] | None = None,
        refresh: dict[str, Grant] | None = None,
        seed: int = 1,
        preempt: bool = False,
        ready: str = "ABN",
    ) -> None:
        self.heard: list[tuple[tuple[str, int], int, dict[str, Any]]] = []
        self.closed: list[tuple[str, int, int]] = []
        self._nonces = 0
        self._read: dict[tuple[str, int], int] = {}
        grants = {f"token-{who}": Grant(*of) for who, of in PEERS.items()}
        self.plan = RelayPlan(
            tokens={**grants, **(tokens or {})},
            refresh_tokens=refresh or {},
            rules=attrs.evolve(RelayRules(), **dict.fromkeys(off, False)),
            limits=limits or Limits(auth_check_ms=2),
        )
        self.world = World(seed, preempt=preempt)
        self.driver = StepDriver(self.world)
        self.world.add_host("R", "relay", lambda port: InterruptedRelay(port, self.plan))
        for who in PEERS:
            self.world.add_host(who, PEERS[who][0], lambda port: Puppet(port, self))
            self.world.latencies[who, "R"] = self.world.latencies["R", who] = (MS, MS)
        for name in ("R", *PEERS):
            self.world.boot(name)
        self.run(1)
        for who in ready:
            self.join(who)

    def role(self, who: str) -> str:
        return PEERS[who][0]

    # -- time and faults ---------------------------------------------------------

    def run(self, ms: float = 10) -> None:
        """Let virtual time pass."""
        self.driver.run(limit_us=self.world.now + int(ms * MS))

    def now_ms(self, who: str = "R") -> int:
        return self.world.hosts[who].now_ms()

    def cut(self, who: str, nth: int = -1, how: str = "fin", wait: float = 10) -> None:
        fault.cut(self.world, self.puppet(who).conns[nth].link, how)
        self.run(wait)

    def puppet(self, who: str) -> Any:
        return self.world.hosts[who].actor

    @property
    def relay(self) -> Relay:
        actor = self.world.hosts["R"].actor
        assert isinstance(actor, Relay)
        return actor

    def fire(self, kind: str, key: str) -> None:
        """A timer of the relay whose news comes when everything has changed."""
        self.world.start(self.world.hosts["R"], self.relay.on_timer(kind, key), "on_timer", -1)
        self.run(5)

    # -- what peers say --------------------------------------------------------------

    def dial(self, who: str) -> None:
        self.world.act(who, "dial")
        self.run(5)

    def join(self, who: str, token: str = "", **hello: Any) -> None:
        """A new connection, hello and auth; what is heard of it is not counted."""
        self.dial(who)
        self.say(who, "hello", f"hello-{who}", role=self.role(who), **hello)
        check = self.plan.limits.auth_check_ms + 10
        self.say(who, "auth", f"auth-{who}", accessToken=token or f"token-{who}", wait=check)
        began = self.frames(who)[:2]
        assert [short(wire) for wire in began] == [f"hello_ack hello-{who}", f"auth_ack auth-{who}"]
        self._read[who, len(self.puppet(who).conns) - 1] = 2

    def greeting(self, who: str) -> list[Message]:
        """hello and auth."""
        hello = self.frame(who, "hello", f"hello-{who}", {"role": self.role(who)})
        auth = self.frame(who, "auth", f"auth-{who}", {"accessToken": f"token-{who}"})
        return [message(hello), message(auth)]

    def say(
        self, who: str, kind: str, id: str, *, nth: int = -1, wait: float = 10, **payload: Any
    ) -> None:
        """A frame of a family, stamped now."""
        self.send(who, self.frame(who, kind, id, payload), nth, wait)

    def frame(self, who: str, kind: str, id: str, payload: dict[str, Any]) -> dict[str, Any]:
        """A decoded frame of this peer, stamped now."""
        return {
            "protocolVersion": "1.0",
            "messageType": kind,
            "requestId": id,
            "timestamp": iso_timestamp(self.now_ms()),
            "senderRole": self.role(who),
            "payload": payload,
        }

    def send(self, who: str, wire: Any, nth: int = -1, wait: float = 10) -> None:
        """Any text or object, as it is."""
        self.world.act(who, (nth, frame_of(wire)))
        self.run(wait)

    def command(
        self,
        who: str,
        id: str,
        tab: str | None = "T1",
        action: str = TEXT,
        *,
        inner: dict[str, Any] | None = None,
        waits: bool = True,
        node: str = "node_n",
        nth: int = -1,
        wait: float = 10,
        **more: Any,
    ) -> None:
        """A command with a fresh nonce; it waits for its tab unless told otherwise."""
        self._nonces += 1
        payload = {
            "targetNodeId": node,
            "action": action,
            "payload": inner or {},
            "replayNonce": f"nonce-{self._nonces}",
            "waitPolicy": "wait_with_timeout" if waits else "fail_fast",
            **more,
        }
        if tab is not None:
            payload["tabSessionId"] = tab
        self.say(who, "command", id, nth=nth, wait=wait, **payload)

    def result(self, id: str, who: str = "N", action: str = TEXT, **more: Any) -> None:
        """A node's good result, unless ``ok`` says otherwise."""
        nth, wait = more.pop("nth", -1), more.pop("wait", 10)
        payload = {"ok": True, "durationMs": 5, "action": action, **more}
        self.say(who, "result", id, nth=nth, wait=wait, **payload)

    def failure(self, id: str, who: str = "N", code: str = "command_failed", **more: Any) -> None:
        payload = {"category": "execution", "code": code, "message": "no", **more}
        self.say(who, "error", id, **payload)

    def update(self, id: str, who: str = "N", nth: int = -1, **more: Any) -> None:
        self.say(who, "event", id, nth=nth, type="listener_update", data=more)

    def subscribe(self, who: str, id: str, tab: str | None = None, **more: Any) -> None:
        """A subscribe that the node takes."""
        self.command(who, id, tab, SUB, inner={"listener": "chat"}, **more)
        self.result(id, action=SUB)

    def unsubscribe(self, who: str, id: str, target: str, tab: str | None = None) -> None:
        self.command(who, id, tab, UNSUB, inner={"targetRequestId": target})

    def lock(self, who: str, id: str, lease_ms: Any = 400, tab: str = "T1", **more: Any) -> None:
        lease = {} if lease_ms is None else {"lockLeaseMs": lease_ms}
        more = {"targetNodeId": "node_n", "tabSessionId": tab, **lease, **more}
        self.say(who, "tab_lock", id, **more)

    def unlock(self, who: str, id: str, tab: str = "T1") -> None:
        self.say(who, "tab_unlock", id, targetNodeId="node_n", tabSessionId=tab)

    def cancel(self, who: str, id: str, target: str) -> None:
        self.say(who, "command_cancel", id, targetRequestId=target)

    # -- what peers hear ---------------------------------------------------------------

    def frames(self, who: str, nth: int = -1) -> list[dict[str, Any]]:
        """All frames that came on a peer's nth connection."""
        return [wire for _, wire in self.timed(who, nth)]

    def timed(self, who: str, nth: int = -1) -> list[tuple[int, dict[str, Any]]]:
        nth = nth if nth >= 0 else len(self.puppet(who).conns) - 1
        return [(at, wire) for place, at, wire in self.heard if place == (who, nth)]

    def got(self, who: str, nth: int = -1) -> list[str]:
        """What came since the last look, in short: ``routed k1``, ``tab_busy k2``."""
        nth = nth if nth >= 0 else len(self.puppet(who).conns) - 1
        frames = self.frames(who, nth)
        seen = self._read.get((who, nth), 0)
        self._read[who, nth] = len(frames)
        return [short(wire) for wire in frames[seen:]]

    def last(self, who: str, nth: int = -1) -> dict[str, Any]:
        """The payload of the last frame."""
        payload: dict[str, Any] = self.frames(who, nth)[-1]["payload"]
        return payload


def frame_of(wire: Any) -> Any:
    """Whatever a peer may send: a decoded object, or a text that need not be a frame."""
    if isinstance(wire, dict) and wire.get("messageType") in MESSAGES:
        return message(wire)
    return OpaqueFrame(wire if isinstance(wire, str) else json.dumps(wire), "bad")


def message(wire: dict[str, Any]) -> Message:
    """A frame around a decoded object, whatever it holds."""
    kind, id = wire["messageType"], wire.get("requestId", "")
    return Message(kind, id, 0, None, wire, shape_of(wire), wire.get("senderRole", ""))


def short(wire: dict[str, Any]) -> str:
    """A frame in two words; the relay's own commands by action and what they aim at."""
    payload, kind = wire["payload"], wire["messageType"]
    if kind == "command" and wire["senderRole"] == "relay":
        inner = payload["payload"]
        aim = inner.get("controllerClientId") or inner.get("targetRequestId")
        return f"{payload['action']} {aim}"
    if kind == "command_cancel":
        return f"cancel {payload['targetRequestId']}"
    kind = payload.get("code", "?") if kind == "error" else kind
    kind = payload.get("type", "?") if kind == "event" else kind
    return f"{kind} {wire.get('requestId')}"
