"""The relay as a host."""

from __future__ import annotations

from collections.abc import Callable

from sim.core.actor import Port
from sim.protocols.relay.relay.endpoint import Relay
from sim.protocols.relay.relay.plan import RelayPlan


def relay_host(plan: RelayPlan) -> Callable[[Port], Relay]:
    """A factory for ``world.add_host``: each life of the host gets a new endpoint."""

    def make(port: Port) -> Relay:
        return Relay(port, plan)

    return make
