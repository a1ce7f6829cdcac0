"""Stage 14: messages of a group reach the desktops of its members (spec §5)."""

from __future__ import annotations

from sim.protocols.hook.constants import (
    HOOK_FEATURE_GROUP_RELAY,
    MAX_FILE_NAME_CHARS,
    MAX_FILE_NAMES,
    MAX_GROUP_TEXT_CHARS,
)
from sim.protocols.hook.frames.envelope import BOTH, SERVER_TO_DESKTOP, HookBody
from sim.protocols.hook.predicates import TELEGRAM_USER_ID, TELEGRAM_USERNAME
from sim.wire.absent import ABSENT, Absent
from sim.wire.declare import Gate, Record, message, record, wire
from sim.wire.linkage import Fault, Wire, linkage
from sim.wire.spec import SOME_TEXT, TIMESTAMP_MS, Flag, ListOf, Nested, Text


@record()
class GroupRecipient(Record):
    """Whom this copy is for; the desktop compares it with its own binding."""

    binding_id: str = wire(SOME_TEXT)
    principal_id: str = wire(SOME_TEXT)


@record()
class GroupAuthor(Record):
    """Who wrote it. ``id`` and ``username`` follow Telegram's rules."""

    name: str = wire(SOME_TEXT)
    is_bot: bool | Absent = wire(Flag(), default=ABSENT)
    id: str | Absent = wire(Text(where=TELEGRAM_USER_ID), default=ABSENT)
    username: str | Absent = wire(Text(where=TELEGRAM_USERNAME), default=ABSENT)


@linkage(
    {
        "if": {"properties": {"text": {"maxLength": 0}}},
        "then": {"properties": {"fileNames": {"minItems": 1}}, "required": ["fileNames"]},
    }
)
def text_or_files(payload: Wire) -> Fault | None:
    """fileNames is present and not empty when text is empty."""
    if payload["text"] or payload.get("fileNames"):
        return None
    return "", "must have fileNames when text is empty"


@message(
    "group.message",
    direction=SERVER_TO_DESKTOP,
    section="§5.14",
    gate=Gate(HOOK_FEATURE_GROUP_RELAY, BOTH),
    example={
        "provider": "telegram",
        "recipient": {"bindingId": "b-1", "principalId": "u-1"},
        "chatId": "-1001",
        "threadId": None,
        "messageId": "42",
        "chatName": "dev",
        "author": {"name": "Bob", "id": "777000", "username": "bob"},
        "text": "lunch?",
        "sentAt": 1760000000000,
    },
)
class GroupMessage(HookBody):
    """One message of a group, forwarded and forgotten; lost where the desktop is offline.

    The parser cannot know whether ``recipient`` was negotiated, so it is optional here.
    """

    provider: str = wire(SOME_TEXT)
    recipient: GroupRecipient | Absent = wire(Nested(GroupRecipient), default=ABSENT)
    chat_id: str = wire(SOME_TEXT)
    thread_id: str | None = wire(SOME_TEXT, nullable=True)
    message_id: str = wire(SOME_TEXT)
    chat_name: str | None = wire(SOME_TEXT, nullable=True)
    author: GroupAuthor = wire(Nested(GroupAuthor, fault_at=".name"))
    text: str = wire(Text(max=MAX_GROUP_TEXT_CHARS))
    file_names: tuple[str, ...] | Absent = wire(
        ListOf(Text(min=1, max=MAX_FILE_NAME_CHARS), max=MAX_FILE_NAMES),
        default=ABSENT,
        after=(text_or_files,),
    )
    sent_at: int = wire(TIMESTAMP_MS)
