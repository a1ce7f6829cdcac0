"""X: mentions and public posts.

The bot is told who mentions it. Each of its posts is billed (Note ``billed``),
weighs at most 280, can neither be edited nor carry buttons, and is refused if
the same text stands under the same post already, or if the quota is used up.
A post can be searched for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from sim.channel.api import (
    Done,
    EditMessage,
    PostMessage,
    Press,
    React,
    Refused,
    Say,
)
from sim.channel.pace import Pace
from sim.channel.weight import LIMIT, weight
from sim.core.actor import Port
from sim.core.op import Note
from sim.hosts.channel import Channel
from sim.hosts.messages import Message

TIMELINE = "public"


class X(Channel):
    """X with one bot. ``quota`` is how many posts the bot may make (None: no limit).

    There is one public chat; a mention that answers nothing starts a
    conversation, whose id is the thread.
    """

    __slots__ = ("_standing", "billed", "quota")

    PREFIX: ClassVar[str] = "x"
    FIRST_NUMBER: ClassVar[int] = 20_001
    TELLS_REMOVALS: ClassVar[bool] = False

    def __init__(
        self,
        port: Port,
        server: str,
        chat: str = TIMELINE,
        people: Iterable[str] = (),
        pace: Pace | None = None,
        quota: int | None = None,
    ) -> None:
        super().__init__(port, server, chat, people, pace)
        self.quota = quota
        self.billed = 0
        self._standing: dict[tuple[str | None, str], str] = {}

    def why_no_post(self, request: PostMessage) -> str:
        if request.buttons:
            return "buttons_unsupported"
        if weight(request.text) > LIMIT:
            return "too_long"
        answered = self.messages.get(_answered(request))
        if answered is not None and answered.deleted:
            return "message_not_found"
        if self._is_duplicate(request):
            return "duplicate"
        return "quota_exceeded" if self.quota is not None and self.billed >= self.quota else ""

    def _is_duplicate(self, request: PostMessage) -> bool:
        same = self._standing.get((_answered(request), request.text))
        return self.messages.standing(same) is not None

    def why_no_edit(self, request: EditMessage, message: Message) -> str:
        return "edit_unsupported"

    def react(self, request: React, message: Message) -> Done | Refused:
        return Refused("unsupported")

    async def posted(self, name: str, message: Message) -> None:
        self.billed += 1
        self._standing[_answered(message), message.text] = name
        await self.perform(Note("billed", {"message": name, "posts": self.billed}))

    def hears(self, act: Say) -> bool:
        return act.to_bot

    async def _press(self, act: Press) -> Done | Refused:
        return Refused("unsupported")


def _answered(post: PostMessage | Message) -> str | None:
    """The post that a post stands under."""
    return post.reply_to or post.thread
