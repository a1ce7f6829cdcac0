"""The disk that the pending store's file is on as a host."""

from __future__ import annotations

from collections.abc import Callable

from sim.core.actor import Port
from sim.protocols.question.store.file import StoreFile
from sim.protocols.question.store.plan import StoreFilePlan


def store_host(plan: StoreFilePlan) -> Callable[[Port], StoreFile]:
    """A factory for ``world.add_host``: each life of the host gets a new endpoint."""

    def make(port: Port) -> StoreFile:
        return StoreFile(port, plan)

    return make
