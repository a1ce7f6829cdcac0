"""A listener as a host."""

from __future__ import annotations

from collections.abc import Callable

from sim.core.actor import Port
from sim.protocols.question.listener.actor import Listener
from sim.protocols.question.listener.plan import ListenerPlan


def listener_host(plan: ListenerPlan) -> Callable[[Port], Listener]:
    """A factory for ``world.add_host``: each life of the host gets a new endpoint."""

    def make(port: Port) -> Listener:
        return Listener(port, plan)

    return make
