"""The protocol's words for diagrams: how requests, answers and facts are called.

Nothing is framed here. A request over HTTP is called by method and path, or by the Bot
API's method; what OpenCode tells its plugin by ``tool.execute.before``; a change of the
store by what became of one entry (``setPending``, ``updatePending``, ``deletePending``);
an answer by its status, an update by its kind; a fact of one host by a word of its own
(``completed``, ``question.asked``, ``log``). ``says`` has what each of them says.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import attrs

from sim.core.op import Frame
from sim.protocols.question.constants import HOOK, LISTENER, OPENCODE, STORE, TELEGRAM

BEFORE: Final = "tool.execute.before"
RETURNED: Final = "returned"
CALL: Final = "question"
TOOL_CALL: Final = "tool"
LIST: Final = "GET /question"
SESSIONS: Final = "GET /session"
REPLY: Final = "POST /question/{requestID}/reply"
REJECT: Final = "POST /question/{requestID}/reject"
SET: Final = "setPending"
UPDATE: Final = "updatePending"
DELETE: Final = "deletePending"
READ: Final = "getPending"
REFUSED: Final = "refused"
RESET: Final = "reset"
NO_ANSWER: Final = "no answer"
STATUSES: Final = ("200", "400", "401", "403", "404", "405", "409", "429", "500", "502", "503")
ANSWERS: Final = (*STATUSES, REFUSED, RESET, NO_ANSWER)
TOOL_STATES: Final = ("pending", "running", "completed", "error")
LOG: Final = "log"
POLL: Final = "getUpdates"
UPDATES: Final = ("callback_query", "message", "edited_message")
METHODS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "getMe": (),
        "getUpdates": ("offset", "timeout", "allowed_updates", "limit"),
        "sendMessage": (
            *("chat_id", "text", "parse_mode", "reply_markup", "buttons", "data"),
            *("force_reply", "reply_to_message_id"),
        ),
        "editMessageText": (
            *("chat_id", "message_id", "text", "parse_mode", "reply_markup", "buttons"),
            *("data", "force_reply"),
        ),
        "editMessageReplyMarkup": (
            *("chat_id", "message_id", "reply_markup", "buttons", "data", "force_reply"),
        ),
        "answerCallbackQuery": ("callback_query_id", "text", "show_alert"),
        "deleteMessage": ("chat_id", "message_id"),
    }
)
"""Methods of the Bot API with their parameters; ``buttons``, ``data``, ``force_reply`` say
what ``reply_markup`` holds."""
SAME: Final[Mapping[str, str]] = MappingProxyType(
    {"POST /question/{id}/reply": REPLY, "POST /question/{id}/reject": REJECT}
)
"""Other spellings of a name."""

ENTRY: Final = (
    *("uniqueId", "type", "sid", "callID", "directory", "options", "timestamp", "chatId"),
    *(
        "messageId",
        "awaitingText",
        "customPromptMessageId",
        "expectedUserId",
        "awaitingSince",
        "awaitingUpdate",
    ),
    *("requestID", "claimedBy", "claimedAt"),
)
PART: Final = (
    *("requestID", "sessionID", "callID", "directory", "tool", "tool_state", "output"),
    *("questions", "answers", "by"),
)
PRESSED: Final = ("id", "data", "from", "message", "update_id", "person")
WROTE: Final = ("message_id", "text", "from", "chat", "replyTo", "update_id", "person")
ASKED: Final = (
    *("tool", "sessionID", "callID", "directory", "args", "question", "header", "options"),
)
AGENT: Final = (
    *("sessionID", "callID", "requestID", "directory", "question", "header", "options"),
    *("multiple", "more", "listedAfter", "namesCall", "showsTool"),
)
"""What an agent's call of the question tool may say; ``listedAfter`` is a duration."""


GROUP_TEXTS: Final = "group-texts"
POLL_CONFLICT: Final = "poll-conflict"
STRICT_EDITS: Final = "strict-edits"
CALL_IDS: Final = "call-ids"
TOOL_IN_LIST: Final = "tool-in-list"
FEATURE_OF: Final[Mapping[str, str]] = MappingProxyType(
    {
        GROUP_TEXTS: TELEGRAM,
        POLL_CONFLICT: TELEGRAM,
        STRICT_EDITS: TELEGRAM,
        CALL_IDS: OPENCODE,
        TOOL_IN_LIST: OPENCODE,
    }
)
"""What a side does unless a diagram takes it away (``@feature ID -name``), and whose it is:
texts of groups reach the bot, a second poller gets the first a 409, an edit that changes
nothing is refused, tools have call ids, and the list tells them."""
FEATURES: Final = tuple(FEATURE_OF)


