"""The hook server as a host: its endpoint with its surroundings plugged in."""

from __future__ import annotations

from collections.abc import Callable

from sim.core.actor import Port
from sim.protocols.hook.server import Server, ServerPlan


def server_host(plan: ServerPlan) -> Callable[[Port], Server]:
    """A factory for ``world.add_host``: each life of the host gets a new endpoint."""

    def make(port: Port) -> Server:
        return Server(port, plan)

    return make
