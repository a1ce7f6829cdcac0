"""A stage for one peer of the relay: a node or a controller, opposite a hand-held relay."""

from __future__ import annotations

from typing import Any, ClassVar

import attrs

from sim.core.actor import Actor, CloseReason, Port
from sim.core.event import Noted
from sim.core.op import Close, Connection, Frame, Send
from sim.drivers.step import StepDriver
from sim.protocols.relay import (
    make_auth_ack,
    make_command,
    make_command_cancel,
    make_error,
    make_hello_ack,
    make_pong,
    make_result,
)
from sim.protocols.relay.acts import SendCommand
from sim.protocols.relay.controller import Controller, ControllerPlan
from sim.protocols.relay.node import Node, NodePlan
from sim.protocols.relay.rules import RelayRules
from sim.wire.absent import ABSENT
from sim.world import fault
from sim.world.world import World

MS = 1_000
LATENCY_MS = 10


class HandHeldRelay(Actor):
    """Acknowledges hello and auth and answers pings if told so; else does what the test says."""

    __slots__ = ("play",)

    def __init__(self, port: Port, play: Play) -> None:
        super().__init__(port)
        self.play = play

    async def on_open(self, conn: Connection) -> None:
        self.play.sockets.append(conn)

    async def on_frame(self, conn: Connection, frame: Frame) -> None:
        play, id = self.play, {"request_id": frame.wire.get("requestId")}
        play.received.append((conn.name, frame.wire))
        answer = None
        if frame.type == "hello" and play.greets:
            answer = make_hello_ack(accepted=True, heartbeatIntervalMs=8000, **id)
        elif frame.type == "auth" and play.greets:
            answer = make_auth_ack(accepted=True, scopes=[], **play.identity, **id)
        elif frame.type == "ping" and play.pongs:
            answer = make_pong(ok=True, **id)
        if answer is not None:
            await self.perform(Send(conn, answer))

    async def on_close(self, conn: Connection, close: CloseReason) -> None:
        self.play.closed.append((conn.name, close.code, close.reason))

    async def on_act(self, act: Any) -> None:
        conn, what = act
        await self.perform(Close(conn, *what) if isinstance(what, tuple) else Send(conn, what))


class Play:
    """Helpers that read like the protocol. ``P`` is the peer, ``R`` the relay."""

    identity: ClassVar[dict[str, Any]]

    def __init__(self, make: Any, *, greets: bool = True, start: bool = True) -> None:
        self.received: list[tuple[str, dict[str, Any]]] = []
        self.sockets: list[Any] = []
        self.closed: list[tuple[str, int, str]] = []
        self.greets = greets
        self.pongs = True
        self.world = World(11)
        self.driver = StepDriver(self.world)
        for pair in (("P", "R"), ("R", "P")):
            self.world.latencies[pair] = (LATENCY_MS * MS, LATENCY_MS * MS)
        self.world.add_host("R", "relay", lambda port: HandHeldRelay(port, self))
        self.host = self.world.add_host("P", "peer", make)
        if start:
            self.world.boot("R")
            self.world.boot("P")
            self.wait(200)

    @property
    def peer(self) -> Any:
        return self.host.actor

    # -- what happens

    def wait(self, ms: float) -> None:
        self.driver.run(limit_us=self.world.now + int(ms * MS))

    def say(self, frame: Any, ms: float = 2 * LATENCY_MS, conn: Any = None) -> None:
        """The relay writes a frame, and some time passes."""
        self.world.act("R", (conn or self.sockets[-1], frame))
        self.wait(ms)

    def do(self, act: Any, ms: float = 2 * LATENCY_MS) -> None:
        """The peer is directed to do something."""
        self.world.act("P", act)
        self.wait(ms)

    def hang_up(self, ms: float = 2 * LATENCY_MS) -> None:
        """The relay closes the newest socket."""
        self.say((1000, "bye"), ms)

    def crash(self, ms: float = 2_000) -> None:
        """The peer's process dies and comes back."""
        fault.crash(self.world, "P")
        self.wait(100)
        self.world.boot("P")
        self.wait(ms)

    # -- what came of it

    def heard(self, family: str = "") -> list[dict[str, Any]]:
        """The frames of this family that the relay got."""
        return [wire for _, wire in self.received if family in ("", wire.get("messageType"))]

    def ends(self, request: str) -> list[dict[str, Any]]:
        """Payloads of the terminal frames under a requestId."""
        return [
            wire["payload"]
            for wire in self.heard()
            if wire["requestId"] == request and wire["messageType"] in ("result", "error")
        ]

    def end(self, request: str) -> dict[str, Any]:
        """The one terminal frame under a requestId."""
        (payload,) = self.ends(request)
        return payload

    def code(self, request: str) -> str:
        """The code of the one terminal frame, "" for a good one."""
        return str(self.end(request).get("code", ""))

    def notes(self, what: str) -> list[Any]:
        """The facts of this name that the peer has noted."""
        return [e.data for e in self.world.events if type(e) is Noted and e.what == what]


