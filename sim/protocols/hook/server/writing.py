"""Writes to channel messages: one at a time per message, the newest wins.

Every picture of a message goes through :meth:`Writing.show`. It becomes
``line.wanted``; the handler that finds nobody writing drains the line, others
leave their picture and go. So a message has one write in flight, progress is
throttled by the channel's own speed, and a terminal picture passes waiting
progress.

Ownership is compared when the write is really issued, and again before each
retry: a picture whose claim no longer holds the line is dropped (HK-186,
HK-187). With the rule ``ownership_at_write`` off, close-outs go through
:meth:`Writing.write_blindly`: decided once, written whenever their turn comes.

An edit may be repeated, a post may not: those are in ``posting``. What kinds of
channels do differently is in ``manners``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from sim.channel.api import INTERRUPTED, Done, EditMessage, Refused
from sim.core.actor import Actor
from sim.core.op import NO_ANSWER, Call, Note, Save, Sleep, Spawn, StartTimer
from sim.protocols.hook.server.calling import Calling
from sim.protocols.hook.server.delivery import Delivery
from sim.protocols.hook.server.line import ENDS, Line, Picture
from sim.protocols.hook.server.manners import Manners
from sim.protocols.hook.server.plan import ServerPlan
from sim.protocols.hook.server.posting import UNKNOWN, Posting
from sim.protocols.hook.server.quoting import quote_mode
from sim.protocols.hook.server.tasks import CloseOut, Task

HOPELESS = ("quota_exceeded", "chat_not_found")
HOPELESS_POSTS = (*HOPELESS, "message_not_found")
"""What no repetition helps against; the desktop keeps the result."""


class Writing:
    """The pen of one server.

    ``quotes`` says how a task's answer quotes its question: off, first or all.
    """

    __slots__ = ("actor", "calling", "delivery", "plan", "posting", "quotes")

    def __init__(
        self, actor: Actor, plan: ServerPlan, delivery: Delivery, calling: Calling
    ) -> None:
        self.actor = actor
        self.plan = plan
        self.delivery = delivery
        self.calling = calling
        self.posting = Posting(self)
        self.quotes: Callable[[Task], str] = quote_mode

    def manners(self, line: Line) -> Manners:
        """How the channel of a message wants to be written to."""
        return self.calling.manners(line.channel)

    def quote(self, line: Line, *, first: bool) -> str:
        """The message that this post quotes, if any."""
        task = line.subject
        if type(task) is not Task or not task.trigger:
            return ""
        mode = self.quotes(task)
        return task.trigger if mode == "all" or (mode == "first" and first) else ""

    async def show(self, line: Line, picture: Picture) -> None:
        """Let a message look like this, soon; returns early if another handler writes."""
        if picture.claim is not line.claim:
            await self._dropped(line, picture)
            return
        if not self.manners(line).edits and (
            not picture.final or picture.state == INTERRUPTED  # an end may still come (RC-55)
        ):
            await self.settle(picture)  # there is one public post: not for this
            return
        line.wanted = picture
        if not line.draining:
            await self._drain(line)

    async def _drain(self, line: Line) -> None:
        line.draining = True
        while (picture := line.wanted) is not None:
            line.wanted = None
            if picture.claim is line.claim:
                await self._write(line, picture)
            else:
                await self._dropped(line, picture)
        line.draining = False
        while line.late and not line.draining:
            late = line.late.popleft()
            run = self.write_blindly(line, late)
            await self.actor.perform(Spawn(f"late {late.by}", run))

    async def _dropped(self, line: Line, picture: Picture) -> None:
        if type(picture.claim) is CloseOut:
            data = {"request": picture.claim.round.request, "message": line.message}
            await self.actor.perform(Note("close-out-dropped", data))

    async def _write(self, line: Line, picture: Picture) -> None:
        """One attempt. What it could not do becomes ``wanted`` again, after a pause."""
        if await self._waited(line, picture):
            return
        if line.doubt:
            if await self.posting.resolve(line, picture):
                self.want(line, picture)  # asking took its time: look at everything again
            return
        if line.message and not self.posting.answers_anew(line, picture):
            await self._renew(line, picture)
        elif self.posting.may_post(line, picture):
            await self.posting.post(line, picture)
        elif picture.final:
            await self.settle(picture, UNKNOWN)

    async def _waited(self, line: Line, picture: Picture) -> bool:
        """Whether the channel wanted a pause first; then the newest picture goes."""
        rest = self.calling.rest_us(line.channel, line.chat, final=picture.final)
        if rest:
            await self.actor.perform(Sleep(rest))
            self.want(line, picture)
        return rest > 0

    def is_held_up(self, line: Line, picture: Picture) -> bool:
        """Whether this may not be written (any more), after something took its time."""
        if picture.claim is not line.claim:
            return True
        return self.calling.rest_us(line.channel, line.chat, final=picture.final) > 0

    def want(self, line: Line, picture: Picture) -> None:
        if line.wanted is None:
            line.wanted = picture

    async def _renew(self, line: Line, picture: Picture) -> None:
        """Let the message that there is look like this."""
        if line.gone:
            await self._missing(line, picture)
        elif line.shown is not None and line.shown.looks_like(picture):
            await self.shown(line, picture)
        elif self.manners(line).edits:
            await self._edit(line, picture)
        elif picture.final:
            await self.settle(picture, "already_posted")

    async def _edit(self, line: Line, picture: Picture) -> None:
        self.posting.withdraw_parts(line, picture)
        text = self.manners(line).first(picture.text)
        request = EditMessage(
            line.message, text, picture.state, picture.buttons, picture.files, picture.by
        )
        reply = await self.publish(line, picture, request)
        code = reply.code if type(reply) is Refused else ""
        if type(reply) is Done or code == "not_modified":
            await self.shown(line, picture)
        elif code == "message_not_found":
            await self._missing(line, picture)
        else:
            if reply is NO_ANSWER:
                line.shown = None
                line.unsure = True
            await self.later(line, picture, code or UNKNOWN, reply)

    async def publish(self, line: Line, picture: Picture, request: Any) -> Any:
        """A call that shows a picture; for an end it is an attempt to publish it."""
        claim = picture.claim
        if type(claim) is Task and claim.final is picture:
            self.delivery.attempt(claim)
        return await self.call(line, request)

    async def call(self, line: Line, request: Any) -> Any:
        """Ask the channel of a message."""
        return await self.calling.ask(line.channel, line.chat, request)

    async def shown(self, line: Line, picture: Picture) -> None:
        """The channel has it."""
        line.failures = 0
        line.shown = picture
        if not picture.final:
            await self.posting.tidy(line)
            return
        line.answered = True
        if not await self.posting.complete(line, picture):
            return
        if line.unsure and self.manners(line).edits:
            line.unsure = False
            after = self.plan.limits.call_us
            await self.actor.perform(StartTimer("again", line.about, after, background=True))
        await self.settle(picture)
        await self.posting.tidy(line)

    async def settle(self, picture: Picture, code: str = "") -> None:
        """A terminal picture needs no more care, not even after a crash.

        ``code`` says why it is not in the channel. A picture that a newer end has
        replaced settles nothing.
        """
        claim = picture.claim
        if not picture.final or claim.written or getattr(claim, "final", picture) is not picture:
            return
        claim.written = True
        is_known = code or getattr(claim, "receipt", None) is not None
        if type(claim) is Task and picture.state in ENDS and is_known:
            self.delivery.settle(claim, code)
            await self.save(claim)
            await self.delivery.settled(claim)
        else:
            await self.save(claim)

    async def save(self, subject: Any) -> None:
        """Store what a message is about, with the message."""
        await self.actor.perform(Save(subject.row_key, subject.row()))

    async def _missing(self, line: Line, picture: Picture) -> None:
        """The channel has no such message (any more).

        An ordinary task's answer is posted anew (RC-98); a continuation stays
        silent (RC-28), a card too.
        """
        line.gone = True
        if not picture.final:
            return
        if type(picture.claim) is Task and line.posts == 1:
            line.message = ""
            self.want(line, picture)
            return
        await self.settle(picture, "message_not_found")

    async def later(self, line: Line, picture: Picture, code: str, reply: Any) -> None:
        """Wait as long as the channel says, or longer each time; then the newest goes."""
        pause = self.calling.pause_us(line.failures, reply)
        claim = picture.claim
        if type(claim) is Task and claim.final is picture and picture.state in ENDS:
            age = self.actor.port.now_us() - claim.ended_us
            hopeless = HOPELESS if self.manners(line).edits else HOPELESS_POSTS
            if code in hopeless or age > self.plan.limits.publish_us:
                await self.settle(picture, code)
                return
            await self.delivery.retry(claim, code, pause)
        await self.actor.perform(Sleep(pause))
        line.failures += 1
        if code == "too_long":
            half = max(1, len(picture.text) // 2)
            picture.text = picture.text[:half] + "…"
        if line.wanted is None or not self.plan.rules.newest_wins:
            line.wanted = picture

    async def write_blindly(self, line: Line, picture: Picture) -> None:
        """A close-out of a server that does not know who owns the message now."""
        if line.draining:
            if line.late is None:
                line.late = deque()
            line.late.append(picture)
            return
        failures = 0
        while line.message:
            line.shown = None
            request = EditMessage(line.message, picture.text, picture.state, by=picture.by)
            call = Call(line.channel, request, self.plan.limits.call_us)
            reply = await self.actor.perform(call)
            if type(reply) is Done or (
                type(reply) is Refused and reply.code in ("message_not_found", "not_modified")
            ):
                break
            await self.actor.perform(Sleep(self.calling.pause_us(failures, reply)))
            failures += 1
        line.shown = None
        await self.settle(picture)

    async def assert_again(self, line: Line) -> None:
        """A write of unknown outcome may have landed last: say the final once more."""
        shown = line.shown
        if shown is not None and shown.final and not line.draining:
            line.shown = None
            await self.show(line, shown)
