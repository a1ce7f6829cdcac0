"""A bridge from its beginning to its end: its bots, its port, what it watches, signals."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import attrs
import trio

from sim.core.errors import UsageError
from sim.drivers.websocket import LOOPBACK
from sim.live.bridge import Bridge, Tell
from sim.live.bridge_desk import Desk
from sim.live.bridge_settings import BridgeSettings
from sim.live.holding import Stop, watch_signals
from sim.live.http_door import HttpDoor
from sim.protocols.question.constants import HOOK

LEAVE_S = 1.0
"""For connections to take leave."""


@attrs.frozen
class Work:
    """What is asked of a bridge. ``watch`` are the projects whose lists it looks at itself,
    ``seconds`` how long it works (None: until somebody ends it)."""

    settings: BridgeSettings
    watch: tuple[str, ...] = ()
    record: Path | None = None
    seconds: float | None = None


@attrs.frozen
class Done:
    """What there was. ``signal`` 0: time was up; ``unrecorded``: why the recording is not
    whole ("": it is)."""

    signal: int
    asked: int
    unrecorded: str = ""


async def work(
    plan: Work, tell: Tell, opened: Callable[[str], None], stop: Stop | None = None
) -> Done:
    """Bridge until a signal comes, time is up, or ``stop`` says so. ``opened`` gets the URL
    where the plugin reaches it.

    Raises UsageError when the port or the recording cannot be had, or Telegram does not know
    a bot.
    """
    stop = stop or Stop()
    bridge = Bridge(plan.settings, tell, plan.record)
    try:
        await _until(stop, plan, bridge, opened)
    finally:
        with trio.CancelScope(shield=True, deadline=trio.current_time() + LEAVE_S):
            await bridge.end()
    recording = bridge.recording
    return Done(stop.signal, bridge.asked, recording.problem if recording else "")


async def _until(stop: Stop, plan: Work, bridge: Bridge, opened: Callable[[str], None]) -> None:
    """Let it work until it is to end."""
    desk = Desk(bridge)
    failure: Exception | None = None
    async with trio.open_nursery() as nursery:
        try:
            await watch_signals(nursery, stop)
            # Open first: a plugin's question waits until the bots are known.
            door = HttpDoor(bridge.world, HOOK, desk.answer, nursery, bridge.tell)
            port = await door.open(LOOPBACK, plan.settings.port)
            await _checked(bridge, stop)
            nursery.start_soon(bridge.run, nursery)
            for directory in plan.watch:
                nursery.start_soon(desk.watch, directory)
            opened(f"http://{LOOPBACK}:{port}")
            await stop.within(plan.seconds)
        except trio.Cancelled:
            raise
        except Exception as error:
            # Raised again outside, where the nursery cannot wrap it in a group.
            failure = error
        finally:
            nursery.cancel_scope.cancel()
    if failure is not None:
        raise failure


async def _checked(bridge: Bridge, stop: Stop) -> None:
    """Ask Telegram for the bots, unless somebody ends it all before. Raises UsageError."""
    failure: UsageError | None = None
    async with trio.open_nursery() as nursery:

        async def ended() -> None:
            await stop.event.wait()
            nursery.cancel_scope.cancel()

        nursery.start_soon(ended)
        try:
            await bridge.check_bots()
        except UsageError as error:
            failure = error  # raised outside, where the nursery cannot wrap it in a group
        nursery.cancel_scope.cancel()
    if failure is not None:
        raise failure
