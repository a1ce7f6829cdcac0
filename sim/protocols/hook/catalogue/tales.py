"""All tales."""

from __future__ import annotations

from sim.protocols.catalogue import Told
from sim.protocols.hook.catalogue import (
    tales_accounts,
    tales_agents,
    tales_connections,
    tales_continuing,
    tales_receipts,
    tales_tasks,
)

TALES: tuple[Told, ...] = (
    *tales_connections.TALES,
    *tales_tasks.TALES,
    *tales_agents.TALES,
    *tales_continuing.TALES,
    *tales_accounts.TALES,
    *tales_receipts.TALES,
)
