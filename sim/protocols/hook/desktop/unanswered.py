"""Requests of the desktop that stay without an answer, and who has to know."""

from __future__ import annotations

from sim.protocols.hook.desktop import asks, preferences, tools
from sim.protocols.hook.desktop.desk import Desk
from sim.protocols.hook.desktop.records import Asked, Lane
from sim.protocols.hook.desktop.ties import neutral_ties


async def timed_out(desk: Desk, request_id: str) -> None:
    """No answer came in time: whoever waits for it learns so."""
    asked = asks.take(desk, request_id)
    if asked is not None:
        await over(desk, asked, "TIMEOUT")
        await asks.tell(desk, asked, "timed out")


async def over(desk: Desk, asked: Asked, code: str) -> None:
    """What follows from a request that stays unanswered."""
    if asked.frame == "prefs.get" and code == "TIMEOUT":
        await preferences.too_old(desk, asked.lane)
    elif asked.frame == "tool.request":
        await tools.answer(desk, asked.id, code)
    elif asked.frame.startswith("provider.bind."):
        ties = neutral_ties(desk, asked.lane)
        if ties.mutation == asked.id:
            ties.mutation = None


async def connection_lost(desk: Desk, lane: Lane) -> None:
    """Requests die with their connection, at once."""
    if not desk.is_busy:
        return
    for asked in list(desk.work.asked.values()):
        if asked.lane is lane and asks.take(desk, asked.id) is not None:
            await over(desk, asked, "DISCONNECTED")
            await asks.tell(desk, asked, "disconnected")
