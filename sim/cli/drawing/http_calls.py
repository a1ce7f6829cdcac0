"""The words for calls over HTTP: method and path, parameters, status and what came back.

A path below ``/bot<token>`` is a method of the Bot API: its name says it, and the token is
nobody's business.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

Words = tuple[str, str]
Tell = Callable[[Any], str]

_BOT_METHOD: Final = re.compile(r"/bot[^/]+/([A-Za-z]+)")
_DULL: Final = ("timeout", "allowed_updates", "parse_mode", "chat_id", "selective")
"""Parameters that tell a reader nothing: they are the same in each call."""
_UPDATES: Final = ("callback_query", "message", "edited_message")
MOST: Final = 3


def asked(request: Mapping[str, Any], tell: Tell) -> Words:
    """What a request asks for; ``tell`` says a value in one line."""
    path = str(request.get("path", ""))
    method = _BOT_METHOD.fullmatch(path)
    label = method[1] if method else f"{request.get('method')} {tell(path)}"
    return label, _parameters(request, tell)


def _parameters(request: Mapping[str, Any], tell: Tell) -> str:
    pairs = [(str(key), value) for key, value in request.get("query") or ()]
    body = request.get("body")
    if isinstance(body, Mapping):
        pairs += body.items()
    elif body is not None:
        pairs.append(("body", body))
    return " ".join(filter(None, (_parameter(key, value, tell) for key, value in pairs)))


def _parameter(key: str, value: Any, tell: Tell) -> str:
    if key in _DULL or value in (None, "", [], ()):
        return ""
    if key == "text":
        return f'"{value}"'
    if key == "reply_markup" and isinstance(value, Mapping):
        return _markup(value)
    return f"{key}={tell(value)}"


def _markup(markup: Mapping[str, Any]) -> str:
    """A keyboard as its labels, the demand for a reply by its name."""
    if markup.get("force_reply"):
        return "[force_reply]"
    keyboard = markup.get("inline_keyboard")
    rows = keyboard if isinstance(keyboard, list | tuple) else ()
    keys = [key for row in rows if isinstance(row, list | tuple) for key in row]
    labels = [f"[{key.get('text')}]" for key in keys if isinstance(key, Mapping)]
    return " ".join(labels) or "[no keyboard]"


def outcome(reply: Any, tell: Tell) -> Words | None:
    """What came back; None where nothing did."""
    if not isinstance(reply, Mapping):
        return None
    if reply.get("is") != "http-response":
        return None
    body = reply.get("body")
    told = _body(body, tell)
    return f"{reply.get('status')}{f' {told}' if told else ''}", ""


def _body(body: Any, tell: Tell) -> str:
    """As much as one looks for: why not, which updates, how many and which items."""
    if isinstance(body, Mapping):
        if body.get("ok") is False:
            return str(body.get("description") or "")
        return _result(body.get("result"), tell)
    return _items(body, tell) if isinstance(body, list | tuple) else ""


def _result(result: Any, tell: Tell) -> str:
    if isinstance(result, Mapping) and "message_id" in result:
        return f"message {tell(result['message_id'])}"
    if not isinstance(result, list | tuple):
        return ""
    found = [_update(one) for one in result[:MOST] if isinstance(one, Mapping)]
    return ", ".join(found) + (" …" if len(result) > MOST else "") or "no update"


def _update(update: Mapping[str, Any]) -> str:
    """``callback_query qopt:…``, ``message "use blue"``."""
    for kind in _UPDATES:
        content = update.get(kind)
        if isinstance(content, Mapping):
            said = content.get("data") or f'"{content.get("text", "")}"'
            return f"{kind} {said}"
    return f"update {update.get('update_id')}"


def _items(items: Any, tell: Tell) -> str:
    ids = [tell(one["id"]) for one in items[:MOST] if isinstance(one, Mapping) and "id" in one]
    return ", ".join(ids) + (" …" if len(items) > MOST else "") or f"{len(items)} items"
