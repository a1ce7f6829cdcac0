"""What an update of Telegram says, as far as this bridge is concerned.

Nothing here trusts its input: whatever has an ``update_id`` is an update, and what is no
press and no text is :class:`Other`.
"""

from __future__ import annotations

from typing import Any

import attrs

from sim.protocols.question.constants import CUSTOM_PREFIX, OPTION_PREFIX

MOST_DIGITS = 4
"""Of an option's index: nobody has ten thousand options."""


@attrs.frozen
class Sender:
    """Who pressed or wrote."""

    id: int
    is_bot: bool


@attrs.frozen
class Press:
    """A button was pressed (callback_query). ``message_id`` 0: it names no message."""

    update_id: int
    query: str
    sender: Sender
    chat: int | str
    message_id: int
    text: str
    data: str


@attrs.frozen
class Said:
    """Somebody wrote. ``reply_to``: the message that it answers, None without a relation."""

    update_id: int
    message_id: int
    sender: Sender
    chat: int | str
    text: str
    reply_to: int | None


@attrs.frozen
class Other:
    """An update that is nothing to this bridge."""

    update_id: int


Update = Press | Said | Other


@attrs.frozen
class OptionPressed:
    """``qopt:<uniqueId>:<index>`` (§4 step 3)."""

    unique_id: str
    index: int


@attrs.frozen
class CustomPressed:
    """``qcustom:<uniqueId>`` (§4.1 step 1)."""

    unique_id: str


def update_of(raw: Any) -> Update | None:
    """The update that this decoded JSON is; None: it has no number, so it is none."""
    if type(raw) is not dict or type(raw.get("update_id")) is not int:
        return None
    number: int = raw["update_id"]
    for read, key in ((_press, "callback_query"), (_said, "message")):
        if type(raw.get(key)) is dict:
            found = read(number, raw[key])
            if found is not None:
                return found
    return Other(number)


def _press(number: int, query: dict[str, Any]) -> Press | None:
    found = query.get("message")
    message: dict[str, Any] = found if type(found) is dict else {}
    sender, chat = _sender(query.get("from")), _chat(message)
    if sender is None or chat is None or type(query.get("id")) is not str:
        return None
    text, data = message.get("text"), query.get("data")
    return Press(
        number,
        query["id"],
        sender,
        chat,
        _number(message.get("message_id")) or 0,
        text if type(text) is str else "",
        data if type(data) is str else "",
    )


def _said(number: int, message: dict[str, Any]) -> Said | None:
    sender, chat, text = _sender(message.get("from")), _chat(message), message.get("text")
    if sender is None or chat is None or type(text) is not str:
        return None
    answered = message.get("reply_to_message")
    # What is answered may be out of reach of the bot: it is a relation all the same.
    reply_to = (_number(answered.get("message_id")) or 0) if type(answered) is dict else None
    return Said(number, _number(message.get("message_id")) or 0, sender, chat, text, reply_to)


def _sender(raw: Any) -> Sender | None:
    if type(raw) is not dict or type(raw.get("id")) is not int:
        return None
    return Sender(raw["id"], raw.get("is_bot") is True)


def _chat(message: dict[str, Any]) -> int | str | None:
    chat = message.get("chat")
    id = chat.get("id") if type(chat) is dict else None
    return id if type(id) is int or type(id) is str else None


def _number(raw: Any) -> int | None:
    return raw if type(raw) is int else None


def pressed(data: str) -> OptionPressed | CustomPressed | None:
    """What a button's data asks for, None for data that is malformed (DQ-07)."""
    if data.startswith(CUSTOM_PREFIX):
        unique_id = data.removeprefix(CUSTOM_PREFIX)
        return CustomPressed(unique_id) if unique_id and ":" not in unique_id else None
    if not data.startswith(OPTION_PREFIX):
        return None
    unique_id, _, index = data.removeprefix(OPTION_PREFIX).partition(":")
    if not unique_id or not index.isascii() or not index.isdigit() or len(index) > MOST_DIGITS:
        return None
    return OptionPressed(unique_id, int(index))


def addressed(text: str, username: str) -> tuple[str, str]:
    """A text without the ``@name`` in front, trimmed, and the name of another bot to which
    it speaks, "" for none (§7 supplement 1). Names of bots end in "bot"."""
    head, _, rest = text.strip().partition(" ")
    if len(head) < 2 or not head.startswith("@"):
        return text.strip(), ""
    name = head.removeprefix("@").lower()
    other = name if name != username.lower() and name.endswith("bot") else ""
    return rest.strip(), other
