"""Updates that Telegram keeps for a bot, as a trace tells of them: until a poll confirms them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from sim.channel.api import ButtonPressed, PersonSaid
from sim.core import event as events
from sim.core.event import Event
from sim.core.http import HttpRequest, HttpResponse
from sim.view.changes import Timeline

GET_ME: Final = "/getMe"
GET_UPDATES: Final = "/getUpdates"
Shown = tuple[str, str, int]
"""What an update is called, what is told of it, since which step."""


class Inboxes:
    """A fold. What a poll has left out though it was there is not for that bot."""

    def __init__(self) -> None:
        self._told: dict[tuple[str, str], Timeline] = {}
        self._here: dict[tuple[str, str], tuple[str, int]] = {}
        """What waits: its text and its update_id, 0 until a poll has brought it."""
        self._deaf: dict[str, None] = {}
        """Where bots do not get all that is said in groups (§7 supplement 2)."""

    def on(self, event: Event) -> None:
        """Take the next event."""
        match event:
            case events.Noted(what="pressed" | "said", data=Mapping() as data):
                self._came(event, data.get("event"))
            case events.CallIssued(request=HttpRequest(path=path) as request) if path.endswith(
                GET_UPDATES
            ):
                self._confirmed(event, str(request.asked("offset") or ""))
            case events.CallApplied(
                request=HttpRequest(path=path), reply=HttpResponse(body=Mapping() as body)
            ) if path.endswith(GET_UPDATES):
                self._given(event, body.get("result"))
            case events.CallApplied(
                request=HttpRequest(path=path), reply=HttpResponse(body=Mapping() as body)
            ) if path.endswith(GET_ME):
                self._met(event, body.get("result"))

    def _met(self, event: events.CallApplied, bot: Any) -> None:
        if isinstance(bot, Mapping) and bot.get("can_read_all_group_messages") is False:
            self._deaf[event.callee] = None

    def at(self, host: str, n: int) -> Iterator[Shown]:
        """What waits at a Telegram after step ``n``."""
        for (name, key), timeline in self._told.items():
            told = timeline.at(n) if name == host else None
            if told is not None:
                yield key, str(told), timeline.since(n) or 0

    def _came(self, event: events.Noted, said: Any) -> None:
        if isinstance(said, ButtonPressed):
            key = f"press {said.event}"
            self._put(event.n, (event.host, key), f"{said.person}  {said.button}", 0)
        elif isinstance(said, PersonSaid):
            key = f"text {said.chat}/{said.message.rpartition('/')[2]}"
            text = f"{said.person}  {said.text}"
            if event.host in self._deaf and said.chat.startswith("-"):
                self._here[event.host, key] = (text, 0)  # whether it comes is seen when it does
            else:
                self._put(event.n, (event.host, key), text, 0)

    def _put(self, n: int, key: tuple[str, str], text: str, update: int) -> None:
        self._here[key] = (text, update)
        state = f"given as {update}" if update else "waits"
        self._told.setdefault(key, Timeline()).put(n, f"{state}  {text}")

    def _gone(self, n: int, key: tuple[str, str]) -> None:
        del self._here[key]
        self._told.setdefault(key, Timeline()).put(n, None)

    def _confirmed(self, event: events.CallIssued, offset: str) -> None:
        before = int(offset) if offset.isdecimal() else 0
        for key, (_, update) in tuple(self._here.items()):
            if key[0] == event.callee and 0 < update < before:
                self._gone(event.n, key)

    def _given(self, event: events.CallApplied, result: Any) -> None:
        if not isinstance(result, list):
            return
        found = dict(map(_named, result))
        for key, (text, _) in tuple(self._here.items()):
            if key[0] != event.callee:
                continue
            if key[1] in found:
                self._put(event.n, key, text, found[key[1]])
            else:
                self._gone(event.n, key)


def _named(update: Any) -> tuple[str, int]:
    """What an update is called here, and its number."""
    told = update if isinstance(update, Mapping) else {}
    number = told.get("update_id")
    press, text = told.get("callback_query"), told.get("message")
    name = ""
    if isinstance(press, Mapping):
        name = f"press {press.get('id')}"
    elif isinstance(text, Mapping):
        chat = text.get("chat")
        where = chat.get("id") if isinstance(chat, Mapping) else ""
        name = f"text {where}/{text.get('message_id')}"
    return name, number if type(number) is int else 0
