"""task.dispatch → task.ack, in the order of section 4."""

from __future__ import annotations

from sim.core.op import Acquire, Release, Sleep
from sim.protocols.hook import Absent, TaskAck, TaskDispatch
from sim.protocols.hook.desktop import (
    continuation,
    group_window,
    ledger,
    outbox,
    registrations,
    sessions,
    turns,
)
from sim.protocols.hook.desktop.desk import Desk
from sim.protocols.hook.desktop.records import Lane, Round, Session, Task


def rejection(request_id: str, reason: str) -> TaskAck:
    """The ack that refuses a task."""
    return TaskAck(
        request_id=request_id,
        result="rejected",
        reason=reason,
        session_id=None,
        queue_position=None,
    )


def refusal(desk: Desk, lane: Lane, task: TaskDispatch) -> str | None:
    """Why this lane takes no such task now; this answer is not kept (section 3)."""
    if desk.is_closing:
        return "disabled"
    if not lane.is_ready:
        return "invalid"
    channel = "slack" if isinstance(task.source, Absent) else task.source.im
    if channel != lane.name or group_window.is_foreign(desk, lane, task.external_key):
        return "invalid"
    return None


async def dispatch(desk: Desk, lane: Lane, task: TaskDispatch) -> None:
    """Admit a task, or answer again for one that is known (HK-02, HK-37)."""
    reason = refusal(desk, lane, task)
    if reason is not None:
        await desk.send(lane, rejection(task.request_id, reason))
        return
    if desk.rules.ack_replay and await answered_again(desk, lane, task.request_id):
        return
    desk.work.locating[task.request_id] = None
    logins = desk.logins
    section = sessions.section_of(lane, task.external_key)
    await desk.perform(Acquire(section))
    admitted = await admit(desk, lane, task) if desk.logins == logins else None
    await desk.perform(Release(section))
    if admitted is not None:
        new, old = admitted
        if old is not None:
            await continuation.give_way(desk, old, continuation.SUPERSEDED)
        await turns.start(desk, new)


async def answered_again(desk: Desk, lane: Lane, request_id: str) -> bool:
    """Whether this is a redelivery; it is answered by what was said before.

    One that is still being located is dropped: the first copy's ack answers both.
    """
    if await outbox.answer_again(desk, lane, request_id):
        return True
    work = desk.work
    ack = work.acks.get(request_id)
    if ack is None:
        return request_id in work.locating
    await desk.send(lane, ack)
    return True


async def admit(desk: Desk, lane: Lane, frame: TaskDispatch) -> tuple[Task, Round | None] | None:
    """Locate the session, decide, and write the ack.

    → the task that is to be started, with the round that has to give way to it.
    """
    logins = desk.logins
    if desk.settings.locate_us:
        await desk.perform(Sleep(desk.settings.locate_us))
    located = await sessions.locate(desk, lane, frame)
    if desk.logins != logins:
        return None  # that account is gone, and nobody is left to answer
    if isinstance(located, str):
        await reject(desk, lane, frame, located)
        return None
    session, notice = located
    sessions.label(session, frame)
    waiting = len(session.queue or ())
    if waiting >= desk.settings.queue_limit and desk.rules.queue_limit:
        await reject(desk, lane, frame, "invalid")
        return None
    task = Task(desk.next_turn(), session, lane, frame)
    task.notice = notice
    task.reopenable = registrations.is_reopenable(desk, lane)
    # From here to the written ack nothing may wait: the answer is the decision.
    old = take_seat(session, task)
    task.ack = ack = acceptance(task, session)
    desk.work.tasks[task.request_id] = task
    remember(desk, ack)
    await desk.send(lane, ack)
    if ack.result == "accepted":
        return task, old
    if not isinstance(session.running, Task):
        # It waits for the person's own turn, which may just have ended.
        await turns.start_polling(desk, session)
    return None


def take_seat(session: Session, task: Task) -> Round | None:
    """Give the task the session, or a place in its queue. → the round that gives way.

    A continuation gives way to any task; the person's own turn does not.
    """
    running = session.running
    if session.queue or not (running is None or (isinstance(running, Round) and running.by_retry)):
        if session.queue is None:
            session.queue = []
        session.queue.append(task)
        task.fire("queue")
        return None
    session.running = task
    task.fire("accept")
    return running


def acceptance(task: Task, session: Session) -> TaskAck:
    """The ack of a task that has its place; the first waiter's position is 0 (HK-60)."""
    is_first = session.running is task
    return TaskAck(
        request_id=task.request_id,
        result="accepted" if is_first else "queued",
        reason=None,
        session_id=session.id,
        queue_position=None if is_first else len(session.queue or ()) - 1,
    )


async def reject(desk: Desk, lane: Lane, frame: TaskDispatch, reason: str) -> None:
    """Refuse for good; what was really said is kept durably too."""
    ack = rejection(frame.request_id, reason)
    key = ledger.ledger_key(desk, lane, frame.request_id)
    remember(desk, ack)
    if await desk.send(lane, ack):
        row = ledger.row_of(ack, None, frame.external_key, desk.port.now_ms())
        await ledger.record(desk, key, row)


def remember(desk: Desk, ack: TaskAck) -> None:
    """Keep the answer for redeliveries of this life, the latest 2,000."""
    work = desk.work
    work.locating.pop(ack.request_id, None)
    work.acks[ack.request_id] = ack
    if len(work.acks) > desk.settings.ack_history:
        del work.acks[next(iter(work.acks))]


async def cancel(desk: Desk, lane: Lane, request_id: str) -> None:
    """task.cancel: for a task or a claimed round of this lane; else ignored (HK-45).

    One that overtakes the ack finds nothing to stop, and is lost (section 9).
    """
    task = desk.work.tasks.get(request_id)
    if task is not None and task.lane is lane:
        await turns.cancel(desk, task)
        return
    turn = desk.work.rounds.get(request_id)
    if turn is not None and turn.lane is lane:
        await continuation.cancel(desk, turn)
