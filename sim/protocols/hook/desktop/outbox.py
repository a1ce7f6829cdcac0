"""Handing in results: turn.end, the memory buffer and the durable ledger (section 6).

A row is written as unsent *before* the frame goes out, so a crash between the
two steps repeats the end instead of losing it. Only ordinary tasks come here:
the end of a continuation is written directly and never again (HK-85, HK-194).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

import msgspec

from sim.core.op import Acquire, Erase, Release, Save
from sim.protocols.hook import TaskAck, TurnEnd, TurnUsage
from sim.protocols.hook.desktop.desk import Desk
from sim.protocols.hook.desktop.records import Lane, LedgerRow, Task
from sim.protocols.hook.machine_desktop import DROPPED
from sim.wire.absent import ABSENT

Sender: TypeAlias = Callable[[Lane, TurnEnd], Awaitable[bool]]


def ledger_key(desk: Desk, lane: Lane, request_id: str) -> str:
    """Where a task's row stands: results belong to an account and a lane."""
    return f"ledger/{desk.account}/{lane.name}/{request_id}"


def ack_in(row: LedgerRow) -> TaskAck:
    """The ack that was given."""
    return TaskAck(
        request_id=row.request,
        result=row.result,
        reason=row.reason,
        session_id=row.session,
        queue_position=row.position,
    )


def end_in(row: LedgerRow) -> TurnEnd:
    """The end that was, or should have been, sent; without attachments."""
    return TurnEnd(
        request_id=row.request,
        external_key=row.key,
        session_id=row.session,
        status=row.status,
        final_text=row.text,
        error_message=row.error,
        usage=TurnUsage(duration_ms=row.duration_ms),
        attachments=ABSENT,
    )


def row_of(ack: TaskAck, end: TurnEnd | None, external_key: str, now_ms: int) -> LedgerRow:
    """The durable form of a task's answer, and of its end if it has one."""
    return LedgerRow(
        request=ack.request_id,
        key=external_key,
        result=ack.result,
        reason=ack.reason,
        session=ack.session_id,
        position=whole(ack.queue_position),
        status="" if end is None else end.status,
        text="" if end is None else end.final_text,
        error=None if end is None else end.error_message,
        duration_ms=None if end is None else whole(end.usage.duration_ms),
        done_ms=now_ms,
        sent=end is None,
    )


def whole(number: float | None) -> int | None:
    """A count or a duration, which the wire calls a number."""
    return None if number is None else int(number)


def may_replay(desk: Desk, row: LedgerRow) -> bool:
    """Whether this row's end may (still) be sent again: for 24 h, on every way out."""
    age_ms = desk.port.now_ms() - row.done_ms
    return bool(row.status) and age_ms <= desk.settings.end_lifetime_ms and desk.rules.end_replay


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
    sent = await desk.send_turn(lane, end)
    work.handing.pop(key, None)
    if sent:
        await mark_sent(desk, key)
    elif task.state != DROPPED:
        await keep(desk, lane, key, end)


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


async def record(desk: Desk, key: str, row: LedgerRow) -> None:
    """Write a row, making room first. A ledger full of unsent rows takes no more."""
    ledger = desk.work.ledger
    if key not in ledger and len(ledger) >= desk.settings.ledger_rows:
        oldest = next((k for k in ledger if _is_reclaimable(desk, k)), None)
        if oldest is None:
            return
        del ledger[oldest]
        await desk.perform(Erase(oldest))
    ledger[key] = row.sent
    await desk.perform(Save(key, row))


def _is_reclaimable(desk: Desk, key: str) -> bool:
    row: LedgerRow | None = desk.port.store.get(key)
    if row is None or row.sent:
        return row is not None
    return desk.port.now_ms() - row.done_ms > desk.settings.end_lifetime_ms


async def mark_sent(desk: Desk, key: str) -> None:
    """The end of this row has been written to a socket."""
    row: LedgerRow | None = desk.port.store.get(key)
    if row is not None and not row.sent:
        if key in desk.work.ledger:
            desk.work.ledger[key] = True
        await desk.perform(Save(key, msgspec.structs.replace(row, sent=True)))


async def flush(desk: Desk, lane: Lane, *, welcomed: bool = True) -> None:
    """At each welcome: what the buffer holds, in order, then unsent rows of the ledger.

    Stops at the first write that fails. Two flushes of one lane (a repeated
    welcome) go one after the other, so nothing is sent twice.
    """
    if not desk.is_busy or not (lane.buffer or False in desk.work.ledger.values()):
        return
    logins = desk.logins
    section = f"outbox {lane.name}"
    await desk.perform(Acquire(section))
    send = desk.send_turn if welcomed else desk.send
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
        sent = await send(lane, end)
        if desk.logins != logins:
            return False
        if not sent:
            lane.buffer.insert(0, (key, end))
            return False
        await mark_sent(desk, key)
    return True


async def _flush_ledger(desk: Desk, lane: Lane, logins: int, send: Sender) -> None:
    prefix = ledger_key(desk, lane, "")
    unsent = [k for k, sent in desk.work.ledger.items() if not sent and k.startswith(prefix)]
    for key in unsent:
        row: LedgerRow | None = desk.port.store.get(key)
        if row is None or row.sent or key in desk.work.handing or not may_replay(desk, row):
            continue
        sent = await send(lane, desk.work.intact.get(key) or end_in(row))
        if desk.logins != logins or not sent:
            return
        await mark_sent(desk, key)


async def answer_again(desk: Desk, lane: Lane, request_id: str) -> bool:
    """Answer a redelivered task that is finished: its ack, then its end. → whether it was.

    The agent is never run again. After 24 h, and after a rejection, only the
    ack is repeated.
    """
    key = ledger_key(desk, lane, request_id)
    row: LedgerRow | None = desk.port.store.get(key)
    if row is None:
        return False
    await desk.send(lane, ack_in(row))
    if may_replay(desk, row):
        end = desk.work.intact.get(key) or end_in(row)
        if await desk.send_turn(lane, end):
            await mark_sent(desk, key)
    return True


def clear(desk: Desk) -> None:
    """Empty the memory buffers: the account changes."""
    for lane in desk.lanes.values():
        lane.buffer = None
