"""A controller as a host: a scripted client of the relay, or the program of a person."""

from __future__ import annotations

from collections.abc import Callable

from sim.core.actor import Port
from sim.protocols.relay.controller.actor import Controller
from sim.protocols.relay.controller.plan import ControllerPlan


def controller_host(plan: ControllerPlan) -> Callable[[Port], Controller]:
    """A factory for ``world.add_host``: each life of the host gets a new endpoint."""

    def make(port: Port) -> Controller:
        return Controller(port, plan)

    return make
