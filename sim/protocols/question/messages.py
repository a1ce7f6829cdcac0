"""All that crosses between the five parts, by name: *is this content legal?*

``messages_opencode`` has the question API, the plugin's hook and what becomes of
questions, ``messages_telegram`` the Bot API and its updates, ``store.entry`` the entry
that both processes share.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from sim.protocols.question import says
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


def told(frame: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """What people are told of a decoded message, or of a request as a trace has it.

    → its name and its content; "" for what has no name.
    """
    name = frame.get(TYPE_KEY)
    if not isinstance(name, str) or name not in MESSAGES:
        return says.told(frame)
    content = frame.get("content")
    return name, content if isinstance(content, Mapping) else {}


def shape_of(frame: Mapping[str, Any]) -> type[QuestionBody] | None:
    """The declaration of a decoded message or request, None where it has none."""
    return MESSAGES.get(told(frame)[0])
