"""A load of the relay protocol: controllers whose commands go through a relay to nodes.

Nodes and controllers are as simple as they can be; what is measured is the relay, its
queues, and all oracles over its trace. Two of three commands of a controller go to one
tab, so that some wait. Everybody pings, as clients do.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from sim.core.actor import Actor, Port
from sim.core.event import FrameSent
from sim.core.invariant import Monitor
from sim.core.op import Connection, Dial, Frame, Send, StartTimer
from sim.protocols.relay.constants import CONTROLLER, NODE, WAIT_WITH_TIMEOUT
from sim.protocols.relay.frames import Auth, Command, Hello, Ping, RelayBody, Result
from sim.protocols.relay.intake import made
from sim.protocols.relay.invariants import invariants_for
from sim.protocols.relay.relay.endpoint import Relay
from sim.protocols.relay.relay.plan import RelayPlan
from sim.protocols.relay.relay.sessions import Grant
from sim.protocols.relay.view import RelayView
from sim.world.world import World

PING_US = 8_000_000
AT_ONCE = 3
SITE = {"site": "example.com", "command": "noop"}


class Peer(Actor):
    """Says hello, shows its token, pings."""

    __slots__ = ("conn", "load", "role")

    def __init__(self, port: Port, load: RelayLoad, role: str) -> None:
        super().__init__(port)
        self.load = load
        self.role = role
        self.conn: Any = None

    async def on_start(self) -> None:
        self.conn = await self.perform(Dial("R", self.role))
        await self.say(Hello(role=self.role))
        await self.say(Auth(access_token=self.port.name))
        await self.on_timer("ping", "")

    async def on_timer(self, kind: str, key: str) -> None:
        await self.say(Ping())
        await self.perform(StartTimer("ping", "", PING_US, background=True))

    async def say(self, body: RelayBody, request_id: str = "") -> None:
        await self.perform(Send(self.conn, made(self.port, body, self.role, request_id)))


class Caller(Peer):
    """Sends its commands, three at a time."""

    __slots__ = ("sent",)

    def __init__(self, port: Port, load: RelayLoad) -> None:
        super().__init__(port, load, CONTROLLER)
        self.sent = 0

    async def on_frame(self, conn: Connection, frame: Frame) -> None:
        if frame.type == "auth_ack":
            for _ in range(AT_ONCE):
                await self.call()
        elif frame.type == "result":
            self.load.done += 1
            await self.call()

    async def call(self) -> None:
        """The next command, if any is left."""
        if self.sent == self.load.commands:
            return
        self.sent += 1
        name, nth = self.port.name, self.sent
        body = Command(
            target_node_id=self.load.node_of(name),
            action="command.run",
            payload=SITE,
            tab_session_id=f"{name}.{nth % AT_ONCE and 1}",
            wait_policy=WAIT_WITH_TIMEOUT,
            replay_nonce=f"{name}-{nth}",
        )
        await self.say(body, f"{name}-{nth}")


class Worker(Peer):
    """Answers every command at once."""

    __slots__ = ()

    async def on_frame(self, conn: Connection, frame: Frame) -> None:
        if frame.type == "command":
            body = Result(ok=True, duration_ms=1, action="command.run", data={})
            await self.say(body, frame.id)  # type: ignore[attr-defined]


class RelayLoad:
    """A world with one relay; ``controllers`` call ``nodes``, ``commands`` times each.

    ``frames`` counts the frames that were sent.
    """

    def __init__(
        self, controllers: int, commands: int, *, nodes: int = 100, judged: bool = True
    ) -> None:
        self.world = world = World(1)
        self.controllers = controllers
        self.commands = commands
        self.nodes = min(nodes, controllers)
        self.frames = 0
        self.done = 0
        tokens = {f"C{n}": Grant(CONTROLLER, f"ctl_{n}") for n in range(controllers)}
        tokens |= {f"N{n}": Grant(NODE, f"node_{n}") for n in range(self.nodes)}
        plan = RelayPlan(tokens=tokens)
        world.add_host("R", "relay", lambda port: Relay(port, plan))
        for name, grant in tokens.items():
            if grant.role == NODE:
                world.add_host(name, NODE, lambda port: Worker(port, self, NODE))
            else:
                world.add_host(name, CONTROLLER, lambda port: Caller(port, self))
        self.monitor = Monitor([])
        if judged:
            view = RelayView(plan)
            for kind in view.kinds:
                world.watch(kind, view.on)
            self.monitor = Monitor(invariants_for(view, frozenset({"relay"})))
            self.monitor.attach(world.watch)
        world.watch(FrameSent, self._count)

    def boot(self) -> None:
        """Start all hosts, nodes first, so that nobody is refused."""
        names = sorted(self.world.hosts, key=lambda name: "RNC".index(name[0]))
        for n, name in enumerate(names):
            late = 0 if name[0] in "RN" else 1_000_000
            self.world.at(late + n, "boot", partial(self.world.boot, name))

    def node_of(self, controller: str) -> str:
        """Whom a controller calls."""
        return f"node_{int(controller[1:]) % self.nodes}"

    def over(self) -> bool:
        """All commands have their results."""
        return self.done == self.controllers * self.commands

    def _count(self, event: FrameSent) -> None:
        self.frames += 1