def rules_without(*off: str) -> RelayRules:
    return attrs.evolve(RelayRules(), **dict.fromkeys(off, False))


class NodePlay(Play):
    """A node, node_alpha, and the commands that it gets."""

    identity: ClassVar = {"role": "node", "nodeId": "node_alpha"}

    def __init__(self, *rules_off: str, greets: bool = True, start: bool = True, **plan: Any):
        plan.setdefault("token", "token-N")
        plan.setdefault("node_id", "node_alpha")
        made = NodePlan(rules=rules_without(*rules_off), **plan)
        super().__init__(lambda port: Node(port, made), greets=greets, start=start)

    def command(
        self,
        request: str,
        action: str,
        payload: dict[str, Any] | None = None,
        tab: str = "",
        key: str = "",
        ms: float = 300,
        **more: Any,
    ) -> None:
        conn, sender = more.pop("conn", None), more.pop("sender_role", "controller")
        frame = make_command(
            request_id=request,
            sender_role=sender,
            target_node_id=more.pop("target", "node_alpha"),
            tab_session_id=tab or ABSENT,
            action=action,
            payload=payload or {},
            idempotency_key=key or ABSENT,
            replay_nonce=f"nonce-{request}-{len(self.world.events)}",
            **more,
        )
        self.say(frame, ms, conn)

    def run(self, request: str, command: str, inputs: Any = None, **more: Any) -> None:
        """command.run of a command of example.com."""
        payload: dict[str, Any] = {"site": "example.com", "command": command}
        if inputs is not None:
            payload["input"] = inputs
        self.command(request, "command.run", payload, **more)

    def open(self, request: str = "open", url: str = "https://example.com/", owner: str = "ctl_1"):
        self.command(request, "primitive.tab.open", {"url": url, "__controllerClientId": owner})

    def cancel(self, target: str, request: str = "cancel", ms: float = 2 * LATENCY_MS) -> None:
        frame = make_command_cancel(target_request_id=target, request_id=request)
        self.say(frame, ms)

    def close_owned(self, owner: str, request: str = "cleanup", ms: float = 30) -> None:
        payload = {"controllerClientId": owner}
        action = "primitive.tab.close_owned"
        self.command(request, action, payload, sender_role="relay", ms=ms)

    def subscribe(self, request: str, tab: str, site: str, ms: float = 30, **options: Any) -> None:
        wanted = {"tabSessionId": tab, "site": site, **options}
        payload = {"listener": "network.http_intercept", "options": wanted}
        self.command(request, "listener.subscribe", payload, tab=tab, ms=ms)

    def updates(self, request: str) -> list[dict[str, Any]]:
        return [
            wire["payload"]
            for wire in self.heard("event")
            if wire["requestId"] == request and wire["payload"]["type"] == "listener_update"
        ]

    def tabs(self) -> list[str]:
        return list(self.peer.browser.tabs)


class ControllerPlay(Play):
    """A controller, ctl_1, that works with node_alpha."""

    identity: ClassVar = {"role": "controller", "controllerId": "ctl_1"}

    def __init__(self, *rules_off: str, greets: bool = True, start: bool = True, **plan: Any):
        plan.setdefault("token", "token-A")
        plan.setdefault("nodes", ("node_alpha",))
        made = ControllerPlan(rules=rules_without(*rules_off), **plan)
        super().__init__(lambda port: Controller(port, made), greets=greets, start=start)

    def outcomes(self) -> list[tuple[str, str]]:
        """How each call has ended, in order: (requestId, how)."""
        return [(fact["request"], fact["how"]) for fact in self.notes("outcome")]


LIST = SendCommand("command.list", request="list")


def answer(play: ControllerPlay, request: str, data: Any = None, ms: float = 20) -> None:
    """The relay passes on a good result."""
    frame = make_result(ok=True, durationMs=5, action="command.list", data=data, request_id=request)
    play.say(frame, ms)


def fail(play: ControllerPlay, request: str, code: str, ms: float = 20, **more: Any) -> None:
    """The relay passes on an error."""
    frame = make_error(category="execution", code=code, message="", request_id=request, **more)
    play.say(frame, ms)
