"""turn.progress: whole snapshots, not too long, not too often (section 5)."""

from __future__ import annotations

from sim.core.op import StartTimer, StopTimer
from sim.protocols.hook import TurnProgress
from sim.protocols.hook.desktop.desk import Desk
from sim.protocols.hook.desktop.records import Round, Turn
from sim.protocols.hook.machine_desktop import CLAIMED

ELLIPSIS = "…"


def cut(text: str, limit: int) -> str:
    """The head of a text, at most ``limit`` characters, the last one an ellipsis if cut."""
    return text if len(text) <= limit else text[: limit - 1] + ELLIPSIS


async def show(desk: Desk, turn: Turn, text: str) -> None:
    """The agent's visible work is now ``text``; an empty one says nothing."""
    text = cut(text, desk.settings.progress_chars)
    if not text:
        return
    if not desk.rules.progress_throttle:
        await emit(desk, turn, text)
        return
    is_armed = turn.pending_text is not None
    turn.pending_text = text
    if not is_armed:
        key = str(turn.number)
        desk.work.throttled[key] = turn
        await desk.perform(StartTimer("progress", key, desk.settings.progress_interval_us))


async def due(desk: Desk, key: str) -> None:
    """The interval is over: send the latest snapshot (HK-64)."""
    turn = desk.work.throttled.pop(key, None)
    if turn is not None and turn.pending_text is not None:
        text, turn.pending_text = turn.pending_text, None
        await emit(desk, turn, text)


async def emit(desk: Desk, turn: Turn, text: str) -> None:
    """Send a snapshot unless it was the last one sent; lost while offline (HK-44)."""
    if text == turn.last_text or (isinstance(turn, Round) and turn.state != CLAIMED):
        return
    before, turn.last_text = turn.last_text, text
    sent = await desk.send_turn(turn.lane, TurnProgress(request_id=turn.request_id, text=text))
    if not sent and turn.last_text == text:
        turn.last_text = before


async def stop(desk: Desk, turn: Turn) -> None:
    """The turn closes: a snapshot that still waits is dropped, in Telegram sent first (HK-06)."""
    text = turn.pending_text
    if text is None:
        return
    if turn.lane.name == "telegram":
        turn.pending_text = None
        await emit(desk, turn, text)
    elif desk.rules.nothing_after_end:
        turn.pending_text = None
    if turn.pending_text is None:
        key = str(turn.number)
        desk.work.throttled.pop(key, None)
        await desk.perform(StopTimer("progress", key))
