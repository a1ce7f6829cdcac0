"""Words of the protocol."""

from __future__ import annotations

from typing import Final

DOOR: Final = "door"
GUEST: Final = "guest"
TYPE_KEY: Final = "bell"
PATIENCE_US: Final = 5_000_000
"""How long a guest may be kept waiting."""
