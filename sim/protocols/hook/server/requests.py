"""Ordinary tasks: from the dispatch to the end (§5 stages 2, 4, 7, 9; §4).

Order of writing: a task is stored before anybody hears of it, its end before
it is shown. After each welcome everything unended goes out again under its
old id; the desktop's ledger makes that harmless (HK-38, HK-39). So does what
was INTERRUPTED for want of an end: the end may have been written into a dying
socket, and the ledger says it again (RC-55).
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from sim.channel.api import INTERRUPTED as CHIP_INTERRUPTED
from sim.channel.api import QUEUED as CHIP_QUEUED
from sim.channel.api import REJECTED as CHIP_REJECTED
from sim.channel.api import WORKING
from sim.core.actor import Actor
from sim.core.op import Erase, Save, Send, Sleep, Spawn, StartTimer
from sim.protocols.hook.constants import HOOK_CHAT_WORKSPACE_ALIAS
from sim.protocols.hook.frames import (
    SessionArchive,
    TaskAck,
    TaskCancel,
    TaskDispatch,
)
from sim.protocols.hook.intake import made
from sim.protocols.hook.machine import (
    INTERRUPTED,
    QUEUED,
    REDELIVERED,
    REJECTED,
    REQUEST,
    RUNNING,
    UNENDED,
    WAITING,
)
from sim.protocols.hook.server.accounts.briefing import Briefing
from sim.protocols.hook.server.cards import Cards
from sim.protocols.hook.server.line import Picture
from sim.protocols.hook.server.memory import Memory, Socket
from sim.protocols.hook.server.plan import ServerPlan
from sim.protocols.hook.server.pulse import ping
from sim.protocols.hook.server.tasks import Desk, Task
from sim.protocols.hook.server.texts import (
    INTERRUPTED_TEXT,
    OFFLINE_TEXT,
    WORKING_TEXT,
    queued_text,
    rejected_text,
)
from sim.protocols.hook.server.writing import Writing
from sim.wire.absent import ABSENT

Later = Callable[[Task, Picture], Coroutine[Any, Any, None]]


class Requests:
    """The server's book of ordinary tasks."""

    __slots__ = ("actor", "briefing", "cards", "memory", "plan", "writing")

    def __init__(
        self,
        actor: Actor,
        memory: Memory,
        plan: ServerPlan,
        writing: Writing,
        cards: Cards,
        briefing: Briefing,
    ) -> None:
        self.actor = actor
        self.memory = memory
        self.plan = plan
        self.writing = writing
        self.cards = cards
        self.briefing = briefing

    # -- out -------------------------------------------------------------------

    async def dispatch(self, socket: Socket, task: Task) -> None:
        """Send a task, once per welcome, and to its own account's desktop only (RC-44)."""
        if task.sent == socket.serial or task.state not in REDELIVERED:
            return
        if not self.memory.is_of(socket, task):
            return
        workspace = self.workspace(task.workspace, socket.hello)
        if workspace is None:
            return
        task.sent = serial = socket.serial
        if await self._assign(socket, task, workspace):
            # While that was being stored it may have ended, or a newer hello has come:
            # then it goes with that one's welcome, to one of that one's folders.
            if not socket.ready or socket.serial != serial or task.state not in REDELIVERED:
                return
            workspace = task.workspace
        body = TaskDispatch(
            request_id=task.request,
            external_key=task.external_key,
            workspace=workspace,
            session_id=task.session or None,
            prompt=task.prompt,
            options=self.briefing.options(task, workspace),
            source=self.briefing.source(task, socket),
        )
        task.dispatches += 1
        await self.actor.perform(Send(socket.conn, made(self.actor.port, body)))

    async def _assign(self, socket: Socket, task: Task, workspace: str) -> bool:
        """Store whose a task is, and where it goes. → whether that was news."""
        is_known = task.account or not socket.account
        if is_known and workspace == task.workspace:
            return False
        task.account = task.account or socket.account
        if workspace != task.workspace:
            lane = task.conversation
            task.workspace = lane.workspace = workspace
            await self.actor.perform(Save(lane.row_key, lane.row()))
        await self.actor.perform(Save(task.row_key, task.row()))
        return True

    def workspace(self, fixed: str, hello: Any) -> str | None:
        """The lane's own directory, else the hello's default, else chat (HK-53).

        Only what the newest hello lists (HK-10); None when that is nothing.
        """
        listed, rules = hello.workspaces, self.plan.rules
        default = hello.default_workspace
        if not rules.lane_before_default and isinstance(default, str):
            return default
        if fixed and (fixed in listed or not rules.listed_folders_only):
            return fixed
        if default is not ABSENT and default is not None:
            return str(default)
        if HOOK_CHAT_WORKSPACE_ALIAS in listed or not listed:
            return HOOK_CHAT_WORKSPACE_ALIAS if listed else None
        return str(listed[0])

    async def redeliver(self, socket: Socket) -> None:
        """After a welcome: every unended task again, then the decisions that wait."""
        desk = socket.desk
        serial = socket.serial
        if desk is None:
            return
        if desk.archives:
            await self.send_archives(socket)
        tasks = list((desk.unended or {}).values())
        if any(not self.memory.is_of(socket, task) for task in tasks):
            await self.start_absence(desk)
        tasks.extend((desk.interrupted or {}).values())
        now = self.actor.port.now_us()
        for task in tasks:
            if not socket.ready or socket.serial != serial:
                return
            since = task.ended_us if task.state == INTERRUPTED else task.created_us
            if now - since > self.plan.limits.mapping_us:
                await self._expire(task)
            elif self.plan.rules.redelivery or task.state == WAITING:
                await self.dispatch(socket, task)
                if task.cancel:
                    await self.send_cancel(task)  # once it is acked again, or that gets lost
                await self.cards.send_held(socket, task)

    async def send_archives(self, socket: Socket) -> None:
        """``session.archive`` for the generations that ``/new`` has ended (HK-137).

        Nothing acknowledges it, and a repetition harms nobody (HK-46): so each is sent
        once per welcome, until a ping that was sent behind it has been answered.
        """
        keys: dict[str, tuple[int, int]] = {} if socket.desk is None else socket.desk.archives or {}
        unsent = [key for key, (serial, _) in keys.items() if serial != socket.serial]
        for key in unsent:
            if not socket.ready or key not in keys or keys[key][0] == socket.serial:
                continue  # another handler has sent it meanwhile
            keys[key] = (socket.serial, socket.pings + 1)
            frame = made(self.actor.port, SessionArchive(external_key=key))
            await self.actor.perform(Send(socket.conn, frame))
        if unsent:
            await ping(self.actor, socket)

    async def archives_arrived(self, socket: Socket) -> None:
        """Forget the archives that the pongs of this welcome prove to have arrived."""
        keys = {} if socket.desk is None else socket.desk.archives or {}
        for key in tuple(keys):
            serial, nth = keys.get(key, (0, 0))
            if serial and serial == socket.serial and nth <= socket.pongs:
                del keys[key]
                await self.actor.perform(Erase(f"archive/{key}"))

    # -- acks and progress -----------------------------------------------------

    async def ack(self, socket: Socket, body: TaskAck) -> None:
        """Handle ``task.ack``, by requestId only; also before welcome (RC-32)."""
        task = self.memory.owned_task(socket, body.request_id)
        if task is None:
            return
        if body.result != "rejected":
            task.acked = socket.serial
            if task.cancel:
                await self.send_cancel(task)
        if REQUEST.can(task.state, body.result):
            await self._apply_ack(task, body)

    async def _apply_ack(self, task: Task, body: TaskAck) -> None:
        before = task.state
        task.state = REQUEST.step(before, body.result)
        if task.state == REJECTED:
            picture = Picture(
                task, rejected_text(str(body.reason)), CHIP_REJECTED, final=True, by=task.by
            )
            may_be_crossed = task.dispatches > 1 and not self.writing.manners(task.line).edits
            await self._close(task, picture, self.reject_later if may_be_crossed else None)
            return
        if before in (REJECTED, INTERRUPTED):
            self._revive(task)
        if task.state == QUEUED:
            text = queued_text(int(body.queue_position or 0))
            picture = Picture(task, text, CHIP_QUEUED, by=task.by)
        elif before == RUNNING:
            return
        else:
            picture = Picture(task, WORKING_TEXT, WORKING, by=task.by)
        await self.actor.perform(Save(task.row_key, task.row()))
        if task.state == (QUEUED if picture.state == CHIP_QUEUED else RUNNING) and not task.spoken:
            await self.writing.show(task.line, picture)

    def _revive(self, task: Task) -> None:
        """It runs after all: a rejection was crossed (RC-36), or its desktop is back (RC-55)."""
        task.final = None
        task.written = task.spoken = False
        task.ended_us = 0
        self.enlist(task)

    async def progress(self, task: Task, text: str) -> Picture | None:
        """The picture of a task's progress; None when it does not count."""
        if task.state not in UNENDED or task.line.claim is not task:
            return None
        task.spoken = True
        picture = task.line.heard = Picture(task, text, WORKING, by=task.by)
        if task.state != RUNNING:
            task.state = REQUEST.step(task.state, "progress")
            await self.actor.perform(Save(task.row_key, task.row()))
            if task.state != RUNNING or task.line.heard is not picture:
                return None  # it is over, or the next snapshot was faster
        return picture

    # -- ends ------------------------------------------------------------------

    async def end(self, task: Task, picture: Picture) -> None:
        """``turn.end``: final once; duplicates are no-ops (HK-69)."""
        if not REQUEST.can(task.state, "end"):
            return
        task.state = REQUEST.step(task.state, "end")
        await self._close(task, picture)

    async def _interrupt(self, task: Task) -> None:
        """Nobody will end this task any more; a late end still wins (RC-55)."""
        if task.state in UNENDED:
            task.state = REQUEST.step(task.state, "expire")
            picture = Picture(task, INTERRUPTED_TEXT, CHIP_INTERRUPTED, final=True, by=task.by)
            await self._close(task, picture)

    async def _expire(self, task: Task) -> None:
        """Interrupt beside everything else: a slow channel must not delay the others."""
        await self.actor.perform(Spawn(f"expire {task.request}", self._interrupt(task)))

    async def _close(self, task: Task, picture: Picture, later: Later | None = None) -> None:
        task.final = task.line.terminal = picture
        task.written = False
        task.spoken = True
        await self.settle(task)
        await self.writing.delivery.accepted(task)
        if task.final is not picture:
            return  # it runs after all, or a late end has come, while this was being stored
        if later is None:
            await self.writing.show(task.line, picture)
        else:
            await self.actor.perform(Spawn(f"later {task.request}", later(task, picture)))

    async def reject_later(self, task: Task, picture: Picture) -> None:
        """Show a rejection where there is one post only, which an end may need yet (RC-36).

        The ack of an earlier dispatch may have been lost: then the task runs, whatever
        a part of the desktop that was not ready said about its repetition.
        """
        await self.actor.perform(Sleep(self.plan.limits.absent_us))
        if task.final is picture:
            await self.writing.show(task.line, picture)

    async def publish_again(self, task: Task, picture: Picture) -> None:
        """With that rule off: a repeated end is published like a first one (RC-46, RC-47)."""
        line = task.line
        if not self.writing.manners(line).edits:
            line.message = ""
            line.posts = 0
        line.shown = line.wanted = None
        line.draining = False
        task.final = line.terminal = picture
        task.written = False
        await self.writing.show(line, picture)

    async def settle(self, task: Task) -> None:
        """Take a task out of everything that is still open, durably."""
        # A desktop that comes back may still be told to stop what was INTERRUPTED.
        task.cancel = task.cancel and task.state == INTERRUPTED
        task.ended_us = max(1, self.actor.port.now_us())
        self.delist(task)
        if task.state == INTERRUPTED:
            self.keep_interrupted(task)
        self.memory.ended.append((task.ended_us, "request", task.request))
        closed = self.cards.close_all(task)
        await self.actor.perform(Save(task.row_key, task.row()))
        await self.cards.write_closed(closed)

    def delist(self, task: Task) -> None:
        """A task is not open any more."""
        desk = task.desk
        for tasks in (desk.unended, desk.interrupted, task.conversation.tasks):
            if tasks is not None:
                tasks.pop(task.request, None)

    def keep_interrupted(self, task: Task) -> None:
        """Its desktop will be asked for its end, unless it is too old to be run at all."""
        if task.ended_us - task.created_us < self.plan.limits.mapping_us:
            if task.desk.interrupted is None:
                task.desk.interrupted = {}
            task.desk.interrupted[task.request] = task
            task.conversation.enlist(task)  # and what is stopped now, it will be told to stop

    def enlist(self, task: Task) -> None:
        """A task is open: it will be redelivered, and ``/stop`` finds it."""
        if task.desk.interrupted is not None:
            task.desk.interrupted.pop(task.request, None)
        if task.desk.unended is None:
            task.desk.unended = {}
        task.desk.unended[task.request] = task
        task.conversation.enlist(task)

    # -- cancel ----------------------------------------------------------------

    async def send_cancel(self, task: Task, *, patient: bool = True) -> None:
        """Pass ``/stop`` on, once per welcome and only to a desktop that has acked.

        One that overtakes the ack is lost: it waits for that, at most ``cancel_us``.
        """
        socket = task.desk.socket
        if socket is None or not socket.ready or task.state not in REDELIVERED:
            return
        if not self.memory.is_of(socket, task) or task.cancel_sent == socket.serial:
            return
        if patient and task.acked != socket.serial:
            task.cancel_sent = -socket.serial  # it waits, on this connection
            after = self.plan.limits.cancel_us
            await self.actor.perform(StartTimer("cancel", task.request, after))
            return
        if not patient and task.cancel_sent != -socket.serial:
            return  # this was the timer of an older connection
        task.cancel_sent = socket.serial
        body = TaskCancel(request_id=task.request)
        await self.actor.perform(Send(socket.conn, made(self.actor.port, body)))

    # -- absence ---------------------------------------------------------------

    async def start_absence(self, desk: Desk) -> None:
        """A desktop with open tasks went away."""
        if desk.unended:
            after = self.plan.limits.absent_us
            await self.actor.perform(StartTimer("absent", desk.key, after, background=True))

    def _of_the_absent(self, desk: Desk) -> list[Task]:
        """The open tasks that nobody works on: all, or those of another account (RC-44)."""
        tasks = list((desk.unended or {}).values())
        socket = desk.socket
        if socket is None or not socket.ready:
            return tasks
        return [task for task in tasks if not self.memory.is_of(socket, task)]

    async def absent(self, desk: Desk) -> None:
        """It stayed away too long: what it had taken is INTERRUPTED, the rest waits."""
        away = self._of_the_absent(desk)
        limits = self.plan.limits
        now = self.actor.port.now_us()
        if desk.has_just_left(now, limits.absent_us):
            await self.start_absence(desk)
            return
        for task in away:
            if task not in self._of_the_absent(desk):
                continue  # its desktop has just come back
            if task.state != WAITING or now - task.created_us >= limits.mapping_us:
                await self._expire(task)
            else:
                picture = Picture(task, OFFLINE_TEXT, CHIP_QUEUED, by=task.by)
                run = self.writing.show(task.line, picture)
                await self.actor.perform(Spawn(f"offline {task.request}", run))
        waiting = [task.created_us for task in away if task.state == WAITING]
        if waiting:
            after = max(limits.absent_us, waiting[0] + limits.mapping_us - now)
            await self.actor.perform(StartTimer("absent", desk.key, after, background=True))
