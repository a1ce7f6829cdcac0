"""Who stands in a relay world: one relay, controllers and nodes, and people beside them.

Host names are the diagram's ids. A controller's identity and a nodeId are the id of the
lifeline, or what its label says: ``participant A2 as controller alice``. Several lifelines
may be one identity. A relay, controller or node that the diagram leaves out gets its kind
as its name. ``token-ID`` and ``refresh-ID`` are the tokens of the lifeline ID.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs

from sim.core.actor import Actor
from sim.core.op import Frame
from sim.hosts.controller import controller_host
from sim.hosts.node import node_host
from sim.hosts.relay import relay_host
from sim.protocols.relay.constants import CONTROLLER, NODE, RELAY
from sim.protocols.relay.controller.plan import ControllerPlan
from sim.protocols.relay.node.plan import NodePlan
from sim.protocols.relay.relay.plan import RelayPlan
from sim.protocols.relay.relay.sessions import Grant
from sim.protocols.relay.rules import RelayRules
from sim.scenario.kinds import identity_in
from sim.scenario.playing.puppet import Puppet
from sim.scenario.stages.casting import Casting
from sim.scenario.stages.relay_compose import Composer
from sim.scenario.syntax import Scenario
from sim.world.world import World

PEERS = (CONTROLLER, NODE)


@attrs.frozen
class RelayManners:
    """What a mannered puppet of the relay protocol does by itself."""

    composer: Composer

    def greeting(self, puppet: Puppet) -> Iterable[Frame]:
        host: Any = puppet.port
        return tuple(self.composer.usual(host, "", kind) for kind in ("hello", "auth"))

    def answers(self, puppet: Puppet, frame: Frame) -> Iterable[Frame]:
        host: Any = puppet.port
        answer = _ANSWERS.get(frame.type)
        if answer is None or answer[0] not in puppet.habits:
            return ()
        request = str(frame.wire.get("requestId"))
        return (self.composer.usual(host, "", answer[1], request, frame.wire),)

    def greeted(self, frame: Frame) -> bool:
        return frame.type == "auth_ack"

    def told(self, puppet: Puppet, act: Any) -> None:
        """Nothing: a puppet's arrows say all that it does."""


_ANSWERS = {
    "ping": ("pong", "pong"),
    "hello": ("handshake", "hello_ack"),
    "auth": ("handshake", "auth_ack"),
}


class Cast(Casting):
    """The hosts of one run."""

    KINDS = (RELAY, *PEERS)

    def __init__(self, scenario: Scenario, world: World, rules: RelayRules) -> None:
        super().__init__(scenario, world)
        self.rules = rules
        self.relay = self.all_of(RELAY)[0]
        self.controllers = self.all_of(CONTROLLER)
        self.nodes = self.all_of(NODE)
        self.identities = {name: self._identity(name) for name in (*self.controllers, *self.nodes)}

    def _identity(self, name: str) -> str:
        drawn = self.drawn.get(name)
        said = identity_in(drawn.label) if drawn is not None else None
        return said or name

    def persons(self) -> list[str]:
        """The drawn people; what they do happens at a controller or node."""
        return [p.id for p in self.scenario.participants if p.kind == "person"]

    def lane(self, host: str) -> str:
        """The lane on which a peer reaches the relay."""
        return NODE if host in self.nodes else CONTROLLER

    def node_ids(self) -> tuple[str, ...]:
        """The nodeIds in order; the first is meant where a command names none."""
        return tuple(dict.fromkeys(self.identities[name] for name in self.nodes))

    # -- building --------------------------------------------------------------------

    def plan(self) -> RelayPlan:
        """Every peer has a token, and one to refresh it with."""
        grants = {name: self.grant(name) for name in self.identities}
        return RelayPlan(
            tokens={f"token-{name}": grant for name, grant in grants.items()},
            refresh_tokens={f"refresh-{name}": grant for name, grant in grants.items()},
            rules=self.rules,
        )

    def grant(self, name: str) -> Grant:
        """What the token of a lifeline stands for."""
        grant = Grant(self.lane(name), self.identities[name])
        for one in self.scenario.settings.tokens:
            if one.host == name:
                nodes = None if one.nodes is None else tuple(self.identities[n] for n in one.nodes)
                return attrs.evolve(grant, scopes=one.scopes, nodes=nodes)
        return grant

    def build(self, manners: RelayManners) -> None:
        """Add all hosts, in the order of starting, and set the latencies."""
        self._add(self.relay, RELAY, manners, relay_host(self.plan()))
        self._add_peers(manners)
        for name in self.persons():
            self._add(name, "person", manners, Actor)
        self._set_latencies()

    def _add_peers(self, manners: RelayManners) -> None:
        for name in self.nodes:
            self._add(name, NODE, manners, node_host(self._node_plan(name)))
        for name in self.controllers:
            self._add(name, CONTROLLER, manners, controller_host(self._controller_plan(name)))

    def _node_plan(self, name: str) -> NodePlan:
        return NodePlan(
            relay=self.relay,
            token=f"token-{name}",
            refresh_token=f"refresh-{name}",
            rules=self.rules,
            node_id=self.identities[name],
        )

    def _controller_plan(self, name: str) -> ControllerPlan:
        return ControllerPlan(
            relay=self.relay,
            token=f"token-{name}",
            refresh_token=f"refresh-{name}",
            rules=self.rules,
            nodes=self.node_ids(),
        )
