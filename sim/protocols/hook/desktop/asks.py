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
    desk.work.asked[id] = asked = Asked(id, body.TYPE, lane, about)
    sent = await desk.send_turn(lane, body)
    if not sent:
        await settle(desk, id, "disconnected")
    elif after_us and desk.work.asked.get(id) is asked:
        await desk.perform(StartTimer("ask", id, after_us))
    return sent


async def settle(desk: Desk, request_id: str | None, outcome: str) -> Asked | None:
    """A request is over. → it, unless it was over before."""
    asked = take(desk, request_id)
    await tell(desk, asked, outcome)
    return asked


def take(desk: Desk, request_id: str | None) -> Asked | None:
    """A request is over. → it, unless it was over before; ``tell`` is to follow.

    Between the two its answer is put into effect: a moment later a newer one may be.
    """
    if not desk.is_busy or request_id is None:
        return None
    return desk.work.asked.pop(request_id, None)


async def tell(desk: Desk, asked: Asked | None, outcome: str) -> None:
    """Whoever waits for a request that was taken learns what became of it."""
    if asked is not None:
        await desk.perform(StopTimer("ask", asked.id))
        fact = {"request": asked.id, "frame": asked.frame, "outcome": outcome}
        await desk.perform(Note("asked", fact))


async def reject_all(desk: Desk, lane: Lane, outcome: str, *, but: str | None = None) -> None:
    """No request of this lane will be answered; ``but`` spares those about one binding."""
    if not desk.is_busy:
        return
    for asked in list(desk.work.asked.values()):
        if asked.lane is lane and (but is None or asked.about not in ("", but)):
            await settle(desk, asked.id, outcome)
