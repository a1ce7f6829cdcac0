"""Webhook events: what people say and press in the channels.

An event is answered with SEEN once whatever follows from it is durable, and
is dealt with once however often the channel repeats it (RC-105). While it is
being dealt with a repetition gets no answer, so that the channel asks again:
saying SEEN too early would lose the event in a crash.
"""

from __future__ import annotations

from typing import Any

from sim.channel.api import QUEUED as CHIP_QUEUED
from sim.channel.api import SEEN, WORKING, ButtonPressed, MessageRemoved, PersonSaid, SignedIn
from sim.core.actor import Actor
from sim.core.op import NO_ANSWER, Save, Send, Sleep, Spawn
from sim.protocols.hook.frames import TaskCancel
from sim.protocols.hook.intake import made
from sim.protocols.hook.machine import OPEN, REQUEST, RUNNING, UNENDED
from sim.protocols.hook.server.accounts.books import Books
from sim.protocols.hook.server.cards import Cards
from sim.protocols.hook.server.line import Line, Picture
from sim.protocols.hook.server.memory import Memory
from sim.protocols.hook.server.plan import ServerPlan
from sim.protocols.hook.server.requests import Requests
from sim.protocols.hook.server.stored import ArchiveRow, EventRow
from sim.protocols.hook.server.tasks import Conversation, Round, Task, place_of
from sim.protocols.hook.server.texts import OFFLINE_TEXT, UNBOUND_TEXT, WORKING_TEXT
from sim.protocols.hook.server.writing import Writing

STOP = "/stop"
NEW = "/new"


# A channel waits three seconds for an answer to an event; this stays well below.
EARLY_PAUSE_US = 50_000
EARLY_TRIES = 40
# A channel repeats an event for 12 s; but what is on its way may be slower than that.
FORGETFUL_US = 15_000_000


