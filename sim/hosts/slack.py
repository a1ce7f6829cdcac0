"""Slack, as the bot's server and the people on it see it.

A workspace with chats, threads and messages; a bot API with Slack's manners
(edits of deleted messages are ``message_not_found``, an identical edit is
fine, texts have a limit); webhook events that are repeated until the server
has seen them; faults that a scenario directs.

What a reader sees follows from the trace alone: calls carry request and
reply, people's messages are their events. Where a call was applied but its
answer is lost, a Note ``applied`` gives the reply.
"""

from __future__ import annotations

from typing import Any

from sim.channel.api import (
    SEEN,
    Button,
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
)
from sim.core.actor import Actor, Port
from sim.core.op import NO_ANSWER, Call, Note, Sleep, Spawn

REPEAT_AFTER_US = 3_000_000
REPEATS = 3
RETRY_AFTER_US = 1_000_000
TEXT_LIMIT = 4_000

OPS: dict[type[Any], str] = {
    PostMessage: "post",
    EditMessage: "edit",
    DeleteMessage: "delete",
    React: "react",
    FindMessage: "find",
}

REFUSALS = {
    "rate_limited": "rate_limited",
    "server_error": "server_error",
    "message_not_found": "message_not_found",
    "edit_refused": "edit_refused",
    "down": "unavailable",
}


class _Message:
    """One message as Slack keeps it."""

    __slots__ = ("buttons", "by_bot", "chat", "deleted", "files", "state", "text", "thread")

    def __init__(self, chat: str, thread: str | None, text: str, by_bot: bool) -> None:
        self.chat = chat
        self.thread = thread
        self.text = text
        self.by_bot = by_bot
        self.state = ""
        self.buttons: tuple[Button, ...] = ()
        self.files: tuple[str, ...] = ()
        self.deleted = False


