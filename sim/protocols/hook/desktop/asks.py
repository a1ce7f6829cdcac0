"""What the desktop asks the server for, and how it learns that no answer will come."""

from __future__ import annotations

from typing import Any

from sim.core.op import Note, StartTimer, StopTimer
from sim.protocols.hook.desktop.desk import Desk
from sim.protocols.hook.desktop.records import Asked, Lane


async def ask(desk: Desk, lane: Lane, body: Any, after_us: int, about: str = "") -> bool:
    """Send a request; without a connection it fails at once. → whether it was sent.

    ``about`` is the binding that it is made for; ``after_us`` of 0 waits for ever.
    """
    id = body.request_id
    desk.work.asked[id] = Asked(id, body.TYPE, lane, about)
    if after_us:
        await desk.perform(StartTimer("ask", id, after_us))
    sent = await desk.send_turn(lane, body)
    if not sent:
        await settle(desk, id, "disconnected")
    return sent


async def settle(desk: Desk, request_id: str | None, outcome: str) -> Asked | None:
    """A request is over. → it, unless it was over before."""
    if not desk.is_busy or request_id is None:
        return None
    asked = desk.work.asked.pop(request_id, None)
    if asked is not None:
        await desk.perform(StopTimer("ask", asked.id))
        fact = {"request": asked.id, "frame": asked.frame, "outcome": outcome}
        await desk.perform(Note("asked", fact))
    return asked


async def reject_all(desk: Desk, lane: Lane, outcome: str, *, but: str | None = None) -> None:
    """No request of this lane will be answered; ``but`` spares those about one binding."""
    if not desk.is_busy:
        return
    for asked in list(desk.work.asked.values()):
        if asked.lane is lane and (but is None or asked.about not in ("", but)):
            await settle(desk, asked.id, outcome)
