"""An ordinary task's run: start, the agent's acts, cancel, end, and the next one."""

from __future__ import annotations

from typing import Any

import msgspec

from sim.core.op import Note, Sleep, StartTimer
from sim.protocols.hook.acts import AgentAsks, AgentEnds, AgentProgresses
from sim.protocols.hook.desktop import (
    group_window,
    interactions,
    outbox,
    progress,
    registrations,
)
from sim.protocols.hook.desktop.desk import Desk
from sim.protocols.hook.desktop.records import Session, Task
from sim.protocols.hook.desktop.results import end_of
from sim.protocols.hook.machine_desktop import ACCEPTED, DROPPED, QUEUED, RUNNING

CANCELLED = AgentEnds(status="cancelled")
FOLDER_GONE = AgentEnds(status="error", error="The folder of this session is no longer available.")

SWITCHED_OFF = AgentEnds(status="error", error="This channel has been switched off.")


async def start(desk: Desk, task: Task) -> None:
    """Give a task to the agent. The session is already the task's."""
    if task.state == DROPPED:
        return
    work = desk.work
    task.fire("run")
    task.started_us = desk.port.now_us()
    work.turns[task.number] = task
    desk.last_session = task.session
    registrations.discard(desk, task.session)
    waiting = work.acts.pop("", None)
    if waiting:
        work.acts.setdefault(task.request_id, []).extend(waiting)
    fact = {"did": "start", "request": task.request_id, "session": task.session.id}
    await desk.perform(Note("agent", fact))
    if task.state != RUNNING:
        return
    if task.cancelled:
        await end(desk, task, CANCELLED)
    elif task.session.alias not in desk.workspaces:
        await end(desk, task, FOLDER_GONE)
    elif task.lane.is_off:
        await end(desk, task, SWITCHED_OFF)
    else:
        if task.lane.name == "telegram":
            await group_window.give_context(desk, task)
        await catch_up(desk, task)


async def catch_up(desk: Desk, task: Task) -> None:
    """Play the acts that came before the task could run.

    They stay in the list while they are played, so that a newer one queues up
    behind them.
    """
    acts = desk.work.acts
    while task.state == RUNNING and acts.get(task.request_id):
        await apply(desk, task, acts[task.request_id][0])
        acts[task.request_id].pop(0)
    acts.pop(task.request_id, None)


async def apply(desk: Desk, task: Task, act: Any) -> None:
    """The agent of a running task does something."""
    if task.state != RUNNING:
        return
    if isinstance(act, AgentProgresses):
        await progress.show(desk, task, act)
    elif isinstance(act, AgentAsks):
        await interactions.ask(desk, task, act)
    elif isinstance(act, AgentEnds):
        await end(desk, task, act)


async def end(desk: Desk, task: Task, act: AgentEnds) -> None:
    """Close a task: cards first, then files, then turn.end, then the next task (section 6).

    A cancel that arrives on the way makes the result ``cancelled``, text and
    files included.
    """
    work = desk.work
    task.fire("close")
    work.turns.pop(task.number, None)
    await progress.stop(desk, task)
    await interactions.close_all(desk, task)
    if desk.settings.gather_us and act.files:
        await desk.perform(Sleep(desk.settings.gather_us))
    if task.state == DROPPED:
        return
    if task.cancelled:
        act = msgspec.structs.replace(act, status="cancelled")
    body = end_of(task, act, task.notice, desk.port.now_us(), desk.settings)
    await outbox.hand_in(desk, task, body)
    if task.state == DROPPED:
        return
    if work.tasks.get(task.request_id) is task:
        del work.tasks[task.request_id]
    task.fire("end")
    if body.status == "error" and task.reopenable:
        registrations.register(desk, (task.request_id,), task.external_key, task.session, task.lane)
    fact = {"did": "end", "request": task.request_id, "status": body.status}
    await desk.perform(Note("agent", fact))
    await leave(desk, task)


async def leave(desk: Desk, task: Task) -> None:
    """A turn is over: its session goes to the next task in line."""
    session = task.session
    if session.running is task:
        session.running = None
        await start_next(desk, session)


async def start_next(desk: Desk, session: Session) -> None:
    """Start the first queued task of an idle session."""
    if session.running is None and session.queue:
        task = session.queue.pop(0)
        session.running = task
        await start(desk, task)


async def poll(desk: Desk, session_id: str) -> None:
    """Look whether the person's own turn is over, for those who wait behind it."""
    session = desk.work.sessions.get(session_id)
    if session is None or not session.queue:
        return
    if session.running is None:
        await start_next(desk, session)
    else:
        await start_polling(desk, session)


async def start_polling(desk: Desk, session: Session) -> None:
    """Look again in two seconds."""
    await desk.perform(StartTimer("poll", session.id, desk.settings.queue_poll_us))


async def cancel(desk: Desk, task: Task) -> None:
    """Stop a task: a queued one ends at once, a running one through its agent (HK-66).

    The mark alone is enough for one that is being started or already closing.
    """
    if task.state == QUEUED:
        queue = task.session.queue
        if queue and task in queue:
            queue.remove(task)
            await end(desk, task, CANCELLED)
            return
    task.cancelled = True
    if task.state == ACCEPTED or task.state != RUNNING:
        return
    if desk.settings.abort_us:
        await desk.perform(Sleep(desk.settings.abort_us))
    if task.state == RUNNING:
        await end(desk, task, CANCELLED)
