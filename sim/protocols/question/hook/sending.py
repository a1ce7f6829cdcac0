"""The message with the buttons, and what became of it."""

from __future__ import annotations

from typing import Any, Final

import attrs

from sim.core.http import HttpRequest, HttpResponse, Unreached
from sim.protocols.question.constants import CUSTOM_PREFIX, OPTION_PREFIX, PARSE_MODE
from sim.protocols.question.hook import texts
from sim.protocols.question.hook.asked import Asked
from sim.protocols.question.rules import QuestionRules
from sim.wire.linkage import JsonObject

SEND: Final = "sendMessage"


@attrs.frozen
class Sent:
    """Telegram has it, under this id."""

    message_id: int


@attrs.frozen
class SendRefused:
    """Nobody sees it: an HTTP error, ok:false, or nobody listened."""

    why: str


@attrs.frozen
class SendUnknown:
    """It may be on the screen: the connection was lost, or time ran out (DQ-21)."""

    why: str


SendOutcome = Sent | SendRefused | SendUnknown


def method(token: str, name: str, body: JsonObject) -> HttpRequest:
    """A call of the Bot API."""
    return HttpRequest("POST", f"/bot{token}/{name}", (), body)


def question_body(chat: str, unique_id: str, asked: Asked, rules: QuestionRules) -> JsonObject:
    """One button per row: the options in their order, then the one for a free answer."""
    rows = [
        [{"text": option.label, "callback_data": f"{OPTION_PREFIX}{unique_id}:{index}"}]
        for index, option in enumerate(asked.options)
    ]
    if rules.custom_button:
        rows.append([{"text": texts.OWN_ANSWER, "callback_data": CUSTOM_PREFIX + unique_id}])
    return {
        "chat_id": chat,
        "text": texts.question(asked, rules.rest_is_said),
        "parse_mode": PARSE_MODE,
        "reply_markup": {"inline_keyboard": rows},
    }


def outcome(reply: Any) -> SendOutcome:
    """What an answer of Telegram's, or its absence, says of the message."""
    if isinstance(reply, Unreached):
        if reply.is_unapplied:
            return SendRefused("connection refused")
        return SendUnknown("connection lost")
    if not isinstance(reply, HttpResponse):
        return SendUnknown("no answer in time")
    body = reply.body if isinstance(reply.body, dict) else {}
    if not reply.is_ok or body.get("ok") is False:
        return SendRefused(f"HTTP {reply.status} {body.get('description', '')}".rstrip())
    result = body.get("result")
    message_id = result.get("message_id") if isinstance(result, dict) else None
    if type(message_id) is not int:
        return SendUnknown("an answer without a message id")
    return Sent(message_id)
