"""turn.progress: whole snapshots, not too long, not too often (section 5).

A snapshot is the agent's visible work, with a line while a question is open
and, when the work has not changed for a while, one with the elapsed time.
"""

from __future__ import annotations

from sim.core.op import StartTimer, StopTimer
from sim.protocols.hook import TurnProgress
from sim.protocols.hook.acts import AgentProgresses
from sim.protocols.hook.desktop.desk import Desk
from sim.protocols.hook.desktop.records import Round, Task, Turn
from sim.protocols.hook.machine_desktop import CLAIMED, RUNNING
from sim.wire.javascript import longer_than, utf16_length

ELLIPSIS = "…"
WAITING = "⏳ Waiting for your answer"


def cut(text: str, limit: int) -> str:
    """The head of a text, at most ``limit`` UTF-16 units, the last one an ellipsis if cut."""
    if not longer_than(text, limit):
        return text
    head = text[: max(0, limit - 1)]
    while utf16_length(head) >= limit:
        head = head[: -max(1, (utf16_length(head) - limit) // 2)]
    return head + ELLIPSIS


def snapshot(desk: Desk, turn: Turn, *, elapsed: bool = False) -> str:
    """What a reader may see of the turn now; "" while there is nothing."""
    lines = []
    cards = desk.work.cards
    if cards and isinstance(turn, Task) and any(card.turn is turn for card in cards.values()):
        lines.append(WAITING)
    if elapsed and turn.started_us >= 0:
        lines.append(f"⏱ {(desk.port.now_us() - turn.started_us) // 1_000_000} s")
    limit = desk.settings.progress_chars
    foot = "\n\n".join(lines)
    if not foot:
        return cut(turn.body, limit)
    if not turn.body:
        return foot
    return cut(turn.body, limit - utf16_length(foot) - 2) + "\n\n" + foot


async def show(desk: Desk, turn: Turn, act: AgentProgresses) -> None:
    """The agent's visible work is now this text; an empty one says nothing.

    Telegram shows all messages of the turn, other channels the present one.
    """
    if act.fresh and turn.body and turn.lane.name == "telegram":
        turn.earlier = turn.body + "\n\n"
    if act.text:
        turn.body = turn.earlier + act.text
        await refresh(desk, turn)


async def refresh(desk: Desk, turn: Turn) -> None:
    """The snapshot has changed: send it, but at most once per interval (HK-64)."""
    if not desk.rules.progress_throttle:
        await emit(desk, turn, snapshot(desk, turn))
    elif not turn.is_due:
        turn.is_due = True
        key = str(turn.number)
        desk.work.throttled[key] = turn
        await desk.perform(StartTimer("progress", key, desk.settings.progress_interval_us))


async def due(desk: Desk, key: str) -> None:
    """The interval is over: send the latest snapshot."""
    turn = desk.work.throttled.pop(key, None)
    if turn is not None and turn.is_due:
        turn.is_due = False
        await emit(desk, turn, snapshot(desk, turn))


async def emit(desk: Desk, turn: Turn, text: str) -> None:
    """Send a snapshot unless it was the last one sent; lost while offline (HK-44)."""
    if not text or text == turn.last_text or (isinstance(turn, Round) and turn.state != CLAIMED):
        return
    before, turn.last_text = turn.last_text, text
    turn.shown_us = desk.port.now_us()
    sent = await desk.send_turn(turn.lane, TurnProgress(request_id=turn.request_id, text=text))
    if not sent and turn.last_text == text:
        turn.last_text = before
    if not turn.is_ticking and desk.settings.idle_refresh_us and is_open(turn):
        turn.is_ticking = True
        await _start_tick(desk, turn)


def is_open(turn: Turn) -> bool:
    """Whether snapshots of this turn may still be sent."""
    return turn.state in (RUNNING, CLAIMED)


async def _start_tick(desk: Desk, turn: Turn) -> None:
    after = desk.settings.idle_refresh_us
    await desk.perform(StartTimer("tick", str(turn.number), after, background=True))


async def tick(desk: Desk, key: str) -> None:
    """Every five seconds: if nothing new was shown since, show how long it takes."""
    turn = desk.work.turns.get(int(key))
    if turn is None or not is_open(turn):
        return
    quiet_us = desk.port.now_us() - turn.shown_us
    if not turn.is_due and quiet_us >= desk.settings.idle_refresh_us:
        await emit(desk, turn, snapshot(desk, turn, elapsed=True))
    if is_open(turn):
        await _start_tick(desk, turn)


async def stop(desk: Desk, turn: Turn) -> None:
    """The turn closes: a snapshot that still waits is dropped, in Telegram sent first (HK-06)."""
    key = str(turn.number)
    if turn.is_ticking:
        turn.is_ticking = False
        await desk.perform(StopTimer("tick", key))
    if not turn.is_due:
        return
    if turn.lane.name == "telegram":
        turn.is_due = False
        await emit(desk, turn, snapshot(desk, turn))
    elif desk.rules.nothing_after_end:
        turn.is_due = False
    if not turn.is_due:
        desk.work.throttled.pop(key, None)
        await desk.perform(StopTimer("progress", key))
