"""All tales."""

from __future__ import annotations

from sim.protocols.catalogue import Told
from sim.protocols.relay.catalogue import (
    tales_commands,
    tales_peers,
    tales_sessions,
    tales_tabs,
)

TALES: tuple[Told, ...] = (
    *tales_sessions.TALES,
    *tales_commands.TALES,
    *tales_tabs.TALES,
    *tales_peers.TALES,
)
