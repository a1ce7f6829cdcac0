"""All frame checks: rows that the parser watches, a message that it takes and its bad twin."""

from __future__ import annotations

from typing import Any, Final

from sim.protocols.catalogue import GONE, FrameCheck
from sim.protocols.question.messages import MESSAGES
from sim.protocols.question.parse import parse_question_message


def check(row: str, name: str, path: str, /, *, good: Any = None, **bad: Any) -> FrameCheck:
    """A check of one message, by what is different in the bad one (and in the good one)."""
    well, badly = _message(name, good or {}), _message(name, bad)
    return FrameCheck(row, name, path, well, badly, parse_question_message)


def _message(name: str, fields: dict[str, Any]) -> dict[str, Any]:
    cls = MESSAGES[name]
    content = {**cls.EXAMPLE, **fields}
    kept = {key: value for key, value in content.items() if value is not GONE}
    return cls.enclose("m-1", 0, kept)


_REPLY: Final = "POST /question/{requestID}/reply"
_REJECT: Final = "POST /question/{requestID}/reject"

CHECKS: Final[tuple[FrameCheck, ...]] = (
    check("QT-06", "GET /question", "GET /question.directory", directory=7),
    check("QT-07", _REPLY, f"{_REPLY}.requestID", requestID=GONE),
    check("QT-08", _REPLY, f"{_REPLY}.answers[0]", good={"answers": [["A"], []]}, answers=["A"]),
    check("QT-08", _REPLY, f"{_REPLY}.answers[0]", answers=[[1]]),
    check("QT-10", _REJECT, f"{_REJECT}.requestID", requestID=GONE),
    check("QT-11", "question.item", "question.item.sessionID", sessionID=GONE),
    check("QT-11", "question.item", "question.item.questions", questions=GONE),
    check("QT-50", "question.item", "question.item.tool.callID",
          good={"tool": GONE}, tool={"messageID": "msg_1"}),
    check("QT-31", "pending", "pending.sid", sid=GONE),
    check("QT-31", "pending", "pending.timestamp", timestamp=GONE),
    check("QT-31", "pending", "pending.options", options=GONE),
)  # fmt: skip
