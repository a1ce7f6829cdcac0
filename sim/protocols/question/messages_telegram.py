"""Telegram's side: the methods of the Bot API that both processes use, and updates.

Parameters of a GET are texts, those of a POST typed; both are good.
"""

from __future__ import annotations

from typing import Any, Final

from sim.protocols.question.constants import (
    CALLBACK_DATA_BYTES,
    MESSAGE_CHARS,
    TOAST_CHARS,
)
from sim.protocols.question.envelope import (
    BOTH_TO_TELEGRAM,
    LISTENER_TO_TELEGRAM,
    TELEGRAM_TO_LISTENER,
    QuestionBody,
)
from sim.wire.absent import ABSENT, Absent
from sim.wire.declare import Record, message, record, wire
from sim.wire.linkage import Fault, JsonObject, Wire, linkage
from sim.wire.spec import (
    ANY_TEXT,
    COUNT,
    SOME_TEXT,
    AnyObject,
    Anything,
    Flag,
    ListOf,
    Nested,
    Number,
    Predicate,
    Text,
)

SECTION: Final = "4"
IDENTITY: Final = Number(integer=True, safe=True)

BUTTON_DATA: Final = Predicate(
    "button_data",
    f"1 to {CALLBACK_DATA_BYTES} bytes of UTF-8",
    lambda text: 1 <= len(text.encode("utf-8", "surrogatepass")) <= CALLBACK_DATA_BYTES,
    ("qopt:aaaa0001:0", "qcustom:aaaa0001"),
)

_USER: Final[JsonObject] = {"id": 7001, "is_bot": False, "first_name": "Alice"}
_CHAT: Final[JsonObject] = {"id": -4200000001, "type": "group"}
_KEYS: Final[JsonObject] = {
    "inline_keyboard": [
        [{"text": "A", "callback_data": "qopt:aaaa0001:0"}],
        [{"text": "own answer", "callback_data": "qcustom:aaaa0001"}],
    ]
}
_CHAT_SCHEMA: Final[JsonObject] = {
    "required": ["chat_id"],
    "properties": {"chat_id": {"type": ["integer", "string"]}},
}


@linkage(_CHAT_SCHEMA)
def chat_is_given(content: Wire) -> Fault | None:
    """chat_id is a number or a text."""
    chat = content.get("chat_id")
    is_number = type(chat) is int or (type(chat) is float and chat.is_integer())
    return None if is_number or type(chat) is str else (".chat_id", "must be a number or a text")


_WHOLE_SCHEMA: Final[JsonObject] = {"type": ["integer", "string"], "pattern": "^-?[0-9]+$"}


@linkage({"properties": {"offset": _WHOLE_SCHEMA, "timeout": _WHOLE_SCHEMA}})
def poll_is_numbered(content: Wire) -> Fault | None:
    """offset and timeout, where they are there, are whole numbers, as texts too."""
    for name in ("offset", "timeout"):
        value = content.get(name, 0)
        is_number = type(value) is int or (type(value) is float and value.is_integer())
        if not is_number and not (type(value) is str and _is_whole(value)):
            return f".{name}", "must be a whole number"
    return None


