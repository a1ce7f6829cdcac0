"""The messages of all chats, as Telegram keeps them.

A chat is named by its id as a text; the direct chat of a person with another bot than the
first is ``7001@name`` here and ``7001`` outside. Message ids count in each chat for
itself, so that a message is known by its chat and its id together.
"""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from sim.protocols.question.telegram.entities import Entity
from sim.protocols.question.telegram.markup import Key, Keyboard
from sim.protocols.question.telegram.plan import FIRST_MESSAGE


@attrs.define(eq=False)
class Post:
    """One message. ``bot`` is the username of the bot that wrote it, "" for a person's;
    ``keys`` are all keys that it ever had: an old client may still show them."""

    name: str
    chat: str
    number: int
    date_s: int
    text: str
    entities: tuple[Entity, ...] = ()
    keyboard: Keyboard = ()
    forces_reply: bool = False
    bot: str = ""
    person: str = ""
    reply_to: Post | None = None
    edited_s: int = 0
    deleted: bool = False
    keys: dict[str, Key] = attrs.field(factory=dict)

    def look(self, text: str, entities: tuple[Entity, ...], keyboard: Keyboard) -> bool:
        """Let it look like this. → whether a reader sees a difference."""
        before = (self.text, self.entities, self.keyboard)
        self.text, self.entities, self.keyboard = text, entities, keyboard
        self.keys.update({key.data: key for row in keyboard for key in row if key.data})
        return before != (text, entities, keyboard)

    def pressed(self, word: str) -> str:
        """The data of the key that a person means by its data or its label."""
        if word in self.keys:
            return word
        shown = (key.data for row in self.keyboard for key in row if key.label == word)
        once = (key.data for key in reversed(self.keys.values()) if key.label == word)
        return next(shown, None) or next(once, word)


class Board:
    """All messages; ``home`` is the chat whose messages are named by their id alone."""

    __slots__ = ("_by_name", "_next", "home")

    def __init__(self, home: str) -> None:
        self.home = home
        self._by_name: dict[str, Post] = {}
        self._next: dict[str, int] = {}

    def name_of(self, chat: str, number: int) -> str:
        """How people and traces call a message."""
        return str(number) if chat == self.home else f"{chat}/{number}"

    def add(self, chat: str, text: str, date_s: int) -> Post:
        """A new message with the chat's next id."""
        number = self._next.get(chat, FIRST_MESSAGE)
        self._next[chat] = number + 1
        post = Post(self.name_of(chat, number), chat, number, date_s, text)
        self._by_name[post.name] = post
        return post

    def named(self, name: str) -> Post | None:
        """A message that stands, or once stood."""
        return self._by_name.get(name)

    def find(self, chat: str, number: int) -> Post | None:
        """A message that nobody has deleted."""
        post = self._by_name.get(self.name_of(chat, number))
        return None if post is None or post.deleted else post

    def newest_first(self) -> Iterator[Post]:
        """Those that stood, deleted ones too."""
        return reversed(self._by_name.values())
