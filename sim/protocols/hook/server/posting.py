"""Posts: the writes that must not be repeated (RC-100, RC-101, RC-102).

Every post has a key: what it is about, how manieth it is, and whether it is an
answer. While its outcome is
unknown the line is *in doubt*, and nothing is posted for it before the channel
was asked for that key. Where a post is the answer itself (and not a
placeholder) the doubt is stored before the post sets out, so that a crash
leaves it behind and not a second answer.

Where a channel cannot tell, a message that can be edited takes the answer; one
that cannot stays in doubt for good.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sim.channel.api import DeleteMessage, Done, FindMessage, PostMessage, Refused
from sim.core.op import NO_ANSWER, Sleep, Spawn
from sim.protocols.hook.server.calling import PASSING, TRIES
from sim.protocols.hook.server.line import ENDS, Line, Picture
from sim.protocols.hook.server.tasks import Task

if TYPE_CHECKING:
    from sim.protocols.hook.server.writing import Writing

UNKNOWN = "outcome_unknown"
ANSWER = "/answer/"
"""In the keys of posts that are an answer and not a placeholder."""


class Posting:
    """The part of the pen that makes new messages."""

    __slots__ = ("on_posted", "writing")

    def __init__(self, writing: Writing) -> None:
        self.writing = writing
        self.on_posted: Any = None

    def answers_anew(self, line: Line, picture: Picture) -> bool:
        """Whether this end is a new message, and the progress message goes (RC-102)."""
        manners = self.writing.manners(line)
        if not manners.answers_anew or line.answered or picture.state not in ENDS:
            return False
        return type(picture.claim) is Task

    def may_post(self, line: Line, picture: Picture) -> bool:
        """Whether another message may be posted: one, then one more with a final picture.

        One that is gone comes back for a task's own final only (RC-28, RC-98), or for
        the continuation that took it over meanwhile; one whose post was never confirmed
        for whoever has the last word.
        """
        if line.posts == 0 or self.answers_anew(line, picture):
            return True
        if line.posts != 1 or not picture.final or line.role != "request":
            return False
        return not line.is_lost or type(picture.claim) is Task

    async def post(self, line: Line, picture: Picture) -> None:
        """Make the message, or find out whether that worked."""
        writing = self.writing
        line.posts += 1
        line.doubt = f"{line.about}{ANSWER if picture.final else '/'}{line.posts}"
        line.doubt_us = writing.actor.port.now_us()
        line.doubted = picture
        # Else only a placeholder is in doubt, which the next picture replaces.
        is_stored = line.posts > 1 or picture.final or line.role == "card"
        if is_stored:
            await writing.save(line.subject)
            if writing.is_held_up(line, picture):
                await self._never_sent(line)
                writing.want(line, picture)
                return
        reply = await writing.publish(line, picture, self._request(line, picture))
        if type(reply) is Done:
            await self._posted(line, picture, reply.message)
        elif type(reply) is Refused and reply.code != "duplicate":
            if is_stored:
                await self._never_sent(line)
            else:
                line.doubt = ""
                line.posts -= 1
            await writing.later(line, picture, reply.code, reply)
        else:
            if not writing.plan.rules.look_before_posting:
                line.doubt = ""
                line.posts -= 1
            await writing.later(line, picture, UNKNOWN, NO_ANSWER)

    async def _never_sent(self, line: Line) -> None:
        """Certainly not applied: this post never was."""
        line.doubt = ""
        line.posts -= 1
        await self.writing.save(line.subject)

    def _request(self, line: Line, picture: Picture) -> PostMessage:
        text = self.writing.manners(line).first(picture.text)
        return PostMessage(
            line.chat, line.thread, text, picture.state, line.role, line.about,
            picture.buttons, picture.files, line.doubt, self.writing.quote(line, first=True),
        )  # fmt: skip

    async def _posted(self, line: Line, picture: Picture, message: str) -> None:
        anew = self.answers_anew(line, picture)
        self._adopt(line, picture, message, anew)
        if anew or not (picture.final and picture.claim is line.subject):
            await self.writing.save(line.subject)
        await self.writing.shown(line, picture)

    def _adopt(self, line: Line, picture: Picture, message: str, anew: bool) -> None:
        """The message is there; what it replaces is left over."""
        if anew:
            if line.message and line.message != message and not line.gone:
                line.leftovers = (*line.leftovers, line.message)
            line.answered = True
        line.message = message
        line.gone = False
        line.doubt = ""
        line.doubted = None
        line.shown = picture
        if self.on_posted is not None:
            self.on_posted(line)

    # -- doubt -------------------------------------------------------------------

    async def resolve(self, line: Line, picture: Picture) -> bool:
        """Ask the channel for the post in doubt. → whether ``picture`` may go on now."""
        writing = self.writing
        doubted = line.doubted or picture
        reply = await writing.call(line, FindMessage(line.chat, line.doubt))
        if type(reply) is Done:
            self._adopt(line, doubted, reply.message, self.answers_anew(line, doubted))
            line.unsure = True
            await writing.save(line.subject)
            return True
        code = reply.code if type(reply) is Refused else UNKNOWN
        if code == "unsupported":
            return await self._untellable(line, doubted, picture)
        anew = self.answers_anew(line, picture)
        if code == "not_found":
            young = writing.actor.port.now_us() - line.doubt_us < writing.manners(line).doubt_us
            if not young or (anew and not doubted.final):
                line.doubt = ""  # it never was
                if line.role == "card":
                    line.posts -= 1
                return True
            code = UNKNOWN
        if picture.final or line.role == "card":  # no other picture of a card may ever come
            await writing.later(line, picture, code, reply)
        return False

    async def _untellable(self, line: Line, doubted: Picture, picture: Picture) -> bool:
        """The channel does not know its posts by our keys: never a second answer blindly."""
        if not self.writing.manners(line).edits or (doubted.final and not line.message):
            if picture.final:
                await self.writing.settle(picture, UNKNOWN)
            return False
        line.doubt = ""
        if doubted.final:
            line.answered = True  # an edit of what is left is safe
        return True

    # -- the rest of an answer, and what should go away ------------------------------

    async def complete(self, line: Line, picture: Picture) -> bool:
        """Post the other pieces of a long answer. → whether all are out."""
        writing = self.writing
        manners = writing.manners(line)
        if not manners.splits or type(picture.claim) is not Task:
            return True
        pieces = manners.pieces(picture.text)
        while len(line.parts) + 1 < len(pieces):
            if picture.claim is not line.claim:
                return False  # somebody continued the task: nobody needs the rest
            number = len(line.parts) + 1
            key = f"{line.about}/{line.posts}.{number}"
            quoted = writing.quote(line, first=False)
            request = PostMessage(
                line.chat, line.thread, pieces[number], role="part", key=key, reply_to=quoted
            )
            found: Any = NO_ANSWER
            if line.unsure:
                found = await writing.call(line, FindMessage(line.chat, key))
            reply = found if type(found) is Done else await writing.call(line, request)
            if type(reply) is Refused:
                await writing.later(line, picture, reply.code, reply)
                return False
            # Without an answer it may stand there: once too few is better than twice.
            line.parts = (*line.parts, reply.message if type(reply) is Done else "")
            await writing.save(line.subject)
        return True

    def withdraw_parts(self, line: Line, picture: Picture) -> None:
        """A continuation has the message now: the rest of the old answer is out of date."""
        if line.parts and type(picture.claim) is not Task:
            line.leftovers = (*line.leftovers, *(part for part in line.parts if part))
            line.parts = ()

    async def tidy(self, line: Line) -> None:
        """Delete what is left over, beside everything else."""
        if line.leftovers:
            await self.writing.actor.perform(Spawn(f"tidy {line.about}", self._tidy(line)))

    async def _tidy(self, line: Line) -> None:
        """A few tries each; what cannot be deleted stays, and the answer stays too."""
        writing = self.writing
        for message in line.leftovers:
            for attempt in range(TRIES):
                reply = await writing.call(line, DeleteMessage(message))
                if type(reply) is Done or (type(reply) is Refused and reply.code not in PASSING):
                    break
                await writing.actor.perform(Sleep(writing.calling.pause_us(attempt, reply)))
            line.leftovers = tuple(m for m in line.leftovers if m != message)
        await writing.save(line.subject)