class Inbox:
    """Turns events of a channel into tasks, cancels, archives and decisions."""

    __slots__ = ("actor", "books", "cards", "memory", "plan", "requests", "writing")

    def __init__(
        self,
        actor: Actor,
        memory: Memory,
        plan: ServerPlan,
        writing: Writing,
        requests: Requests,
        cards: Cards,
        books: Books,
    ) -> None:
        self.actor = actor
        self.memory = memory
        self.plan = plan
        self.writing = writing
        self.requests = requests
        self.cards = cards
        self.books = books

    async def take(self, channel: str, event: Any) -> Any:
        """Answer a channel's call."""
        if type(event) is ButtonPressed:
            if await self.books.pickers.press(channel, event):
                return SEEN
            if not await self._settled_post(channel, event):
                return NO_ANSWER
            if not await self.books.pickers.press(channel, event):
                await self.cards.press(channel, event)
            return SEEN
        if type(event) is SignedIn:
            await self.books.signed_in(channel, event)
            return SEEN
        if type(event) is MessageRemoved:
            return SEEN  # the next edit learns it from the channel
        return await self._once(channel, event)

    async def _settled_post(self, channel: str, press: ButtonPressed) -> bool:
        """Wait a little for the id of a card whose post is still being answered.

        A quick finger beats the channel's answer. Not answering makes the channel
        repeat the press, but only seconds later.
        """
        for _ in range(EARLY_TRIES):
            if not self.cards.is_early(channel, press):
                return True
            await self.actor.perform(Sleep(EARLY_PAUSE_US))
        return not self.cards.is_early(channel, press)

    async def _once(self, channel: str, event: PersonSaid) -> Any:
        memory = self.memory
        name = event.event
        if self.plan.rules.webhook_dedupe:
            if name in memory.seen and not self._forgotten(name):
                return SEEN
            if name in memory.taking:
                return NO_ANSWER
        memory.taking[name] = None
        await self._said(channel, event)
        memory.taking.pop(name, None)
        memory.seen[name] = self.actor.port.now_us()
        return SEEN

    def _forgotten(self, name: str) -> bool:
        """With that rule off, ids are kept for hardly longer than a channel repeats its events."""
        if self.plan.rules.dedupe_outlives_repeats:
            return False
        return self.actor.port.now_us() - self.memory.seen[name] >= FORGETFUL_US

    async def _said(self, channel: str, event: PersonSaid) -> None:
        text = event.text.strip()
        lane = self.plan.channels[channel]
        if await self.books.heard(channel, lane, event):
            await self._remember(event)
            return
        if not text or not self.books.addressed(lane, event):
            # Nothing follows from it; that it was seen is forgotten like the others.
            self.memory.ended.append((self.actor.port.now_us(), "event", event.event))
            return
        if text == STOP:
            await self._stop(self._where(lane, event))
            await self._remember(event)
        elif text == NEW:
            await self._new(lane, event)
        elif self.books.commands.takes(lane, text):
            await self.books.commands.take(channel, lane, event)
            await self._remember(event)
        else:
            await self._ask(channel, lane, event)

    def _where(self, lane: str, event: PersonSaid) -> Conversation | None:
        """The conversation that a command is about: its thread's, else the person's last."""
        place = self._place(lane, event)
        here = self.memory.conversations.get(place)
        if here is not None:
            return here
        return self.memory.latest.get((lane, event.chat, event.person))

    def _place(self, lane: str, event: PersonSaid) -> tuple[str, str, str | None]:
        return place_of(lane, event.chat, event.thread, self._principal(lane, event))

    def _principal(self, lane: str, event: PersonSaid) -> str:
        """Whose session a group's message belongs to; "" outside groups."""
        if not self.plan.rules.group_principal_in_key:
            return ""
        return self.books.standing.principal_of(lane, event.chat, event.person)

    def _device(self, lane: str, event: PersonSaid) -> str | None:
        return self.books.standing.device_of(lane, event.team or "", event.person)

    async def _remember(self, event: PersonSaid) -> None:
        now = self.actor.port.now_us()
        self.memory.ended.append((now, "event", event.event))
        await self.actor.perform(Save(f"event/{event.event}", EventRow(now)))

    # -- tasks -----------------------------------------------------------------

    async def _ask(self, channel: str, lane: str, event: PersonSaid) -> None:
        device = self._device(lane, event)
        if device is None:
            notice = self.books.reach.notice(channel, event.chat, event.thread, UNBOUND_TEXT)
            await self.actor.perform(Spawn(f"notice {event.event}", notice))
            await self._remember(event)
            return
        desk = self.memory.desk(lane, device)
        conversation = await self._conversation(lane, event, desk.socket)
        port = self.actor.port
        task = Task(
            port.new_id(), event.event, desk, conversation, event.person, event.text, port.now_us()
        )
        task.trigger = event.message
        task.session, conversation.takeover = conversation.takeover, ""
        self.adopt(task, channel)
        self.requests.enlist(task)
        self.memory.latest[lane, event.chat, event.person] = conversation
        await self.actor.perform(Save(task.row_key, task.row()))
        if task.session:
            await self.actor.perform(Save(conversation.row_key, conversation.row()))
        await self._begin(task)

    def adopt(self, task: Task, channel: str) -> None:
        """Give a task its message and make it findable."""
        lane = task.conversation
        task.line = Line(task, channel, lane.chat, lane.thread, task.request, "request")
        self.memory.routes[task.request] = task

    async def _begin(self, task: Task) -> None:
        """Placeholder and dispatch; the placeholder's latency delays nobody.

        A desktop that connected while the rows were being stored has got the task with its
        welcome: what it has answered since is newer than a placeholder.
        """
        if task.state != REQUEST.initial:
            return
        socket = task.desk.socket
        ready = socket is not None and socket.ready
        text, chip = (WORKING_TEXT, WORKING) if ready else (OFFLINE_TEXT, CHIP_QUEUED)
        run = self.writing.show(task.line, Picture(task, text, chip, by=task.by))
        await self.actor.perform(Spawn(f"post {task.request}", run))
        socket = task.desk.socket
        if socket is not None and socket.ready:
            await self.requests.dispatch(socket, task)
        elif socket is None:
            await self.requests.start_absence(task.desk)

    async def _conversation(self, lane: str, event: PersonSaid, socket: Any) -> Conversation:
        """The thread's conversation, made and stored at its first message (HK-53)."""
        place = self._place(lane, event)
        known = self.memory.conversations.get(place)
        if known is not None and known.workspace:
            return known
        principal = self._principal(lane, event)
        here = known or Conversation(lane, event.team or "", event.chat, event.thread, principal)
        self.memory.conversations[place] = here
        if socket is not None and socket.ready:
            here.workspace = self.requests.workspace("", socket.hello) or ""
        if known is None or here.workspace:
            await self.actor.perform(Save(here.row_key, here.row()))
        return here

    # -- commands --------------------------------------------------------------

    async def _stop(self, conversation: Conversation | None) -> None:
        """``/stop``: cancel what runs in the thread, by the id it runs under (HK-65, RC-26)."""
        running = None if conversation is None else _running(conversation)
        if type(running) is Round:
            body = TaskCancel(request_id=running.request)
            frame = made(self.actor.port, body)
            await self.actor.perform(Send(running.socket.conn, frame))
        elif type(running) is Task:
            running.cancel = True
            await self.actor.perform(Save(running.row_key, running.row()))
            await self.requests.send_cancel(running)

    async def _new(self, lane: str, event: PersonSaid) -> None:
        """``/new``: archive the old generation's session, start another (HK-137).

        Not in a Telegram group, whose sessions go by account and topic.
        """
        conversation = self._where(lane, event)
        if conversation is not None and conversation.principal:
            return
        device = self._device(lane, event)
        if conversation is None or device is None or conversation.renewed == event.event:
            return
        desk = self.memory.desk(lane, device)
        old = conversation.key
        if desk.archives is None:
            desk.archives = {}
        desk.archives[old] = (0, 0)
        # What is said from this moment on belongs to the new session.
        conversation.enter(conversation.generation + 1, event.event)
        await self.actor.perform(Save(f"archive/{old}", ArchiveRow(old, lane, device)))
        await self.actor.perform(Save(conversation.row_key, conversation.row()))
        if desk.socket is not None and desk.socket.ready:
            await self.requests.send_archives(desk.socket)


def _running(conversation: Conversation) -> Task | Round | None:
    """A session runs one turn at a time: a continuation, else the running task, else the first.

    Else what was INTERRUPTED last: its desktop may come back, and still be at it.
    """
    for over in (conversation.rounds or {}).values():
        if over.state == OPEN and over.socket is not None:
            return over
    tasks = conversation.tasks
    if not tasks:
        return None
    for task in tasks.values():
        if task.state == RUNNING:
            return task
    waiting = (task for task in tasks.values() if task.state in UNENDED)
    return next(waiting, next(reversed(tasks.values())))
