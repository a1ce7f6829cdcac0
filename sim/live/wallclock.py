"""The real time of day, for real desktops: a link that has expired in 2026 is of no use to them."""

from __future__ import annotations

import time

from sim.world.host import START_MS
from sim.world.world import World


def show_real_time(world: World) -> None:
    """Let every host's clock show the time of day, as of now."""
    offset_us = (time.time_ns() // 1_000_000 - START_MS) * 1_000 - world.now
    for host in world.hosts.values():
        host.skew_us = offset_us