def _is_whole(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit()


@record()
class InlineButton(Record):
    """One button; a press says its ``callback_data``."""

    text: str = wire(SOME_TEXT)
    callback_data: str | Absent = wire(
        Text(where=BUTTON_DATA), name="callback_data", default=ABSENT
    )


@record()
class ReplyMarkup(Record):
    """What hangs below a message: rows of buttons, or the demand for a reply."""

    inline_keyboard: tuple[tuple[InlineButton, ...], ...] | Absent = wire(
        ListOf(ListOf(Nested(InlineButton))), name="inline_keyboard", default=ABSENT
    )
    force_reply: bool | Absent = wire(Flag(), name="force_reply", default=ABSENT)
    selective: bool | Absent = wire(Flag(), default=ABSENT)


@record()
class TelegramUser(Record):
    """Who pressed or wrote."""

    id: int = wire(IDENTITY)
    is_bot: bool | Absent = wire(Flag(), name="is_bot", default=ABSENT)
    first_name: str | Absent = wire(ANY_TEXT, name="first_name", default=ABSENT)
    username: str | Absent = wire(ANY_TEXT, default=ABSENT)


@record()
class TelegramChat(Record):
    """Where; groups have negative numbers."""

    id: int = wire(IDENTITY)
    type: str | Absent = wire(ANY_TEXT, default=ABSENT)


@message("getMe", direction=LISTENER_TO_TELEGRAM, section=SECTION, example={})
class GetMe(QuestionBody):
    """Asks whose token it is, at the listener's start."""


@message(
    "getUpdates",
    direction=LISTENER_TO_TELEGRAM,
    section=SECTION,
    example={"offset": 0, "timeout": 30, "allowed_updates": ["callback_query", "message"]},
    rules=(poll_is_numbered,),
)
class GetUpdates(QuestionBody):
    """Waits for updates; the offset confirms all below it."""

    offset: Any = wire(Anything(), default=ABSENT)
    timeout: Any = wire(Anything(), default=ABSENT)
    allowed_updates: Any = wire(Anything(), name="allowed_updates", default=ABSENT)


@message(
    "sendMessage",
    direction=BOTH_TO_TELEGRAM,
    section=SECTION,
    example={
        "chat_id": "-4200000001",
        "text": "Deploy now?",
        "parse_mode": "Markdown",
        "reply_markup": _KEYS,
    },
    rules=(chat_is_given,),
)
class SendMessage(QuestionBody):
    """The question with its buttons, the prompt that forces a reply, or a notice."""

    chat_id: Any = wire(Anything(), name="chat_id", default=ABSENT)
    text: str = wire(Text(min=1, max=2 * MESSAGE_CHARS))
    parse_mode: str | Absent = wire(ANY_TEXT, name="parse_mode", default=ABSENT)
    reply_markup: ReplyMarkup | Absent = wire(
        Nested(ReplyMarkup), name="reply_markup", default=ABSENT
    )


@message(
    "editMessageText",
    direction=LISTENER_TO_TELEGRAM,
    section=SECTION,
    example={"chat_id": -4200000001, "message_id": 101, "text": "Deploy now? A"},
    rules=(chat_is_given,),
)
class EditMessageText(QuestionBody):
    """Changes a message; without a markup its keyboard goes."""

    chat_id: Any = wire(Anything(), name="chat_id", default=ABSENT)
    message_id: int = wire(COUNT, name="message_id")
    text: str = wire(Text(min=1, max=2 * MESSAGE_CHARS))
    parse_mode: str | Absent = wire(ANY_TEXT, name="parse_mode", default=ABSENT)
    reply_markup: ReplyMarkup | Absent = wire(
        Nested(ReplyMarkup), name="reply_markup", default=ABSENT
    )


@message(
    "editMessageReplyMarkup",
    direction=LISTENER_TO_TELEGRAM,
    section=SECTION,
    example={
        "chat_id": -4200000001,
        "message_id": 101,
        "reply_markup": {"inline_keyboard": []},
    },
    rules=(chat_is_given,),
)
class EditMessageReplyMarkup(QuestionBody):
    """Drops the keyboard of a message whose text stays."""

    chat_id: Any = wire(Anything(), name="chat_id", default=ABSENT)
    message_id: int = wire(COUNT, name="message_id")
    reply_markup: ReplyMarkup | Absent = wire(
        Nested(ReplyMarkup), name="reply_markup", default=ABSENT
    )


@message(
    "answerCallbackQuery",
    direction=LISTENER_TO_TELEGRAM,
    section=SECTION,
    example={"callback_query_id": "cbq_1", "text": "回传失败，请稍后重试"},
)
class AnswerCallbackQuery(QuestionBody):
    """Ends a press with a toast; seconds after the press it is too late."""

    callback_query_id: str = wire(SOME_TEXT, name="callback_query_id")
    text: str | Absent = wire(Text(max=TOAST_CHARS), default=ABSENT)
    show_alert: bool | Absent = wire(Flag(), name="show_alert", default=ABSENT)


@message(
    "callback_query",
    direction=TELEGRAM_TO_LISTENER,
    section=SECTION,
    example={
        "update_id": 9001,
        "id": "cbq_1",
        "from": _USER,
        "message": {"message_id": 101, "chat": _CHAT},
        "data": "qopt:aaaa0001:0",
    },
)
class CallbackQuery(QuestionBody):
    """Somebody has pressed a button, be it of an old message."""

    update_id: int = wire(COUNT, name="update_id")
    id: str = wire(SOME_TEXT)
    sender: TelegramUser = wire(Nested(TelegramUser), name="from")
    message: dict[str, Any] | Absent = wire(AnyObject(), default=ABSENT)
    data: str | Absent = wire(ANY_TEXT, default=ABSENT)


@message(
    "message",
    direction=TELEGRAM_TO_LISTENER,
    section="4.1",
    example={
        "update_id": 9002,
        "message_id": 103,
        "from": _USER,
        "chat": _CHAT,
        "text": "my own answer",
        "reply_to_message": {"message_id": 102},
    },
)
class MessageUpdate(QuestionBody):
    """Somebody has written; ``reply_to_message`` says to which message it is a reply."""

    update_id: int = wire(COUNT, name="update_id")
    message_id: int = wire(COUNT, name="message_id")
    sender: TelegramUser | Absent = wire(Nested(TelegramUser), name="from", default=ABSENT)
    chat: TelegramChat = wire(Nested(TelegramChat))
    text: str | Absent = wire(ANY_TEXT, default=ABSENT)
    reply_to_message: dict[str, Any] | Absent = wire(
        AnyObject(), name="reply_to_message", default=ABSENT
    )


TELEGRAM_MESSAGES: Final[tuple[type[QuestionBody], ...]] = (
    GetMe,
    GetUpdates,
    SendMessage,
    EditMessageText,
    EditMessageReplyMarkup,
    AnswerCallbackQuery,
    CallbackQuery,
    MessageUpdate,
)
