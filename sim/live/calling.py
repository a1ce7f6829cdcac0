"""What programs outside of a world ask its twins, as calls of the hosts that stand for them."""

from __future__ import annotations

from typing import Any

import trio

from sim.core.op import NO_ANSWER, Call
from sim.drivers.wall import WallDriver
from sim.live.outsider import Outsider

USUAL_US = 10_000_000


async def ask_as(
    driver: WallDriver, caller: str, to: str, request: Any, timeout_us: int = USUAL_US
) -> Any:
    """What ``to`` answers; NO_ANSWER after ``timeout_us`` virtual µs, or when the caller's
    host crashes meanwhile: nobody hears the answer then.

    A call like any other: it crosses the twin's life, and its faults. A caller whose host
    is down starts. Raises LookupError for a caller that is a twin.
    """
    world = driver.world
    answers: list[Any] = []
    done = trio.Event()
    driver.nudge()
    host = world.hosts[caller]
    if not host.up:
        world.boot(caller)
    world.cause = -1
    actor = host.actor
    if not isinstance(actor, Outsider):
        raise LookupError(f"{caller} is a twin: nobody outside asks in its name")

    async def call() -> None:
        try:
            answers.append(await actor.perform(Call(to, request, timeout_us)))
        finally:  # a crash of the host drops this handler
            done.set()

    world.start(host, call(), "ask", -1)
    driver.nudge()
    await done.wait()
    return answers[0] if answers else NO_ANSWER
