"""OpenCode with its agents and its desk as a host."""

from __future__ import annotations

from collections.abc import Callable

from sim.core.actor import Port
from sim.protocols.question.opencode.plan import OpenCodePlan
from sim.protocols.question.opencode.twin import OpenCode


def opencode_host(plan: OpenCodePlan) -> Callable[[Port], OpenCode]:
    """A factory for ``world.add_host``: each life of the host gets a new endpoint."""

    def make(port: Port) -> OpenCode:
        return OpenCode(port, plan)

    return make
