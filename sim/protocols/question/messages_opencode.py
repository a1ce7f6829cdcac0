"""OpenCode's side: the question API (§3), what a plugin is told, what becomes of questions."""

from __future__ import annotations

from typing import Any, Final

from sim.protocols.question.envelope import (
    BOTH_TO_OPENCODE,
    HOOK_TO_OPENCODE,
    LISTENER_TO_OPENCODE,
    OPENCODE_ITSELF,
    OPENCODE_TO_HOOK,
    OPENCODE_TO_LISTENER,
    QuestionBody,
)
from sim.protocols.question.machine import TOOL
from sim.wire.absent import ABSENT, Absent
from sim.wire.declare import Record, message, record, wire
from sim.wire.linkage import JsonObject
from sim.wire.spec import ANY_TEXT, SOME_TEXT, Anything, Choice, Flag, ListOf, Nested

ANSWER_ROWS: Final = ListOf(ListOf(ANY_TEXT))
"""One row of chosen labels per question (§3.2)."""
TOOL_STATE: Final = Choice(TOOL.states)

_QUESTION: Final[JsonObject] = {
    "question": "Deploy now?",
    "header": "Pick",
    "options": [{"label": "A", "description": "A desc"}, {"label": "B", "description": "B desc"}],
}
_IDS: Final[JsonObject] = {"requestID": "que_1", "sessionID": "ses_1", "callID": "call_A"}


@record()
class AskedChoice(Record):
    """One option of a question; upstream has no value beside the label."""

    label: str = wire(ANY_TEXT)
    description: str | Absent = wire(ANY_TEXT, default=ABSENT)
    value: str | Absent = wire(ANY_TEXT, default=ABSENT)


@record()
class AskedQuestion(Record):
    """One question as an agent asks it; ``custom`` (true unless it says otherwise): a free
    answer is welcome."""

    question: str = wire(ANY_TEXT)
    header: str | Absent = wire(ANY_TEXT, default=ABSENT)
    options: tuple[AskedChoice, ...] = wire(ListOf(Nested(AskedChoice)))
    multiple: bool | Absent = wire(Flag(), default=ABSENT)
    custom: bool | Absent = wire(Flag(), default=ABSENT)


@record()
class CallOfTool(Record):
    """Which call of a tool has asked: the assistant's message, and the call in it."""

    message_id: str | Absent = wire(ANY_TEXT, name="messageID", default=ABSENT)
    call_id: str = wire(ANY_TEXT, name="callID")


@message(
    "question.item",
    direction=OPENCODE_TO_LISTENER,
    section="3.1",
    example={
        "id": "que_1",
        "sessionID": "ses_1",
        "questions": [_QUESTION],
        "tool": {"messageID": "msg_1", "callID": "call_A"},
    },
)
class ListedQuestion(QuestionBody):
    """One open question in the answer to GET /question; ``tool`` may be missing (QT-50)."""

    id: str = wire(SOME_TEXT)
    session_id: str = wire(SOME_TEXT, name="sessionID")
    questions: tuple[AskedQuestion, ...] = wire(ListOf(Nested(AskedQuestion)))
    tool: CallOfTool | Absent = wire(Nested(CallOfTool), default=ABSENT)


@message(
    "GET /question",
    direction=LISTENER_TO_OPENCODE,
    section="3.1",
    example={"directory": "/proj"},
)
class ListQuestions(QuestionBody):
    """Asks for the open questions of a project; the answer is a list of question.item."""

    directory: str | Absent = wire(SOME_TEXT, default=ABSENT)


@message(
    "POST /question/{requestID}/reply",
    direction=LISTENER_TO_OPENCODE,
    section="3.2",
    example={"requestID": "que_1", "directory": "/proj", "answers": [["A"]]},
)
class ReplyToQuestion(QuestionBody):
    """Answers a question; an unknown or closed one is a success that does nothing (DQ-27)."""

    request_id: str = wire(SOME_TEXT, name="requestID")
    directory: str | Absent = wire(SOME_TEXT, default=ABSENT)
    answers: tuple[tuple[str, ...], ...] = wire(ANSWER_ROWS)


