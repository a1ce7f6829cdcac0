"""What may happen when: a knock waits, and is answered once."""

from __future__ import annotations

from typing import Final

from sim.core.table import Table

WAITING: Final = "WAITING"
ANSWERED: Final = "ANSWERED"

KNOCK: Final = Table("knock at a door", WAITING, {WAITING: {"open": ANSWERED}, ANSWERED: {}})
