"""Handing in results: turn.end, the memory buffer and the durable ledger (section 6).

A row is written as unsent *before* the frame goes out, so a crash between the
two steps repeats the end instead of losing it. Only ordinary tasks come here:
the end of a continuation is written directly and never again (HK-85, HK-194).
Where the server has promised receipts, ``delivery`` keeps the frame until one
has come.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from sim.core.op import Acquire, Release
from sim.protocols.hook import TurnEnd
from sim.protocols.hook.desktop import delivery
from sim.protocols.hook.desktop.desk import Desk
from sim.protocols.hook.desktop.ledger import (
    ack_in,
    end_in,
    ledger_key,
    mark_sent,
    may_replay,
    record,
    row_of,
)
from sim.protocols.hook.desktop.records import Lane, LedgerRow, Task
from sim.protocols.hook.machine_desktop import DROPPED

Sender: TypeAlias = Callable[[Lane, str, TurnEnd], Awaitable[bool]]


async def hand_in(desk: Desk, task: Task, end: TurnEnd) -> None:
    """Bring an ordinary turn.end on its way: now, or at the next welcome (HK-40)."""
    work, lane = desk.work, task.lane
    key = ledger_key(desk, lane, task.request_id)
    assert task.ack is not None
    work.handing[key] = None
    if end.attachments:
        work.intact[key] = end
        if len(work.intact) > desk.settings.buffered_ends:
            del work.intact[next(iter(work.intact))]
    await record(desk, key, row_of(task.ack, end, task.external_key, desk.port.now_ms()))
    if task.state == DROPPED:
        return
    sent = await hand_over(desk, lane, key, end)
    work.handing.pop(key, None)
    if not sent and task.state != DROPPED:
        await keep(desk, lane, key, end)


async def hand_over(desk: Desk, lane: Lane, key: str, end: TurnEnd) -> bool:
    """Write an end to a welcomed socket. → whether nothing more is to be done here."""
    if not lane.is_ready:
        return False
    if delivery.is_awaited(desk, lane):
        await delivery.send(desk, lane, key, end)
        return True
    sent = await desk.send(lane, end)
    if sent:
        await mark_sent(desk, key)
    return sent


async def keep(desk: Desk, lane: Lane, key: str, end: TurnEnd) -> None:
    """Put an end that could not be written into the memory buffer."""
    if lane.buffer is None:
        lane.buffer = []
    lane.buffer.append((key, end))
    if len(lane.buffer) > desk.settings.buffered_ends:
        del lane.buffer[0]  # it is still in the ledger
    if lane.is_ready:
        # The welcome came while the write was failing; its flush is over.
        await flush(desk, lane)


async def flush(desk: Desk, lane: Lane, *, welcomed: bool = True) -> None:
    """At each welcome: what was not taken over, then the buffer, then unsent rows.

    Stops at the first write that fails. Two flushes of one lane (a repeated
    welcome) go one after the other.
    """
    if not desk.is_busy:
        return
    if not (lane.unaccepted or lane.buffer or False in desk.work.ledger.values()):
        return
    logins = desk.logins
    section = f"outbox {lane.name}"
    await desk.perform(Acquire(section))

    async def send(lane: Lane, key: str, end: TurnEnd) -> bool:
        if welcomed:
            return await hand_over(desk, lane, key, end)
        sent = await desk.send(lane, end)
        if sent and desk.logins == logins:
            await mark_sent(desk, key)
        return sent

    if welcomed:
        await delivery.resume(desk, lane)
    if await _flush_buffer(desk, lane, logins, send):
        await _flush_ledger(desk, lane, logins, send)
    await desk.perform(Release(section))


async def _flush_buffer(desk: Desk, lane: Lane, logins: int, send: Sender) -> bool:
    """→ whether every write succeeded."""
    while lane.buffer:
        key, end = lane.buffer.pop(0)
        row: LedgerRow | None = desk.port.store.get(key)
        if row is not None and not may_replay(desk, row):
            continue
        sent = await send(lane, key, end)
        if desk.logins != logins:
            return False
        if not sent:
            if lane.buffer is None:
                lane.buffer = []
            lane.buffer.insert(0, (key, end))
            return False
    return True


async def _flush_ledger(desk: Desk, lane: Lane, logins: int, send: Sender) -> None:
    prefix = ledger_key(desk, lane, "")
    unsent = [k for k, sent in desk.work.ledger.items() if not sent and k.startswith(prefix)]
    for key in unsent:
        row: LedgerRow | None = desk.port.store.get(key)
        if row is None or row.sent or key in desk.work.handing or not may_replay(desk, row):
            continue
        if key in (lane.unaccepted or ()):
            continue
        sent = await send(lane, key, desk.work.intact.get(key) or end_in(row))
        if desk.logins != logins or not sent:
            return


async def answer_again(desk: Desk, lane: Lane, request_id: str) -> bool:
    """Answer a redelivered task that is finished: its ack, then its end. → whether it was.

    The agent is never run again. After 24 h, and after a rejection, only the
    ack is repeated.
    """
    key = ledger_key(desk, lane, request_id)
    row: LedgerRow | None = desk.port.store.get(key)
    if row is None:
        return False
    logins = desk.logins
    await desk.send(lane, ack_in(row))
    if may_replay(desk, row) and desk.logins == logins:
        end = desk.work.intact.get(key) or end_in(row)
        if await desk.send_turn(lane, end) and not delivery.is_awaited(desk, lane):
            await mark_sent(desk, key)
    return True


def clear(desk: Desk) -> None:
    """Empty the memory buffers: the account changes."""
    for lane in desk.lanes.values():
        lane.buffer = lane.unaccepted = None