@message(
    "POST /question/{requestID}/reject",
    direction=LISTENER_TO_OPENCODE,
    section="3.3",
    example={"requestID": "que_1", "directory": "/proj"},
)
class RejectQuestion(QuestionBody):
    """Closes a question without an answer; its tool ends with an error."""

    request_id: str = wire(SOME_TEXT, name="requestID")
    directory: str | Absent = wire(SOME_TEXT, default=ABSENT)


@message("GET /session", direction=BOTH_TO_OPENCODE, section="3", example={})
class ListSessions(QuestionBody):
    """Asks for the sessions, of one project or of all; no answer depends on it (DQ-05)."""

    directory: str | Absent = wire(SOME_TEXT, default=ABSENT)


@message(
    "tool.execute.before",
    direction=OPENCODE_TO_HOOK,
    section="4",
    example={
        "tool": "question",
        "sessionID": "ses_1",
        "callID": "call_A",
        "args": {"questions": [_QUESTION]},
        "directory": "/proj",
    },
)
class ToolBefore(QuestionBody):
    """A tool is about to run; the hook takes session and call from here (DQ-05)."""

    tool: str = wire(SOME_TEXT)
    session_id: str = wire(ANY_TEXT, name="sessionID")
    call_id: str = wire(ANY_TEXT, name="callID")
    args: Any = wire(Anything(), default=ABSENT)
    directory: str | Absent = wire(ANY_TEXT, default=ABSENT)


@message("returned", direction=HOOK_TO_OPENCODE, section="8.1", example={"threw": ""})
class HookHasReturned(QuestionBody):
    """The hook is through; ``threw`` is empty, for it throws nothing."""

    threw: str = wire(ANY_TEXT)


@message(
    "question.asked",
    direction=OPENCODE_ITSELF,
    section="4",
    example={**_IDS, "directory": "/proj", "tool_state": "running", "questions": [_QUESTION]},
)
class QuestionAsked(QuestionBody):
    """A tool has registered its question: from now on it is listed."""

    request_id: str = wire(SOME_TEXT, name="requestID")
    session_id: str = wire(SOME_TEXT, name="sessionID")
    call_id: str = wire(ANY_TEXT, name="callID")
    directory: str = wire(ANY_TEXT)
    tool_state: str = wire(TOOL_STATE, name="tool_state")
    questions: tuple[AskedQuestion, ...] = wire(ListOf(Nested(AskedQuestion)))


@message(
    "question.replied",
    direction=OPENCODE_ITSELF,
    section="4",
    example={**_IDS, "tool_state": "completed", "answers": [["A"]], "by": "http"},
)
class QuestionReplied(QuestionBody):
    """A question was answered, over HTTP or at the terminal; its tool goes on."""

    request_id: str = wire(SOME_TEXT, name="requestID")
    session_id: str = wire(SOME_TEXT, name="sessionID")
    call_id: str = wire(ANY_TEXT, name="callID")
    tool_state: str = wire(TOOL_STATE, name="tool_state")
    answers: tuple[tuple[str, ...], ...] = wire(ANSWER_ROWS)
    by: str = wire(Choice(("http", "tui")))


@message(
    "question.rejected",
    direction=OPENCODE_ITSELF,
    section="3.3",
    example={**_IDS, "tool_state": "error", "by": "http"},
)
class QuestionRejected(QuestionBody):
    """A question was dismissed, or its session interrupted; its tool has ended."""

    request_id: str = wire(SOME_TEXT, name="requestID")
    session_id: str = wire(SOME_TEXT, name="sessionID")
    call_id: str = wire(ANY_TEXT, name="callID")
    tool_state: str = wire(TOOL_STATE, name="tool_state")
    by: str = wire(Choice(("http", "tui", "abort")))


OPENCODE_MESSAGES: Final[tuple[type[QuestionBody], ...]] = (
    ToolBefore,
    HookHasReturned,
    ListQuestions,
    ListedQuestion,
    ReplyToQuestion,
    RejectQuestion,
    ListSessions,
    QuestionAsked,
    QuestionReplied,
    QuestionRejected,
)
