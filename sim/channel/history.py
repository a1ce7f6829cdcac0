"""What a reader of the channels sees: a fold over a trace.

Feed it the events of a run in order; each takes constant time. Bots' messages
follow from the calls to a channel (``CallIssued``, ``CallApplied``), people's
from the channel's own webhook events. Notes of the channel tell the rest: a call
whose answer got lost was ``applied`` all the same; a message was ``said``, ``reworded`` or
``removed`` although no event tells the server so, or not yet; somebody was ``toasted``.

A channel whose API has other words than :mod:`sim.channel.api` notes all that it has
done in these: ``applied`` with the request that would have done it and its ``Done`` (and
``by``, the host that asked).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import attrs

from sim.channel.api import (
    Button,
    DeleteMessage,
    Done,
    EditMessage,
    MessageRemoved,
    PersonSaid,
    PostMessage,
    React,
    Toast,
)
from sim.core.event import CallApplied, CallIssued, CallLost, Event, Noted
from sim.core.op import NO_ANSWER

APPLIED = "applied"
SAID = "said"
REMOVED = "removed"
REWORDED = "reworded"
TOASTED = "toasted"
PROMPT = "prompt"


@attrs.frozen
class Version:
    """One look of a message: event number, time (µs) and everything visible."""

    n: int
    at: int
    text: str
    state: str = ""
    buttons: tuple[Button, ...] = ()
    files: tuple[str, ...] = ()
    by: str = ""


@attrs.frozen
class Toasted:
    """Who was shown which line for a moment, at which event and time (µs)."""

    n: int
    at: int
    channel: str
    toast: Toast


@attrs.define(eq=False)
class ShownMessage:
    """A message as it stands in its channel now.

    ``author`` is a person's name or the bot's host, ``about`` and ``role`` what
    the bot said that it is about; ``in_flight`` counts edits that were issued
    and not yet applied or refused; ``versions`` are all its looks, newest last.
    ``reply_to`` is the message that it quotes, ``reaction`` the bot's emoji on it;
    ``toasts`` are what those who pressed its buttons were shown, newest last.
    """

    channel: str
    id: str
    chat: str
    thread: str | None
    author: str
    by_bot: bool
    about: str = ""
    role: str = ""
    reply_to: str = ""
    reaction: str = ""
    deleted: bool = False
    edits: int = 0
    in_flight: int = 0
    versions: list[Version] = attrs.field(factory=list)
    toasts: list[Toasted] = attrs.field(factory=list)

    @property
    def forces_reply(self) -> bool:
        """Whether its reader is made to reply to it."""
        return self.role == PROMPT

    @property
    def now(self) -> Version:
        """How it looks now."""
        return self.versions[-1]

    @property
    def text(self) -> str:
        return self.versions[-1].text

    @property
    def state(self) -> str:
        """The chip; "" for plain text and cards."""
        return self.versions[-1].state

    @property
    def buttons(self) -> tuple[Button, ...]:
        return self.versions[-1].buttons

    @property
    def files(self) -> tuple[str, ...]:
        return self.versions[-1].files

    def visible(self) -> str:
        """Everything that a reader can read: text, labels of buttons, names of files."""
        now = self.versions[-1]
        return "\n".join([now.text, *(b.label for b in now.buttons), *now.files])


class History:
    """All messages of all channels.

    ``keep`` limits how many versions of a message are remembered (None: all).
    """

    def __init__(self, keep: int | None = None) -> None:
        self.keep = keep
        self.messages: dict[tuple[str, str], ShownMessage] = {}
        self.by_about: dict[str, list[ShownMessage]] = {}
        self.toasts: list[Toasted] = []
        self._handlers: dict[type[Event], Callable[[Any], None]] = {
            CallIssued: self._issued,
            CallApplied: self._applied,
            CallLost: self._lost,
            Noted: self._noted,
        }
        self._edits: dict[int, ShownMessage] = {}

    @property
    def kinds(self) -> tuple[type[Event], ...]:
        """The event classes that matter here."""
        return tuple(self._handlers)

    def on(self, event: Event) -> None:
        """Take the next event of the trace."""
        handler = self._handlers.get(type(event))
        if handler is not None:
            handler(event)

    def get(self, channel: str, message: str) -> ShownMessage | None:
        """A message by its id."""
        return self.messages.get((channel, message))

    def about(self, subject: str) -> ShownMessage | None:
        """The newest message that is about this request or interaction, deleted ones last."""
        messages = self.by_about.get(subject, ())
        standing = [message for message in messages if not message.deleted]
        if standing:
            return standing[-1]
        return messages[-1] if messages else None

    def thread(self, channel: str, chat: str, thread: str | None) -> Iterator[ShownMessage]:
        """The messages of a thread in order of appearance."""
        for message in self.messages.values():
            if (message.channel, message.chat, message.thread) == (channel, chat, thread):
                yield message

    # -- people ----------------------------------------------------------------

    def _issued(self, event: CallIssued) -> None:
        request = event.request
        kind = type(request)
        if kind is EditMessage:
            message = self.messages.get((event.callee, request.message))
            if message is not None:
                message.in_flight += 1
                self._edits[event.n] = message
        elif kind is PersonSaid:
            self._said(event, event.caller, request)
        elif kind is MessageRemoved:
            self._delete(event.caller, request.message)

    def _said(self, event: Event, channel: str, said: PersonSaid, reply_to: str = "") -> None:
        key = (channel, said.message)
        if key in self.messages:  # the channel delivers its event late, or again
            return
        self.messages[key] = message = ShownMessage(
            channel, said.message, said.chat, said.thread, said.person, by_bot=False,
            reply_to=reply_to,
        )  # fmt: skip
        message.versions.append(Version(event.n, event.at, said.text))

    def _reword(self, event: Noted) -> None:
        data = event.data
        message = self.messages.get((event.host, data["message"]))
        if message is not None:
            message.edits += 1
            self._keep(message, Version(event.n, event.at, data["text"], by=data["person"]))

    def _delete(self, channel: str, name: str) -> None:
        message = self.messages.get((channel, name))
        if message is not None:
            message.deleted = True

    # -- bots ------------------------------------------------------------------

    def _applied(self, event: CallApplied) -> None:
        self._landed(event.call)
        if event.reply is not NO_ANSWER and type(event.reply) is Done:
            self._show(event, event.caller, event.callee, event.request, event.reply)

    def _lost(self, event: CallLost) -> None:
        self._landed(event.call)

    def _landed(self, call: int) -> None:
        message = self._edits.pop(call, None)
        if message is not None:
            message.in_flight -= 1

    def _noted(self, event: Noted) -> None:
        data = event.data
        if event.what == APPLIED:
            if type(data.get("reply")) is Done:
                by = data.get("by", "")
                self._show(event, by, event.host, data["request"], data["reply"])
        elif event.what == SAID:
            self._said(event, event.host, data["event"], data.get("reply_to", ""))
        elif event.what == REMOVED:
            self._delete(event.host, data["message"])
        elif event.what == REWORDED:
            self._reword(event)
        elif event.what == TOASTED:
            self._toast(event, data["toast"])

    def _show(self, event: Event, caller: str, channel: str, request: Any, reply: Done) -> None:
        kind = type(request)
        if kind is PostMessage:
            self._post(event, caller, channel, request, reply.message)
        elif kind is EditMessage:
            message = self.messages.get((channel, request.message))
            if message is not None:
                message.edits += 1
                self._look(message, event, request, request.by)
        elif kind is DeleteMessage:
            self._delete(channel, request.message)
        elif kind is React:
            message = self.messages.get((channel, request.message))
            if message is not None:
                message.reaction = request.emoji

    def _post(
        self, event: Event, caller: str, channel: str, request: PostMessage, name: str
    ) -> None:
        message = ShownMessage(
            channel,
            name,
            request.chat,
            request.thread,
            caller or "bot",
            by_bot=True,
            about=request.about,
            role=request.role,
            reply_to=request.reply_to,
        )
        self.messages[channel, name] = message
        if request.about:
            self.by_about.setdefault(request.about, []).append(message)
        self._look(message, event, request, request.about)

    def _toast(self, event: Noted, toast: Toast) -> None:
        toasted = Toasted(event.n, event.at, event.host, toast)
        self.toasts.append(toasted)
        message = self.messages.get((event.host, toast.message))
        if message is not None:
            message.toasts.append(toasted)

    def _look(self, message: ShownMessage, event: Event, request: Any, by: str) -> None:
        look = Version(
            event.n, event.at, request.text, request.state, request.buttons, request.files, by
        )
        self._keep(message, look)

    def _keep(self, message: ShownMessage, look: Version) -> None:
        versions = message.versions
        versions.append(look)
        if self.keep is not None and len(versions) > self.keep:
            del versions[0]