class Slack(Actor):
    """One Slack workspace.

    ``server`` is the host that gets the webhooks, ``team`` the workspace's id,
    ``chat`` where people write who name no chat. A chat whose id starts with
    ``D`` is a direct chat: it has no threads unless somebody opens one.
    """

    __slots__ = (
        "_events", "_faults", "_keys", "_messages", "_serial", "chat", "server", "team",
    )  # fmt: skip

    def __init__(self, port: Port, server: str, team: str = "T1", chat: str = "C1") -> None:
        super().__init__(port)
        self.server = server
        self.team = team
        self.chat = chat
        self._messages: dict[str, _Message] = {}
        self._keys: dict[tuple[str, str], str] = {}
        self._serial = 0
        self._events = 0
        self._faults: dict[str, tuple[ChannelFault, int]] = {}

    # -- the API ---------------------------------------------------------------

    async def on_call(self, caller: str, request: Any) -> Any:
        op = OPS.get(type(request))
        if op is None:
            return await self._of_person(request)
        fault = self._fault(op)
        if fault is None:
            return self._apply(request)
        if fault.outcome == "latency":
            await self.perform(Sleep(fault.for_us))
            return self._apply(request)
        if fault.outcome == "unknown":
            reply = self._apply(request)
            await self.perform(Note("applied", {"request": request, "reply": reply}))
            return NO_ANSWER
        code = REFUSALS[fault.outcome]
        after = (fault.for_us or RETRY_AFTER_US) if code == "rate_limited" else 0
        return Refused(code, after)

    def _fault(self, op: str) -> ChannelFault | None:
        """The fault for this call, if any; a single one is used up."""
        for word in (op, "*"):
            entry = self._faults.get(word)
            if entry is None:
                continue
            fault, since_us = entry
            if fault.outcome == "down" and fault.for_us:
                if self.port.now_us() < since_us + fault.for_us:
                    return fault
                del self._faults[word]
                continue
            if not fault.always and fault.outcome != "down":
                del self._faults[word]
            return fault
        return None

    def _apply(self, request: Any) -> Done | Refused:
        if type(request) is PostMessage:
            return self._post(request)
        if type(request) is FindMessage:
            found = self._keys.get((request.chat, request.key))
            return Refused("not_found") if found is None else Done(found)
        message = self._messages.get(request.message)
        if message is None or message.deleted:
            return Refused("message_not_found")
        if type(request) is EditMessage:
            return self._edit(request, message)
        if type(request) is DeleteMessage:
            message.deleted = True
        return Done(request.message)

    def _post(self, request: PostMessage) -> Done | Refused:
        if len(request.text) > TEXT_LIMIT:
            return Refused("too_long")
        message = _Message(request.chat, request.thread, request.text, by_bot=True)
        self._fill(message, request)
        name = self._add(message)
        if request.key:
            self._keys[request.chat, request.key] = name
        return Done(name)

    def _edit(self, request: EditMessage, message: _Message) -> Done | Refused:
        if not message.by_bot:
            return Refused("edit_refused")
        if len(request.text) > TEXT_LIMIT:
            return Refused("too_long")
        self._fill(message, request)
        return Done(request.message)

    def _fill(self, message: _Message, request: PostMessage | EditMessage) -> None:
        message.text = request.text
        message.state = request.state
        message.buttons = request.buttons
        message.files = request.files

    def _add(self, message: _Message) -> str:
        self._serial += 1
        name = f"m{self._serial}"
        self._messages[name] = message
        return name

    # -- people ----------------------------------------------------------------

    async def on_act(self, act: Any) -> None:
        if type(act) is ChannelFault:
            self._faults[act.op] = (act, self.port.now_us())
        else:
            await self._of_person(act)

    async def _of_person(self, act: Any) -> Any:
        if type(act) is Say:
            return await self._say(act)
        if type(act) is Press:
            return await self._press(act)
        if type(act) is Remove:
            return await self._remove(act)
        raise LookupError(f"{self.port.name} has no API for {act!r}")

    async def _say(self, act: Say) -> Done:
        """A person's message; without a thread it starts one (in a direct chat it does not)."""
        chat = act.chat or self._chat_of(act.thread)
        message = _Message(chat, act.thread, act.text, by_bot=False)
        name = self._add(message)
        thread = act.thread
        if thread is None and not chat.startswith("D"):
            thread = name
        said = PersonSaid(
            self._event(), chat, thread, name, act.person, act.text, act.to_bot, self.team
        )
        await self._deliver(said)
        return Done(name)

    def _chat_of(self, thread: str | None) -> str:
        root = self._messages.get(thread or "")
        return self.chat if root is None else root.chat

    async def _press(self, act: Press) -> Done | Refused:
        """A client may still show a button that is gone: the press is passed on all the same."""
        message = self._messages.get(act.message)
        if message is None:
            return Refused("message_not_found")
        event = ButtonPressed(self._event(), message.chat, act.message, act.button, act.person)
        await self._deliver(event)
        return Done(act.message)

    async def _remove(self, act: Remove) -> Done | Refused:
        message = self._messages.get(act.message)
        if message is None or message.deleted:
            return Refused("message_not_found")
        message.deleted = True
        await self._deliver(MessageRemoved(self._event(), message.chat, act.message, act.person))
        return Done(act.message)

    # -- webhooks --------------------------------------------------------------

    def _event(self) -> str:
        self._events += 1
        return f"{self.port.name}-e{self._events}"

    async def _deliver(self, event: Any) -> None:
        await self.perform(Spawn(f"webhook {event.event}", self._repeat(event)))

    async def _repeat(self, event: Any) -> None:
        """Deliver until the server has seen it: after 3 s again, at most three times."""
        for _ in range(1 + REPEATS):
            start = self.port.now_us()
            reply = await self.perform(Call(self.server, event, REPEAT_AFTER_US))
            if reply == SEEN:
                return
            rest = start + REPEAT_AFTER_US - self.port.now_us()
            if rest > 0:
                await self.perform(Sleep(rest))
