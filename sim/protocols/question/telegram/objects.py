"""Telegram's objects as they go over the wire: users, chats, messages, presses."""

from __future__ import annotations

from typing import Any

from sim.channel.accounts import Account
from sim.protocols.question.telegram.board import Post
from sim.protocols.question.telegram.entities import Entity
from sim.protocols.question.telegram.markup import wire
from sim.protocols.question.telegram.queries import Query
from sim.protocols.question.telegram.state import Bot, State


def user(account: Account) -> dict[str, Any]:
    """A person."""
    shown = {"id": account.number, "is_bot": False, "first_name": account.person}
    return {**shown, "username": account.handle} if account.handle else shown


def bot_user(bot: Bot) -> dict[str, Any]:
    """A bot, as others see it."""
    return {
        "id": bot.number,
        "is_bot": True,
        "first_name": bot.name,
        "username": bot.name,
    }


def chat(state: State, name: str) -> dict[str, Any]:
    """A group, or a person's direct chat."""
    person = state.person_in(name)
    if person is not None:
        return {"id": person.number, "type": "private", "first_name": person.person}
    kind = "supergroup" if name.startswith("-100") else "group"
    return {"id": int(name), "type": kind, "title": f"Group {name}"}


def message(state: State, post: Post, quoted: bool = False) -> dict[str, Any]:
    """A message; one that is quoted does not quote in its turn."""
    if post.bot:
        bot = state.bot_called(post.bot)
        author = None if bot is None else bot_user(bot)
    else:
        author = user(state.accounts.of(post.person))
    shown: dict[str, Any] = {
        "message_id": post.number,
        "from": author,
        "chat": chat(state, post.chat),
        "date": post.date_s,
        "text": post.text,
    }
    if post.edited_s:
        shown["edit_date"] = post.edited_s
    if post.entities:
        shown["entities"] = [_entity(one) for one in post.entities]
    if post.keyboard:
        shown["reply_markup"] = wire(post.keyboard)
    if post.reply_to is not None and not quoted:
        shown["reply_to_message"] = message(state, post.reply_to, quoted=True)
    return shown


def callback_query(state: State, query: Query) -> dict[str, Any]:
    """A press; of a message that is gone only its place is told."""
    post = query.post
    where = {"message_id": post.number, "chat": chat(state, post.chat), "date": 0}
    return {
        "id": query.id,
        "from": user(state.accounts.of(query.person)),
        "message": where if post.deleted else message(state, post),
        "chat_instance": f"ci{post.chat}",
        "data": query.data,
    }


def _entity(one: Entity) -> dict[str, Any]:
    shown = {"type": one.kind, "offset": one.offset, "length": one.length}
    return {**shown, "url": one.url} if one.url else shown
