"""When an application under test has come to rest: asked of the event loop, not of a clock.

Textual's own answer sleeps 20 ms at the least, twice for each key, and then compares
processor time with wall time: a suite of keys mostly slept, and on a busy machine it
waited for its neighbours.
"""

from __future__ import annotations

import asyncio
from time import monotonic

QUIET_ROUNDS = 4
"""Rounds of the loop with nothing else to run: one for timers that are due, one for
sockets and threads that have called, and as many for what those set going."""


async def nothing_left_to_run(min_sleep: float = 0, max_sleep: float = 1) -> None:
    """Wait until the loop runs nobody but the caller, at most ``max_sleep`` seconds.

    Stands in for ``textual._wait.wait_for_idle``, hence the parameters.
    """
    ready = asyncio.get_running_loop()._ready
    until = monotonic() + max_sleep
    quiet = 0
    while quiet < QUIET_ROUNDS and monotonic() < until:
        await asyncio.sleep(0)
        quiet = 0 if ready else quiet + 1
