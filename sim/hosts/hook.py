"""The plugin within OpenCode as a host."""

from __future__ import annotations

from collections.abc import Callable

from sim.core.actor import Port
from sim.protocols.question.hook.plan import HookPlan
from sim.protocols.question.hook.twin import Hook


def hook_host(plan: HookPlan) -> Callable[[Port], Hook]:
    """A factory for ``world.add_host``: each life of the host gets a new endpoint."""

    def make(port: Port) -> Hook:
        return Hook(port, plan)

    return make
