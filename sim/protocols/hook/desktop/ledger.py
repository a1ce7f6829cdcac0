"""The durable ledger: how each task was answered and how it ended (section 6).

Rows are evicted oldest first, once their end is sent or too old. A row that is
still to be handed in never is: then the ledger takes no more, and the desktop
knows of further results in memory only.
"""

from __future__ import annotations

import msgspec

from sim.core.op import Erase, Save
from sim.protocols.hook import TaskAck, TurnEnd, TurnUsage
from sim.protocols.hook.desktop.desk import Desk
from sim.protocols.hook.desktop.records import Lane, LedgerRow
from sim.wire.absent import ABSENT


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


async def record(desk: Desk, key: str, row: LedgerRow) -> None:
    """Write a row, making room first; one that finds no room is not kept."""
    work, settings = desk.work, desk.settings
    size = row.size
    if size > settings.ledger_row_bytes:
        return
    before: LedgerRow | None = desk.port.store.get(key) if key in work.ledger else None
    more = size - (0 if before is None else before.size)
    while (
        before is None and len(work.ledger) >= settings.ledger_rows
    ) or work.ledger_bytes + more > settings.ledger_bytes:
        oldest = next((k for k in work.ledger if k != key and _is_reclaimable(desk, k)), None)
        if oldest is None:
            return
        del work.ledger[oldest]
        work.ledger_bytes -= desk.port.store.get(oldest).size
        await desk.perform(Erase(oldest))
    work.ledger[key] = row.sent
    work.ledger_bytes += more
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
