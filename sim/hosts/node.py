"""A node as a host: its endpoint with the simulated browser in it."""

from __future__ import annotations

from collections.abc import Callable

from sim.core.actor import Port
from sim.protocols.relay.node.actor import Node
from sim.protocols.relay.node.plan import NodePlan


def node_host(plan: NodePlan) -> Callable[[Port], Node]:
    """A factory for ``world.add_host``: each life of the host gets a new endpoint."""

    def make(port: Port) -> Node:
        return Node(port, plan)

    return make
