"""The Bot API as the listener uses it: one call per method, each with a limit (DQ-11)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

from sim.core.actor import Actor
from sim.core.http import HttpRequest, HttpResponse, Unreached
from sim.core.op import Call, Sleep, Spawn
from sim.protocols.question.constants import (
    ALLOWED_UPDATES,
    MESSAGE_CHARS,
    RETRY_AFTER_LIMIT_S,
)
from sim.protocols.question.listener import texts
from sim.protocols.question.listener.logs import Logs
from sim.protocols.question.listener.plan import ListenerPlan
from sim.wire.encode import encode_json
from sim.wire.linkage import JsonObject

_UNCHANGED = "message is not modified"
_TOO_MANY = 429
Chat = int | str


@attrs.frozen
class BotReply:
    """``result`` where Telegram said ok; else ``why``, and after a 429 the seconds to wait."""

    is_ok: bool
    result: Any = None
    why: str = ""
    retry_after_s: int | None = None

    @property
    def message_id(self) -> int | None:
        """That of the message that was sent."""
        found = self.result.get("message_id") if type(self.result) is dict else None
        return found if type(found) is int else None


def reply_of(answer: Any) -> BotReply:
    """What an answer over HTTP, or the lack of one, says."""
    if isinstance(answer, Unreached):
        return BotReply(False, why=f"connection {answer.why}")
    if not isinstance(answer, HttpResponse):
        return BotReply(False, why="no answer in time")
    body = answer.body if type(answer.body) is dict else {}
    if answer.is_ok and body.get("ok") is True:
        return BotReply(True, body.get("result"))
    why = f"{answer.status} {body.get('description', '')}".strip()
    return BotReply(False, None, why, _delay(answer.status, body))


def _delay(status: int, body: JsonObject) -> int | None:
    if status != _TOO_MANY:
        return None
    parameters = body.get("parameters")
    seconds = parameters.get("retry_after") if type(parameters) is dict else None
    return seconds if type(seconds) is int and seconds > 0 else 1


class Bot:
    """A listener's bot."""

    __slots__ = ("_actor", "_logs", "_plan")

    def __init__(self, actor: Actor, plan: ListenerPlan, logs: Logs) -> None:
        self._actor = actor
        self._plan = plan
        self._logs = logs

    # -- the loop

    async def me(self) -> BotReply:
        """getMe: is the token good, and what is the bot's name?"""
        return await self._ask("GET", "getMe", self._plan.telegram_ms)

    async def updates(self, offset: int) -> BotReply:
        """getUpdates from ``offset`` on, which confirms all that is before it."""
        query = (
            ("offset", str(offset)),
            ("timeout", str(self._plan.long_poll_s)),
            ("allowed_updates", encode_json(list(ALLOWED_UPDATES))),
        )
        return await self._ask("GET", "getUpdates", self._plan.get_updates_ms, query)

    # -- what people see; failures are logged, and told by the result

    async def toast(self, query: str, text: str) -> BotReply:
        """Acknowledge a press with a short text."""
        body = {"callback_query_id": query, "text": texts.toast(text)}
        return await self._show("answerCallbackQuery", body)

    async def message(self, chat: Chat, text: str, markup: Any = None) -> BotReply:
        """Send a message; after a 429 once more, beside the handler."""
        body = {"chat_id": chat, "text": texts.clipped(text, MESSAGE_CHARS)}
        return await self._show("sendMessage", body if markup is None else _marked(body, markup))

    async def prompt(self, chat: Chat, text: str) -> BotReply:
        """Send a message that asks for a reply; its number matters, so there is no retry."""
        body = _marked({"chat_id": chat, "text": text}, {"force_reply": True, "selective": False})
        return await self._show("sendMessage", body, again=False)

    async def edit(self, chat: Chat, message_id: int, text: str) -> BotReply:
        """Change a text; its buttons go with it."""
        body = {"chat_id": chat, "message_id": message_id, "text": text}
        return await self._show("editMessageText", body)

    async def drop_buttons(self, chat: Chat, message_id: int) -> BotReply:
        """Leave the text, remove the buttons."""
        body = {"chat_id": chat, "message_id": message_id}
        return await self._show("editMessageReplyMarkup", _marked(body, {"inline_keyboard": []}))

    async def _show(self, method: str, body: JsonObject, again: bool = True) -> BotReply:
        reply = await self._ask("POST", method, self._plan.telegram_ms, body=body)
        if reply.is_ok or _UNCHANGED in reply.why:
            return reply
        await self._logs.trouble("Telegram", method, reply.why)
        if again and reply.retry_after_s is not None:
            delay_s = min(reply.retry_after_s, RETRY_AFTER_LIMIT_S)
            await self._actor.perform(Spawn(f"again {method}", self._again(method, body, delay_s)))
        return reply

    async def _again(self, method: str, body: JsonObject, delay_s: int) -> None:
        """The one retry after a 429 (DQ-17)."""
        await self._actor.perform(Sleep(delay_s * 1_000_000))
        reply = await self._ask("POST", method, self._plan.telegram_ms, body=body)
        if not reply.is_ok and _UNCHANGED not in reply.why:
            await self._logs.trouble("Telegram", f"{method} (second try)", reply.why)

    async def _ask(
        self,
        verb: str,
        method: str,
        limit_ms: int,
        query: Sequence[tuple[str, str]] = (),
        body: JsonObject | None = None,
    ) -> BotReply:
        path = f"/bot{self._plan.token}/{method}"
        request = HttpRequest(verb, path, tuple(query), body)
        is_poll = method == "getUpdates"
        call = Call(self._plan.telegram, request, limit_ms * 1_000, background=is_poll)
        answer = await self._actor.perform(call)
        return reply_of(answer)


def _marked(body: JsonObject, markup: JsonObject) -> JsonObject:
    return {**body, "reply_markup": markup}