@attrs.frozen
class Saying:
    """One name: who says it to whom (``a>b|c>d``), and what may be said of it.

    ``is_free``: any field may be named. ``enums``: fields with a closed set of values.
    """

    way: str
    fields: tuple[str, ...] = ()
    is_free: bool = False
    enums: Mapping[str, tuple[str, ...]] = MappingProxyType({})


class _AndOthers(tuple[str, ...]):
    """Fields that are known, where any others may stand too."""

    __slots__ = ()

    def __contains__(self, name: object) -> bool:
        return True


def _ways(sources: tuple[str, ...], targets: tuple[str, ...]) -> str:
    return "|".join(f"{source}>{target}" for source in sources for target in targets)


_FACT: Final = f"{OPENCODE}>{OPENCODE}"
_BOTH: Final = (HOOK, LISTENER)
_TOOL_STATE: Final = MappingProxyType({"tool_state": TOOL_STATES, "by": ("http", "tui", "abort")})
_LEVELS: Final = MappingProxyType({"level": ("info", "warn", "error")})


def _table() -> dict[str, Saying]:
    to_store, to_opencode = _ways(_BOTH, (STORE,)), _ways(_BOTH, (OPENCODE,))
    found = {
        BEFORE: Saying(f"{OPENCODE}>{HOOK}", ASKED),
        RETURNED: Saying(f"{HOOK}>{OPENCODE}", ("threw",)),
        CALL: Saying(f"person>{OPENCODE}", AGENT),
        TOOL_CALL: Saying(f"person>{OPENCODE}", (*ASKED[:5],)),
        LIST: Saying(to_opencode, ("directory",)),
        SESSIONS: Saying(to_opencode, ("directory",)),
        REPLY: Saying(to_opencode, ("requestID", "id", "directory", "answers")),
        REJECT: Saying(to_opencode, ("requestID", "id", "directory")),
        SET: Saying(to_store, ENTRY),
        UPDATE: Saying(to_store, ENTRY),
        DELETE: Saying(to_store, ENTRY),
        READ: Saying(to_store, ()),
    }
    found |= {name: found[real] for name, real in SAME.items()}
    found |= {name: Saying(_ways(_BOTH, (TELEGRAM,)), said) for name, said in METHODS.items()}
    polls = f"{_ways(_BOTH, (TELEGRAM,))}|{TELEGRAM}>{LISTENER}"
    found[POLL] = Saying(polls, tuple(dict.fromkeys((*METHODS[POLL], *PRESSED, *WROTE))))
    found |= {
        "callback_query": Saying(f"{TELEGRAM}>{LISTENER}", PRESSED),
        "message": Saying(f"{TELEGRAM}>{LISTENER}", WROTE),
        "edited_message": Saying(f"{TELEGRAM}>{LISTENER}", WROTE),
    }
    found |= {state: Saying(_FACT, PART, enums=_TOOL_STATE) for state in TOOL_STATES}
    for fact in ("question.asked", "question.replied", "question.rejected"):
        found[fact] = Saying(_FACT, PART, enums=_TOOL_STATE)
    logs = "|".join(f"{kind}>{kind}" for kind in (OPENCODE, HOOK, LISTENER))
    found[LOG] = Saying(logs, ("level", "text"), enums=_LEVELS)
    way = _ways((OPENCODE, TELEGRAM), _BOTH)
    found |= {name: Saying(way, ("status", "body"), is_free=True) for name in ANSWERS}
    return found


SAYINGS: Final[Mapping[str, Saying]] = MappingProxyType(_table())


class QuestionWords:
    """What may be said on arrows. Methods that take a name raise KeyError for an unknown one."""

    def frame_types(self) -> tuple[str, ...]:
        """All names."""
        return tuple(SAYINGS)

    def fields(self, type: str) -> tuple[str, ...]:
        """What may be named of it."""
        saying = SAYINGS[type]
        return _AndOthers(saying.fields) if saying.is_free else saying.fields

    def enum_values(self, type: str) -> dict[str, tuple[str, ...]]:
        """The values of fields that have a closed set of them."""
        return dict(SAYINGS[type].enums)

    def direction(self, type: str) -> str:
        """Who says it to whom: ``hook>store|listener>store``."""
        return SAYINGS[type].way

    def called(self, frame: Frame) -> tuple[str, ...]:
        """All names of a saying, the most telling one last."""
        if frame.type in UPDATES:  # an update is what getUpdates brings
            return (frame.type, POLL, frame.type)
        return (*(name for name, real in SAME.items() if real == frame.type), frame.type)

    def place(self, type: str, path: str) -> str:
        """Where a named field stands: what is said has no envelope."""
        return path


WORDS: Final = QuestionWords()
