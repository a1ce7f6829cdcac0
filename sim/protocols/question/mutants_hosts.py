"""Hooks, OpenCodes and Telegrams that are wrong in one way each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from sim.core.http import HttpRequest, HttpResponse
from sim.protocols.mutant import Mutant
from sim.protocols.question.constants import HOOK, OPENCODE, TELEGRAM
from sim.protocols.question.mutant_calls import asks, changed, twice
from sim.protocols.question.view_calls import result_of

SAY = asks("/sendMessage")


def _shuffled(request: HttpRequest) -> HttpRequest:
    """The buttons in another order."""
    rows = request.body.get("reply_markup", {}).get("inline_keyboard", [])
    body = {**request.body, "reply_markup": {"inline_keyboard": [*reversed(rows)]}}
    return msgspec.structs.replace(request, body=body) if rows else request


def _items(change: Any) -> Any:
    """A list whose items are others."""

    def replies(actor: Any, request: Any, reply: Any) -> Any:
        is_list = isinstance(request, HttpRequest) and request.path == "/question"
        if not is_list or not isinstance(reply.body, list):
            return reply
        return HttpResponse(reply.status, [change(dict(one)) for one in reply.body])

    return replies


def _nameless(item: dict[str, Any]) -> dict[str, Any]:
    del item["sessionID"]
    return item


def _forgets(actor: Any, request: Any, reply: Any) -> Any:
    """A list without its last question."""
    is_list = isinstance(request, HttpRequest) and request.path == "/question"
    return HttpResponse(200, reply.body[:-1]) if is_list else reply


def _repeats(actor: Any, request: Any, reply: Any) -> Any:
    """Updates come in the wrong order."""
    found = result_of(reply)
    is_poll = isinstance(request, HttpRequest) and request.path.endswith("/getUpdates")
    if not is_poll or not isinstance(found, list) or len(found) < 2:
        return reply
    return HttpResponse(200, {"ok": True, "result": found[::-1]})


def _gossips(actor: Any, request: Any, reply: Any) -> Any:
    """A text of the group comes through, privacy or not."""
    found = result_of(reply)
    is_poll = isinstance(request, HttpRequest) and request.path.endswith("/getUpdates")
    if not is_poll or not isinstance(found, list) or not found:
        return reply
    last: Mapping[str, Any] = found[-1]
    if "callback_query" not in last:
        return reply
    message = {**last["callback_query"]["message"], "from": last["callback_query"]["from"]}
    told = [*found[:-1], {"update_id": last["update_id"], "message": message}]
    return HttpResponse(200, {"ok": True, "result": told})


MUTANTS: tuple[Mutant, ...] = (
    Mutant("hook-shuffles-buttons", HOOK, "buttons-answer-for-options",
           "Buttons are out of order.", 6, ops=changed(SAY, _shuffled)),
    Mutant("hook-sends-twice", HOOK, "one-message-per-question", "Buttons go out twice.", 6,
           ops=twice(SAY)),
    Mutant("opencode-nameless-items", OPENCODE, "items-say-who-asks",
           "Items have no sessionID.", 6, replies=_items(_nameless)),
    Mutant("opencode-forgets-one", OPENCODE, "lists-show-what-is-open",
           "The newest question is not listed.", 6, replies=_forgets),
    Mutant("telegram-backwards", TELEGRAM, "confirmed-stays-confirmed",
           "Updates come newest first.", 30, replies=_repeats),
    Mutant("telegram-gossips", TELEGRAM, "private-texts-stay",
           "Texts of private groups come through.", 12, "private", replies=_gossips),
)  # fmt: skip
