"""The messages of a channel, as the channel itself keeps them."""

from __future__ import annotations

from sim.channel.api import Button, EditMessage, PostMessage


class Message:
    """One message. ``person`` is empty for the bot's own."""

    __slots__ = (
        "buttons", "chat", "deleted", "files", "person", "posted_us", "reaction", "reply_to",
        "state", "text", "thread",
    )  # fmt: skip

    def __init__(self, chat: str, thread: str | None, text: str, person: str, now_us: int) -> None:
        self.chat = chat
        self.thread = thread
        self.text = text
        self.person = person
        self.posted_us = now_us
        self.reply_to = ""
        self.state = ""
        self.buttons: tuple[Button, ...] = ()
        self.files: tuple[str, ...] = ()
        self.reaction = ""
        self.deleted = False

    @property
    def by_bot(self) -> bool:
        return not self.person

    def fill(self, request: PostMessage | EditMessage) -> None:
        """Let it look like this."""
        self.text = request.text
        self.state = request.state
        self.buttons = request.buttons
        self.files = request.files

    def looks_like(self, request: PostMessage | EditMessage) -> bool:
        """Whether a reader would see no difference."""
        return (self.text, self.state, self.buttons, self.files) == (
            request.text, request.state, request.buttons, request.files,
        )  # fmt: skip


class Messages:
    """All messages of a channel by id, and the bot's by the key that it gave them."""

    __slots__ = ("_by_id", "_by_key", "_prefix")

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._by_id: dict[str, Message] = {}
        self._by_key: dict[str, str] = {}

    def add(self, message: Message, key: str = "") -> str:
        """Keep it. → its id."""
        name = f"{self._prefix}{len(self._by_id) + 1}"
        self._by_id[name] = message
        if key:
            self._by_key.setdefault(key, name)
        return name

    def get(self, name: str | None) -> Message | None:
        """A message that stands, or once stood."""
        return self._by_id.get(name or "")

    def standing(self, name: str | None) -> Message | None:
        """A message that nobody has deleted."""
        message = self.get(name)
        return None if message is None or message.deleted else message

    def keyed(self, key: str) -> str | None:
        """The id of the first message that was posted with this key, if it stands."""
        name = self._by_key.get(key)
        return name if self.standing(name) is not None else None
