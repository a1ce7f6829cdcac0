"""Who obeys a row of the hook protocol's catalogue."""

from __future__ import annotations

from typing import Final

from sim.protocols.catalogue import Row

DESKTOP: Final = "desktop"
SERVER: Final = "server"
BOTH: Final = "both"

__all__ = ["BOTH", "DESKTOP", "SERVER", "Row"]
