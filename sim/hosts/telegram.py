"""Telegram: direct chats, groups and topics, as its Bot API shows them.

A direct chat has its person's numeric user id, a group a negative number; a
message stands in the main flow of its chat (no thread) or in a topic, whose id
is the thread. The bot learns of what happens by updates that come in order and
again until they are confirmed. It is not told of deletions.

A text has at most 4096 UTF-16 units. An edit must change something, must be of
the bot's own message, and comes too late after two days. There is no way to
ask which messages there are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import ClassVar

from sim.channel.api import (
    Authorize,
    Done,
    EditMessage,
    FindMessage,
    PostMessage,
    Refused,
    Say,
    is_direct,
)
from sim.channel.pace import Pace
from sim.core.actor import Port
from sim.hosts.channel import Channel
from sim.hosts.channel_events import Events, Updates
from sim.hosts.messages import Message

TEXT_LIMIT = 4_096
GROUP = "-1001"
EDITABLE_US = 48 * 3_600_000_000
PACE = Pace(per_second=1, per_minute_in_groups=20)
"""Telegram's own limits; a host has none unless it is given these."""

_CHAT = re.compile(r"D\w*|-?[1-9][0-9]*", re.ASCII)


class Telegram(Channel):
    """Telegram with one bot; ``chat`` is the group that people write in who name none."""

    __slots__ = ()

    PREFIX: ClassVar[str] = "t"
    FIRST_NUMBER: ClassVar[int] = 10_001
    TELLS_REMOVALS: ClassVar[bool] = False
    EVENTS: ClassVar[type[Events]] = Updates

    def __init__(
        self,
        port: Port,
        server: str,
        chat: str = GROUP,
        people: Iterable[str] = (),
        pace: Pace | None = None,
    ) -> None:
        super().__init__(port, server, chat, people, pace)

    def why_no_post(self, request: PostMessage) -> str:
        if _CHAT.fullmatch(request.chat) is None:
            return "chat_not_found"
        return "too_long" if _units(request.text) > TEXT_LIMIT else ""

    def why_no_edit(self, request: EditMessage, message: Message) -> str:
        if self._is_old(message):
            return "edit_refused"
        if _units(request.text) > TEXT_LIMIT:
            return "too_long"
        return "not_modified" if message.looks_like(request) else ""

    def why_no_delete(self, message: Message) -> str:
        return "delete_refused" if self._is_old(message) else ""

    def _is_old(self, message: Message) -> bool:
        return self.port.now_us() > message.posted_us + EDITABLE_US

    def find(self, request: FindMessage) -> Done | Refused:
        return Refused("unsupported")

    def direct_chat(self, person: str) -> str:
        """The id of somebody's chat with the bot."""
        return str(self.accounts.of(person).number)

    def place(self, act: Say) -> tuple[str, str | None]:
        """To the bot: in the direct chat; to the others, or in a topic: in the group."""
        alone = act.to_bot and act.thread is None
        return act.chat or (self.direct_chat(act.person) if alone else self.chat), act.thread

    def own_thread(self, chat: str, name: str) -> str | None:
        return None

    def chat_name(self, chat: str) -> str:
        return "" if is_direct(chat) else f"Group {chat}"

    async def sign_in(self, act: Authorize) -> Done:
        """A deep link: the person presses Start, and Telegram says it in their name."""
        return await self._say(Say(act.person, f"/start {act.link}"))


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
