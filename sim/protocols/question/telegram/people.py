"""What people do on Telegram, and which bots are told of it.

Acts are those of :mod:`sim.channel.api`. A message is called by its id in the plan's chat
(``101``), by chat and id elsewhere (``7001/101``). A chat is a group's id, ``direct`` for
the person's own chat with the first bot, ``@username`` for that with another.
"""

from __future__ import annotations

from typing import Any

import attrs

from sim.channel.api import ButtonPressed, Done, PersonSaid, Press, Refused, Remove, Reword, Say
from sim.channel.history import REMOVED, REWORDED, SAID
from sim.protocols.question.constants import MESSAGE_CHARS
from sim.protocols.question.telegram import objects
from sim.protocols.question.telegram.board import Post
from sim.protocols.question.telegram.state import Bot, Delivery, Outcome, State

DIRECT = "direct"
PRESSED = "pressed"


@attrs.frozen
class Doing:
    """One act of a person: when (µs since the start, Unix seconds)."""

    state: State
    now_us: int
    date_s: int

    def say(self, act: Say) -> tuple[Outcome, list[Delivery]]:
        """Somebody writes, perhaps as a reply; into the chat of what they reply to."""
        quoted = self.state.board.named(act.reply_to) if act.reply_to else None
        if act.reply_to and quoted is None:
            return _refused("message_not_found")
        chat = self._chat(act) if quoted is None else quoted.chat
        if not chat:
            return _refused("chat_not_found")
        text = act.text.strip()
        if not text or len(text) > MESSAGE_CHARS:
            return _refused("too_long" if text else "unsupported")
        post = self.state.board.add(chat, text, self.date_s)
        post.person = act.person
        # A client does not let anybody reply to what is deleted.
        post.reply_to = None if quoted is None or quoted.deleted else quoted
        return Outcome(Done(post.name), (self._said(post, act),)), self._told("message", post)

    def reword(self, act: Reword) -> tuple[Outcome, list[Delivery]]:
        """Somebody changes a message of theirs."""
        post = self.state.board.named(act.message)
        if post is None or post.deleted:
            return _refused("message_not_found")
        if post.person != act.person or not act.text.strip():
            return _refused("edit_refused")
        post.text, post.entities, post.edited_s = act.text.strip(), (), self.date_s
        note = (REWORDED, {"message": post.name, "text": post.text, "person": act.person})
        return Outcome(Done(post.name), (note,)), self._told("edited_message", post)

    def remove(self, act: Remove) -> tuple[Outcome, list[Delivery]]:
        """Somebody deletes a message; no bot is told."""
        post = self.state.board.named(act.message)
        if post is None or post.deleted:
            return _refused("message_not_found")
        post.deleted = True
        note = (REMOVED, {"message": post.name, "person": act.person})
        return Outcome(Done(post.name), (note,)), []

    def press(self, act: Press) -> tuple[Outcome, list[Delivery]]:
        """Somebody presses a key, by its data or its label; an old client may still show
        one that is gone, even of a message that is gone. Without a message: the newest
        that ever had the key."""
        post = self._pressed(act)
        bot = None if post is None else self.state.bot_called(post.bot)
        if post is None or bot is None:
            return _refused("message_not_found")
        query = self.state.queries.open(act.person, post, post.pressed(act.button), self.now_us)
        pressed = ButtonPressed(query.id, post.chat, post.name, query.data, act.person)
        told = Delivery(bot, post.chat, "callback_query", objects.callback_query(self.state, query))
        return Outcome(Done(post.name), ((PRESSED, {"event": pressed}),)), [told]

    # -- where, and who is told

    def _chat(self, act: Say) -> str:
        """ "" for a chat that there is not, or where that person is not."""
        number = self.state.accounts.of(act.person).number
        if act.chat.startswith("@"):
            bot = self.state.bot_called(act.chat[1:])
            return "" if bot is None else self.state.direct(number, bot)
        chat = str(number) if act.chat == DIRECT else act.chat or self.state.plan.chat
        return chat if chat in (*self.state.groups, str(number)) else ""

    def _pressed(self, act: Press) -> Post | None:
        if act.message:
            return self.state.board.named(act.message)
        posts = self.state.board.newest_first()
        return next((post for post in posts if post.pressed(act.button) in post.keys), None)

    def _said(self, post: Post, act: Say) -> tuple[str, dict[str, Any]]:
        account = self.state.accounts.of(act.person)
        said = PersonSaid(
            f"m{post.name}", post.chat, None, post.name, act.person, post.text, True,
            user=str(account.number), username=account.handle,
        )  # fmt: skip
        reply_to = "" if post.reply_to is None else post.reply_to.name
        return SAID, {"event": said, "reply_to": reply_to}

    def _told(self, kind: str, post: Post) -> list[Delivery]:
        content = objects.message(self.state, post)
        bots = [bot for bot in self.state.bots if self._gets(bot, post)]
        return [Delivery(bot, post.chat, kind, content) for bot in bots]

    def _gets(self, bot: Bot, post: Post) -> bool:
        """Whether a text reaches a bot: its direct chats all, a group's by its privacy."""
        person = self.state.person_in(post.chat)
        if person is not None:
            return post.chat == self.state.direct(person.number, bot)
        if bot.account.privacy != "replies":
            return bot.account.privacy == "off"
        if post.reply_to is not None and post.reply_to.bot == bot.name:
            return True
        first, _, target = post.text.split(maxsplit=1)[0].partition("@")
        if first.startswith("/"):
            return target in ("", bot.name)
        return f"@{bot.name}" in post.text.split()


def _refused(code: str) -> tuple[Outcome, list[Delivery]]:
    return Outcome(Refused(code)), []
