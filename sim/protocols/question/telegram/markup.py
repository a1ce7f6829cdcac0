"""What may hang below a message: an inline keyboard, or the demand for a reply.

Callback data has 1 to 64 bytes (facts, section 3); a keyboard without keys is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import attrs

from sim.protocols.question.constants import CALLBACK_DATA_BYTES
from sim.protocols.question.telegram.refusals import DATA_INVALID, bad

UNREADABLE: Final = "Bad Request: object expected as reply markup"
NO_KEYBOARD: Final = "Bad Request: inline keyboard expected"


@attrs.frozen
class Key:
    """One key: what stands on it, and what a press of it says; ``url`` keys say nothing."""

    label: str
    data: str = ""
    url: str = ""


Keyboard = tuple[tuple[Key, ...], ...]
"""Rows of keys; () is no keyboard."""


@attrs.frozen
class Markup:
    """``forces_reply``: a client opens a reply to the message by itself."""

    keyboard: Keyboard = ()
    forces_reply: bool = False


def read_markup(value: Any) -> Markup:
    """What a ``reply_markup`` says. Raises the API's refusal of a bad one."""
    if value is None:
        return Markup()
    if not isinstance(value, Mapping):
        raise bad(UNREADABLE)
    if "inline_keyboard" in value:
        return Markup(_keyboard(value["inline_keyboard"]))
    return Markup(forces_reply=value.get("force_reply") is True)


def read_keyboard(value: Any) -> Keyboard:
    """The same where only an inline keyboard will do: in an edit."""
    if isinstance(value, Mapping) and value and "inline_keyboard" not in value:
        raise bad(NO_KEYBOARD)
    return read_markup(value).keyboard


def wire(keyboard: Keyboard) -> dict[str, Any]:
    """A keyboard as messages carry it."""
    return {"inline_keyboard": [[_wire_key(key) for key in row] for row in keyboard]}


def _wire_key(key: Key) -> dict[str, str]:
    if key.url:
        return {"text": key.label, "url": key.url}
    return {"text": key.label, "callback_data": key.data}


def _keyboard(rows: Any) -> Keyboard:
    if not isinstance(rows, (list, tuple)):
        raise bad(
            'Bad Request: field "inline_keyboard" of the InlineKeyboardMarkup must be an Array'
        )
    read = []
    for row in rows:
        if not isinstance(row, (list, tuple)):
            raise bad("Bad Request: expected an Array of InlineKeyboardButton")
        read.append(tuple(_key(key) for key in row))
    return tuple(row for row in read if row)


def _key(key: Any) -> Key:
    if not isinstance(key, Mapping):
        raise bad("Bad Request: inline keyboard button must be an Object")
    label, data, url = key.get("text"), key.get("callback_data"), key.get("url")
    if not isinstance(label, str) or not label:
        raise bad("Bad Request: inline keyboard button text must be non-empty")
    if isinstance(url, str) and url:
        return Key(label, url=url)
    if data is None:
        raise bad("Bad Request: text buttons are unallowed in the inline keyboard")
    if (
        not isinstance(data, str)
        or not 1 <= len(data.encode(errors="surrogatepass")) <= CALLBACK_DATA_BYTES
    ):
        raise bad(DATA_INVALID)
    return Key(label, data)
