"""The desktop as a host: its endpoint, with the scripted agent on it."""

from __future__ import annotations

from collections.abc import Callable

from sim.core.actor import Port
from sim.protocols.hook.desktop import Desktop, DesktopConfig


def desktop_host(config: DesktopConfig) -> Callable[[Port], Desktop]:
    """A factory for ``world.add_host``: each life of the host gets a new endpoint."""

    def make(port: Port) -> Desktop:
        return Desktop(port, config)

    return make
