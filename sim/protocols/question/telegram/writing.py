"""The methods with which a bot writes: pure deeds on the state, with what readers see of them.

Each takes the state, the bot, the call's parameters and the host that asks (the notes say
so), and gives the result and notes, or raises the API's refusal.
"""

from __future__ import annotations

from typing import Any

import attrs

from sim.channel.api import (
    NEXT_ROW,
    Button,
    DeleteMessage,
    Done,
    EditMessage,
    PostMessage,
    Toast,
    is_direct,
)
from sim.channel.history import APPLIED, PROMPT, TOASTED
from sim.protocols.question.constants import MESSAGE_CHARS, TOAST_CHARS
from sim.protocols.question.telegram import objects, refusals
from sim.protocols.question.telegram.board import Post
from sim.protocols.question.telegram.entities import Marked, read_text
from sim.protocols.question.telegram.markup import Keyboard, Markup, read_keyboard, read_markup
from sim.protocols.question.telegram.parameters import Parameters
from sim.protocols.question.telegram.refusals import bad
from sim.protocols.question.telegram.state import Bot, Outcome, State


@attrs.frozen
class Writing:
    """One call: who asks for what, and when (µs since the start, Unix seconds)."""

    state: State
    bot: Bot
    asked: Parameters
    caller: str
    now_us: int
    date_s: int

    # -- the methods

    def send(self) -> Outcome:
        """``sendMessage``."""
        chat = self._chat()
        text, entities = self._text()
        markup = read_markup(self.asked.structure("reply_markup"))
        reply_to = self._quoted(chat)
        self._not_too_fast(chat)
        post = self.state.board.add(chat, text, self.date_s)
        post.bot = self.bot.name
        post.reply_to = reply_to
        post.forces_reply = markup.forces_reply
        post.look(text, entities, markup.keyboard)
        return self._told(post, posted(post, markup))

    def edit_text(self) -> Outcome:
        """``editMessageText``; without a ``reply_markup`` the keyboard is gone, too."""
        post = self._own(refusals.EDIT_NOT_FOUND, refusals.EDIT_FORBIDDEN)
        text, entities = self._text()
        keyboard = read_keyboard(self.asked.structure("reply_markup"))
        return self._edit(post, (text, entities), keyboard)

    def edit_markup(self) -> Outcome:
        """``editMessageReplyMarkup``: the keyboard alone."""
        post = self._own(refusals.EDIT_NOT_FOUND, refusals.EDIT_FORBIDDEN)
        keyboard = read_keyboard(self.asked.structure("reply_markup"))
        return self._edit(post, (post.text, post.entities), keyboard)

    def delete(self) -> Outcome:
        """``deleteMessage``: the bot's own ones only."""
        post = self._own(refusals.DELETE_NOT_FOUND, refusals.DELETE_FORBIDDEN)
        post.deleted = True
        return Outcome(True, (self._note(DeleteMessage(post.name), post),))

    def answer(self) -> Outcome:
        """``answerCallbackQuery``: what the person who has pressed sees for a moment.

        A second answer of the same press is taken, and nobody sees it.
        """
        text = self.asked.text("text")
        if len(text) > TOAST_CHARS:
            raise bad(refusals.TOAST_TOO_LONG)
        name = self.asked.text("callback_query_id")
        query = self.state.queries.answer(name, self.bot.name, self.now_us)
        if query is None or not text:
            return Outcome(True)
        toast = Toast(query.person, query.post.name, text, self.asked.flag("show_alert"))
        return Outcome(True, ((TOASTED, {"toast": toast, "query": query.id}),))

    # -- what they share

    def _chat(self) -> str:
        return self.state.chat_for(self.bot, self.asked.text("chat_id"))

    def _text(self) -> Marked:
        text, entities = read_text(self.asked.text("text"), self.asked.text("parse_mode"))
        if not text:
            raise bad(refusals.TEXT_EMPTY)
        if len(text) > MESSAGE_CHARS:
            raise bad(refusals.TEXT_TOO_LONG)
        return text, entities

    def _quoted(self, chat: str) -> Post | None:
        """The message that is answered, if any."""
        wanted: Any = self.asked.structure("reply_parameters")
        found = wanted.get("message_id") if isinstance(wanted, dict) else None
        number = found if isinstance(found, int) else self.asked.number("reply_to_message_id", 0)
        if not number:
            return None
        post = self.state.board.find(chat, number)
        if post is None and not self.asked.flag("allow_sending_without_reply"):
            raise bad(refusals.REPLY_NOT_FOUND)
        return post

    def _own(self, missing: str, foreign: str) -> Post:
        post = self.state.board.find(self._chat(), self.asked.number("message_id", 0))
        if post is None:
            raise bad(missing)
        if post.bot != self.bot.name:
            raise bad(foreign)
        return post

    def _edit(self, post: Post, marked: Marked, keyboard: Keyboard) -> Outcome:
        text, entities = marked
        same = (post.text, post.entities, post.keyboard) == (text, entities, keyboard)
        if same and self.state.plan.strict:
            raise bad(refusals.NOT_MODIFIED)
        self._not_too_fast(post.chat)
        post.look(text, entities, keyboard)
        post.edited_s = self.date_s
        look = EditMessage(post.name, text, buttons=_buttons(keyboard), by=self.caller)
        return self._told(post, look)

    def _not_too_fast(self, chat: str) -> None:
        wait_us = self.bot.pace.write(chat, not is_direct(chat), self.now_us)
        if wait_us:
            raise refusals.too_fast(wait_us)

    def _told(self, post: Post, request: PostMessage | EditMessage) -> Outcome:
        return Outcome(objects.message(self.state, post), (self._note(request, post),))

    def _note(self, request: Any, post: Post) -> tuple[str, dict[str, Any]]:
        return APPLIED, {"request": request, "reply": Done(post.name), "by": self.caller}


def posted(post: Post, markup: Markup) -> PostMessage:
    """A message in the words of :mod:`sim.channel.api`."""
    role = PROMPT if markup.forces_reply else "card" if markup.keyboard else "notice"
    return PostMessage(
        post.chat, None, post.text, role=role, buttons=_buttons(post.keyboard),
        reply_to="" if post.reply_to is None else post.reply_to.name,
    )  # fmt: skip


def _buttons(keyboard: Keyboard) -> tuple[Button, ...]:
    """All keys in one; the first of a further row says so."""
    return tuple(
        Button(key.data or key.url, key.label, NEXT_ROW if place == 0 < nth else "default")
        for nth, row in enumerate(keyboard)
        for place, key in enumerate(row)
    )
