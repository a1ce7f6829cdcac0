"""The scripted agent and the person at the desktop: to which turn an act belongs."""

from __future__ import annotations

from typing import Any

from sim.core.op import Note, Save
from sim.protocols.hook.acts import (
    AgentAsks,
    AgentEnds,
    AgentProgresses,
    AnswerCard,
    ChangeFeature,
    ChangeWorkspaces,
    Login,
    Operate,
    Retry,
    Toggle,
    TypeText,
)
from sim.protocols.hook.desktop import (
    connection,
    continuation,
    group_window,
    interactions,
    operate,
    outbox,
    turns,
)
from sim.protocols.hook.desktop.desk import Desk
from sim.protocols.hook.desktop.records import Round, Task, Turn
from sim.protocols.hook.desktop.results import end_of
from sim.protocols.hook.machine_desktop import ACCEPTED, CLOSING, ENDED, QUEUED, RUNNING


async def direct(desk: Desk, act: Any) -> None:
    """Carry out what the scenario says."""
    match act:
        case AgentProgresses() | AgentAsks() | AgentEnds():
            await agent_acts(desk, act)
        case Retry(request=request_id):
            await continuation.retry(desk, request_id)
        case TypeText(request=request_id):
            await continuation.type_text(desk, request_id)
        case AnswerCard():
            await interactions.answered_here(desk, act)
        case ChangeWorkspaces(aliases=aliases, default=default):
            await connection.change_workspaces(desk, aliases, default)
        case ChangeFeature(feature=feature, on=is_on):
            await connection.change_feature(desk, feature, is_on)
        case Login(account=account):
            await login(desk, account)
        case Operate(frame=frame, fields=fields):
            await operate.operate(desk, frame, fields)
        case Toggle(lane=name, on=is_on):
            await operate.toggle(desk, name, is_on=is_on)
        case _:
            await desk.perform(Note("unknown act", repr(act)))


async def agent_acts(desk: Desk, act: AgentProgresses | AgentAsks | AgentEnds) -> None:
    """The agent acts in the turn it is meant for, now or when that turn runs."""
    work = desk.work
    turn = meant(desk, act.request)
    if isinstance(turn, Round):
        await continuation.event(desk, turn, act)
    elif isinstance(turn, Task) and turn.state == RUNNING and not work.acts.get(turn.request_id):
        await turns.apply(desk, turn, act)
    elif turn is None and act.request in work.acks:
        return  # it is over
    elif turn is None or turn.state not in (CLOSING, ENDED):
        request_id = act.request if turn is None else turn.request_id
        work.acts.setdefault(request_id, []).append(act)


def meant(desk: Desk, request_id: str) -> Turn | None:
    """The turn of this request: a live task, or a round that continues it.

    "" is the turn that started last and has not ended. None when there is no
    such turn (yet).
    """
    work = desk.work
    if not request_id:
        return next(reversed(work.turns.values()), None)
    task = work.tasks.get(request_id)
    if task is not None:
        return task
    for turn in reversed(work.turns.values()):
        if isinstance(turn, Round) and continuation.belongs_to(turn, request_id):
            return turn
    return None


async def login(desk: Desk, account: str) -> None:
    """Another account signs in: the old one's work stops in silence, sockets are rebuilt.

    No turn.end is sent for what was running (RC-44); results that were waiting
    stay in the old account's ledger.
    """
    desk.is_closing = True
    desk.logins = mine = desk.logins + 1
    work = desk.work
    untaken = [task for task in work.tasks.values() if _is_untaken_group_task(task)]
    for turn in [*work.tasks.values(), *work.turns.values()]:
        if turn.can("drop"):
            turn.fire("drop")
    for task in untaken:
        body = end_of(task, turns.CANCELLED, "", desk.port.now_us(), desk.settings)
        await desk.send_turn(task.lane, body)
    desk.recall()
    outbox.clear(desk)
    await desk.perform(Note("agent", {"did": "abort", "account": desk.account}))
    if desk.logins != mine:
        return  # somebody else has signed in since then
    desk.account = account
    await desk.perform(Save("account", account))
    if desk.logins == mine:
        desk.recall()
        await connection.rebuild(desk)


def _is_untaken_group_task(task: Task) -> bool:
    """A group's task that the agent has not begun: the group is told (section 6)."""
    is_waiting = task.state in (ACCEPTED, QUEUED)
    return is_waiting and group_window.named_in(task.external_key) is not None
