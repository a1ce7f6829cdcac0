"""A stage with all three twins: relay R, node N (node_alpha), controllers A and B."""

from __future__ import annotations

from typing import Any

import attrs

from sim.core.event import FrameDelivered, FrameSent, Noted
from sim.drivers.step import StepDriver
from sim.protocols.relay.controller import Controller, ControllerPlan
from sim.protocols.relay.node import Node, NodePlan
from sim.protocols.relay.relay.plan import RelayPlan
from sim.protocols.relay.relay.sessions import Grant
from sim.protocols.relay.rules import RelayRules
from sim.world.world import World
from tests.protocols.relay.relay_play import InterruptedRelay

MS = 1_000
TOKENS = {
    "token-A": Grant("controller", "ctl_A"),
    "token-B": Grant("controller", "ctl_B"),
    "token-N": Grant("node", "node_alpha"),
}


class TwinsPlay:
    """Acts in, what was heard out. Links take 10 ms."""

    def __init__(self, *rules_off: str, seed: int = 5, preempt: bool = False, **node: Any) -> None:
        rules = attrs.evolve(RelayRules(), **dict.fromkeys(rules_off, False))
        node_plan = NodePlan(node_id="node_alpha", token="token-N", rules=rules, **node)
        relay_plan = RelayPlan(tokens=TOKENS, refresh_tokens={}, rules=rules)
        self.world = World(seed, preempt=preempt)
        self.world.add_host("R", "relay", lambda port: InterruptedRelay(port, relay_plan))
        self.world.add_host("N", "node", lambda port: Node(port, node_plan))
        for name in "AB":
            made = ControllerPlan(token=f"token-{name}", nodes=("node_alpha",), rules=rules)
            self.world.add_host(name, "controller", lambda port, made=made: Controller(port, made))
        for pair in ("AR", "BR", "NR"):
            for one, other in (pair, pair[::-1]):
                self.world.latencies[one, other] = (10 * MS, 10 * MS)
        self.driver = StepDriver(self.world)
        for name in "RNAB":
            self.world.boot(name)

    def wait(self, ms: float) -> None:
        self.driver.run(limit_us=self.world.now + int(ms * MS))

    def do(self, who: str, act: Any, ms: float = 300) -> None:
        self.world.act(who, act)
        self.wait(ms)

    def actor(self, who: str) -> Any:
        return self.world.hosts[who].actor

    def notes(self, who: str, what: str) -> list[Any]:
        return [
            e.data
            for e in self.world.events
            if type(e) is Noted and (e.host, e.what) == (who, what)
        ]

    def ends(self, who: str) -> list[tuple[str, str]]:
        """How the calls of a controller have ended: (requestId, how or code)."""
        return [(d["request"], d.get("code", d["how"])) for d in self.notes(who, "outcome")]

    def heard(self, who: str, family: str = "") -> list[dict[str, Any]]:
        return self._wires(FrameDelivered, "receiver", who, family)

    def said(self, who: str, family: str = "") -> list[dict[str, Any]]:
        return self._wires(FrameSent, "sender", who, family)

    def _wires(self, kind: Any, side: str, who: str, family: str) -> list[dict[str, Any]]:
        sent = {e.n: e.frame.wire for e in self.world.events if type(e) is FrameSent}
        found = []
        for e in self.world.events:
            if type(e) is kind and getattr(e, side) == who:
                wire = sent[e.n if kind is FrameSent else e.sent]
                if family in ("", wire["messageType"]):
                    found.append(wire)
        return found
