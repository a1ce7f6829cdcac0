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

An edit may be repeated, a post may not (RC-100): ``line.posts`` counts posts
that happened or may have happened, and is stored before a second one.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from sim.channel.api import Done, EditMessage, PostMessage, Refused
from sim.core.actor import Actor
from sim.core.op import NO_ANSWER, Call, Note, Save, Sleep, Spawn, StartTimer
from sim.protocols.hook.server.line import Line, Picture
from sim.protocols.hook.server.plan import ServerPlan
from sim.protocols.hook.server.tasks import CloseOut, Task


class Writing:
    """The pen of one server."""

    __slots__ = ("actor", "on_posted", "plan")

    def __init__(self, actor: Actor, plan: ServerPlan) -> None:
        self.actor = actor
        self.plan = plan
        self.on_posted: Any = None

    async def show(self, line: Line, picture: Picture) -> None:
        """Let a message look like this, soon; returns early if another handler writes."""
        if picture.claim is not line.claim:
            await self._dropped(line, picture)
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
        if line.message:
            if line.gone:
                await self._missing(line, picture)
            elif line.shown is not None and line.shown.looks_like(picture):
                await self._settle(picture)
            else:
                await self._edit(line, picture)
        elif line.posts == 0 or await self._post_anew(line, picture):
            await self._post(line, picture)
        elif picture.final:
            await self._settle(picture)

    async def _edit(self, line: Line, picture: Picture) -> None:
        request = EditMessage(
            line.message, picture.text, picture.state, picture.buttons, picture.files, picture.by
        )
        reply = await self._call(line, request)
        if type(reply) is Done:
            await self._shown(line, picture)
        elif type(reply) is Refused and reply.code == "message_not_found":
            await self._missing(line, picture)
        else:
            if reply is NO_ANSWER:
                line.shown = None
                line.unsure = True
            await self._later(line, picture, reply)

    async def _post_anew(self, line: Line, picture: Picture) -> bool:
        """Whether a lost message may be posted again: once, with a final picture.

        One that is gone comes back for a task's own final only (RC-28, RC-98); one
        whose post was never confirmed for whoever has the last word.
        """
        if line.posts != 1 or not picture.final or line.role != "request":
            return False
        if line.gone and type(picture.claim) is not Task:
            return False
        line.posts = 2
        await self._save(line.subject)
        return True

    async def _post(self, line: Line, picture: Picture) -> None:
        line.posts = max(line.posts, 1)
        request = PostMessage(
            line.chat, line.thread, picture.text, picture.state, line.role, line.about,
            picture.buttons, picture.files,
        )  # fmt: skip
        reply = await self._call(line, request)
        if type(reply) is Done:
            line.message = reply.message
            line.gone = False
            if self.on_posted is not None:
                self.on_posted(line)
            if not (picture.final and picture.claim is line.subject):
                await self._save(line.subject)
            await self._shown(line, picture)
        elif type(reply) is Refused:  # certainly not applied: this post never was
            line.posts -= 1
            await self._save(line.subject)
            await self._later(line, picture, reply)
        elif picture.final:
            await self._settle(picture)

    async def _call(self, line: Line, request: Any) -> Any:
        return await self.actor.perform(Call(line.channel, request, self.plan.limits.call_us))

    async def _shown(self, line: Line, picture: Picture) -> None:
        line.failures = 0
        line.shown = picture
        if picture.final:
            if line.unsure:
                line.unsure = False
                after = self.plan.limits.call_us
                await self.actor.perform(StartTimer("again", line.about, after, background=True))
            await self._settle(picture)

    async def _settle(self, picture: Picture) -> None:
        """A terminal picture needs no more care, not even after a crash."""
        claim = picture.claim
        if picture.final and not claim.written:
            claim.written = True
            await self._save(claim)

    async def _save(self, subject: Any) -> None:
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
            if line.wanted is None:
                line.wanted = picture
            return
        await self._settle(picture)

    async def _later(self, line: Line, picture: Picture, reply: Any) -> None:
        """Wait as long as the channel says, or longer each time; then the newest goes."""
        await self.actor.perform(Sleep(self._pause_us(line.failures, reply)))
        line.failures += 1
        if type(reply) is Refused and reply.code == "too_long":
            half = max(1, len(picture.text) // 2)
            picture.text = picture.text[:half] + "…"
        if line.wanted is None:
            line.wanted = picture

    def _pause_us(self, failures: int, reply: Any) -> int:
        limits = self.plan.limits
        if type(reply) is Refused and reply.code == "rate_limited":
            return reply.retry_after_us or limits.retry_us
        return min(limits.retry_max_us, limits.retry_us << min(failures, 10))

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
            reply = await self._call(line, request)
            if type(reply) is Done or (
                type(reply) is Refused and reply.code == "message_not_found"
            ):
                break
            await self.actor.perform(Sleep(self._pause_us(failures, reply)))
            failures += 1
        line.shown = None
        await self._settle(picture)

    async def assert_again(self, line: Line) -> None:
        """A write of unknown outcome may have landed last: say the final once more."""
        shown = line.shown
        if shown is not None and shown.final and not line.draining:
            line.shown = None
            await self.show(line, shown)
