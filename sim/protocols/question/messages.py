"""All that crosses between the five parts, by name: *is this content legal?*

``messages_opencode`` has the question API, the plugin's hook and what becomes of
questions, ``messages_telegram`` the Bot API and its updates, ``store.entry`` the entry
that both processes share.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from sim.protocols.question.envelope import TYPE_KEY, QuestionBody
from sim.protocols.question.messages_opencode import OPENCODE_MESSAGES
from sim.protocols.question.messages_telegram import TELEGRAM_MESSAGES
from sim.protocols.question.store.entry import PendingQuestion

_BODIES: Final[tuple[type[QuestionBody], ...]] = (
    *OPENCODE_MESSAGES,
    PendingQuestion,
    *TELEGRAM_MESSAGES,
)

MESSAGES: Final[Mapping[str, type[QuestionBody]]] = MappingProxyType({c.TYPE: c for c in _BODIES})
"""Name to body class."""

QUESTION_MESSAGE_TYPES: Final[tuple[str, ...]] = tuple(MESSAGES)


def shape_of(frame: Mapping[str, Any]) -> type[QuestionBody] | None:
    """The declaration of a decoded message, None where it has none."""
    return MESSAGES.get(str(frame.get(TYPE_KEY)))


def told(frame: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """What people are told of a decoded message: its name, and its content."""
    content = frame.get("content", frame)
    return str(frame.get(TYPE_KEY, "")), content if isinstance(content, Mapping) else {}
