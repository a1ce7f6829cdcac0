"""What all chat channels have in common, as the bot's server and the people see them.

A bot API over messages; events that are repeated until the server has seen
them; faults that a scenario directs. What a channel does its own way is in
the methods that Slack, Telegram and X override.

What a reader sees follows from the trace: calls carry request and reply,
people's messages are their events. Notes tell the rest: ``applied`` (a call
whose answer is lost, with its reply), ``said`` (a message whose event does not
set out at once, or never does) and ``removed`` (a deletion that the server is
not told).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from sim.channel.accounts import Accounts
from sim.channel.api import (
    Authorize,
    ButtonPressed,
    ChannelFault,
    DeleteMessage,
    Done,
    EditMessage,
    FindMessage,
    MessageRemoved,
    PersonSaid,
    PostMessage,
    Press,
    React,
    Refused,
    Remove,
    Say,
    SignedIn,
    is_direct,
)
from sim.channel.faults import EVENT, REFUSALS, RETRY_AFTER_US, Faults
from sim.channel.pace import Clocked, Pace
from sim.core.actor import Actor, Port
from sim.core.op import NO_ANSWER, Note, Sleep
from sim.hosts.channel_events import Events, Webhooks
from sim.hosts.messages import Message, Messages

OPS: dict[type[Any], str] = {
    PostMessage: "post",
    EditMessage: "edit",
    DeleteMessage: "delete",
    React: "react",
    FindMessage: "find",
}


class Channel(Actor):
    """One chat service.

    ``server`` is the host that gets the events, ``chat`` where people write who
    name no chat, ``people`` get their account numbers in that order, ``pace``
    is how fast the bot may write.
    """

    __slots__ = ("accounts", "chat", "events", "faults", "messages", "pace", "serial", "server")

    PREFIX: ClassVar[str] = "m"  # of the ids of messages
    FIRST_NUMBER: ClassVar[int] = 1  # of the accounts
    TELLS_REMOVALS: ClassVar[bool] = True  # to the bot's server
    EVENTS: ClassVar[type[Events]] = Webhooks

    def __init__(
        self,
        port: Port,
        server: str,
        chat: str,
        people: Iterable[str] = (),
        pace: Pace | None = None,
    ) -> None:
        super().__init__(port)
        self.server = server
        self.chat = chat
        self.accounts = Accounts(people, self.FIRST_NUMBER)
        self.events = self.EVENTS(self, server)
        self.faults = Faults()
        self.messages = Messages(self.PREFIX)
        self.pace = Clocked(pace or Pace())
        self.serial = 0

    # -- each channel's own manners ----------------------------------------------------

    def why_no_post(self, request: PostMessage) -> str:
        """The code of a refusal, or nothing."""
        return ""

    def why_no_edit(self, request: EditMessage, message: Message) -> str:
        """The code of a refusal, or nothing; the message stands and is the bot's."""
        return ""

    def why_no_delete(self, message: Message) -> str:
        """The code of a refusal, or nothing."""
        return ""

    def find(self, request: FindMessage) -> Done | Refused:
        """Look for a post by the key that the bot gave it."""
        name = self.messages.keyed(request.key)
        return Refused("not_found") if name is None else Done(name)

    def react(self, request: React, message: Message) -> Done | Refused:
        """The bot's one reaction to a message."""
        message.reaction = request.emoji
        return Done(request.message)

    async def posted(self, name: str, message: Message) -> None:
        """The bot's post is out."""

    def place(self, act: Say) -> tuple[str, str | None]:
        """The chat and thread of a person's message; its own thread is made later."""
        root = self.messages.get(act.thread)
        return act.chat or (self.chat if root is None else root.chat), act.thread

    def own_thread(self, chat: str, name: str) -> str | None:
        """The thread that a message without one starts."""
        return None if is_direct(chat) else name

    def team_of(self, chat: str) -> str | None:
        """The workspace that a chat belongs to."""
        return None

    def user_of(self, person: str, team: str | None) -> str:
        """The id of a person's account."""
        return str(self.accounts.of(person).number)

    def chat_name(self, chat: str) -> str:
        """What people call a chat."""
        return ""

    def hears(self, act: Say) -> bool:
        """Whether the bot's server is told of this message."""
        return True

    async def sign_in(self, act: Authorize) -> Done:
        """A person completes the page behind a link."""
        account = self.accounts.of(act.person)
        user = self.user_of(act.person, act.team or None)
        event = SignedIn(
            self.next_event(), act.link, act.person, user=user, user_name=account.handle
        )
        await self.tell(event, "")
        return Done()

    # -- the API -----------------------------------------------------------------------

    async def on_call(self, caller: str, request: Any) -> Any:
        op = OPS.get(type(request))
        if op is None:
            return await self._of_person(request)
        fault = self.faults.take(op, self._chat_of(request), self.port.now_us())
        if fault is None:
            return await self._apply(request)
        if fault.outcome == "latency":
            await self.perform(Sleep(fault.for_us))
            return await self._apply(request)
        if fault.outcome == "unknown":
            reply = await self._apply(request)
            await self.perform(Note("applied", {"request": request, "reply": reply}))
            return NO_ANSWER
        code = REFUSALS[fault.outcome]
        after = (fault.for_us or RETRY_AFTER_US) if code == "rate_limited" else 0
        return Refused(code, after)

    def _chat_of(self, request: Any) -> str:
        if type(request) in (PostMessage, FindMessage):
            return str(request.chat)
        message = self.messages.get(request.message)
        return "" if message is None else message.chat

    async def _apply(self, request: Any) -> Done | Refused:
        if type(request) is PostMessage:
            return await self._post(request)
        if type(request) is FindMessage:
            return self.find(request)
        message = self.messages.standing(request.message)
        if message is None:
            return Refused("message_not_found")
        if type(request) is EditMessage:
            return self._edit(request, message)
        if type(request) is DeleteMessage:
            return self._delete(request, message)
        return self.react(request, message)

    async def _post(self, request: PostMessage) -> Done | Refused:
        refused = self._refused(request.chat, self.why_no_post(request))
        if refused is not None:
            return refused
        now_us = self.port.now_us()
        message = Message(request.chat, request.thread, request.text, "", now_us)
        message.reply_to = request.reply_to
        message.fill(request)
        name = self.messages.add(message, request.key)
        await self.posted(name, message)
        return Done(name)

    def _edit(self, request: EditMessage, message: Message) -> Done | Refused:
        code = self.why_no_edit(request, message) if message.by_bot else "edit_refused"
        refused = self._refused(message.chat, code)
        if refused is not None:
            return refused
        message.fill(request)
        return Done(request.message)

    def _delete(self, request: DeleteMessage, message: Message) -> Done | Refused:
        code = self.why_no_delete(message)
        if code:
            return Refused(code)
        message.deleted = True
        return Done(request.message)

    def _refused(self, chat: str, code: str) -> Refused | None:
        """What is wrong with a write: its own fault first, then the bot's haste."""
        if code:
            return Refused(code)
        wait_us = self.pace.write(chat, not is_direct(chat), self.port.now_us())
        return Refused("rate_limited", wait_us) if wait_us else None

    # -- people ------------------------------------------------------------------------

    async def on_act(self, act: Any) -> None:
        if type(act) is ChannelFault:
            self.faults.add(act, self.port.now_us())
        else:
            await self._of_person(act)

    async def _of_person(self, act: Any) -> Any:
        if type(act) is Say:
            return await self._say(act)
        if type(act) is Press:
            return await self._press(act)
        if type(act) is Remove:
            return await self._remove(act)
        if type(act) is Authorize:
            return await self._authorize(act)
        raise LookupError(f"{self.port.name} has no API for {act!r}")

    async def _say(self, act: Say) -> Done:
        chat, thread = self.place(act)
        name = self.messages.add(Message(chat, thread, act.text, act.person, self.port.now_us()))
        if thread is None:
            thread = self.own_thread(chat, name)
        said = self._words(act, chat, thread, name)
        if self.hears(act):
            await self.tell(said, chat)
        else:
            await self.perform(Note("said", {"event": said}))
        return Done(name)

    def _words(self, act: Say, chat: str, thread: str | None, name: str) -> PersonSaid:
        team = self.team_of(chat)
        return PersonSaid(
            self.next_event(), chat, thread, name, act.person, act.text, act.to_bot, team,
            self.user_of(act.person, team), self.accounts.of(act.person).handle,
            self.chat_name(chat),
        )  # fmt: skip

    async def _press(self, act: Press) -> Done | Refused:
        """A client may still show a button that is gone: the press is passed on all the same."""
        message = self.messages.get(act.message)
        if message is None:
            return Refused("message_not_found")
        event = ButtonPressed(self.next_event(), message.chat, act.message, act.button, act.person)
        await self.tell(event, message.chat)
        return Done(act.message)

    async def _remove(self, act: Remove) -> Done | Refused:
        message = self.messages.standing(act.message)
        if message is None:
            return Refused("message_not_found")
        message.deleted = True
        if self.TELLS_REMOVALS:
            event = MessageRemoved(self.next_event(), message.chat, act.message, act.person)
            await self.tell(event, message.chat)
        else:
            await self._note_removal(act.message, act.person)
        return Done(act.message)

    async def _note_removal(self, message: str, person: str) -> None:
        await self.perform(Note("removed", {"message": message, "person": person}))

    async def _authorize(self, act: Authorize) -> Done:
        if not act.decline:
            return await self.sign_in(act)
        event = SignedIn(self.next_event(), act.link, act.person, declined=True)
        await self.tell(event, "")
        return Done()

    # -- events ------------------------------------------------------------------------

    def next_event(self) -> str:
        """A fresh id of an event."""
        self.serial += 1
        return f"{self.port.name}-e{self.serial}"

    async def tell(self, event: Any, chat: str) -> None:
        """Hand an event over for delivery; readers see at once what it is about."""
        fault = self.faults.take(EVENT, chat, self.port.now_us())
        if self.events.waits(fault):
            if type(event) is PersonSaid:
                await self.perform(Note("said", {"event": event}))
            elif type(event) is MessageRemoved:
                await self._note_removal(event.message, event.person)
        await self.events.send(event, fault)
