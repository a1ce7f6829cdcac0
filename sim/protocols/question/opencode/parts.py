"""Calls of tools as OpenCode keeps them: parts of an assistant's message, and questions."""

from __future__ import annotations

from typing import Any, Final

import attrs

from sim.protocols.question.acts import Ask, RunTool
from sim.protocols.question.constants import QUESTION
from sim.protocols.question.machine import COMPLETED, PENDING, RUNNING, TOOL
from sim.wire.linkage import JsonObject

Answers = list[list[str]]
UNANSWERED: Final = "Unanswered"


@attrs.define(eq=False)
class Part:
    """One call of a tool. ``request`` is "" until its question is registered.

    ``message``: the assistant's message that it stands in. ``shows_call``: whether the
    list says which call it is. ``state`` is the tool's, ``is_open`` the question's,
    ``place`` counts the calls.
    """

    session: str
    call: str
    tool: str
    directory: str
    message: str
    args: Any = None
    request: str = ""
    questions: list[JsonObject] = attrs.field(factory=list)
    shows_call: bool = True
    state: str = TOOL.initial
    output: str = ""
    answers: Answers | None = None
    is_open: bool = False
    place: int = 0

    @property
    def item(self) -> JsonObject:
        """The question as ``GET /question`` lists it (§3.1)."""
        listed: JsonObject = {
            "id": self.request,
            "sessionID": self.session,
            "questions": self.questions,
        }
        if self.shows_call:
            listed["tool"] = {"messageID": self.message, "callID": self.call}
        return listed

    @property
    def shown(self) -> JsonObject:
        """The part as the session's messages have it (§9.2)."""
        # Over the API a part runs as soon as its arguments are there, before the hook does.
        status = RUNNING if self.state == PENDING else self.state
        state: JsonObject = {"status": status, "input": self.args}
        if self.output:
            state["error" if self.state == "error" else "output"] = self.output
        if self.state == COMPLETED and self.answers is not None:
            count = len(self.questions)
            state["title"] = f"Asked {count} question{'s' if count > 1 else ''}"
            state["metadata"] = {"answers": self.answers, "truncated": False}
        named = {"sessionID": self.session, "messageID": self.message, "callID": self.call}
        return {"type": "tool", "tool": self.tool, **named, "state": state}

    @property
    def told(self) -> JsonObject:
        """What notes say of it."""
        return {
            "requestID": self.request,
            "sessionID": self.session,
            "callID": self.call,
            "directory": self.directory,
            "tool_state": self.state,
        }


def asking(ask: Ask) -> RunTool:
    """The call of the question tool that asks this."""
    options = [{"label": label, "description": f"{label} desc"} for label in ask.options]
    question = {
        "question": ask.question,
        "header": ask.header,
        "multiple": ask.multiple,
        "options": options,
    }
    return RunTool(
        session=ask.session,
        tool=QUESTION,
        call=ask.call,
        directory=ask.directory,
        args={"questions": [question, *map(_whole, ask.more)]},
        request=ask.request,
        listed_after_ms=ask.listed_after_ms,
        names_call=ask.names_call,
        shows_tool=ask.shows_tool,
    )


def _whole(question: JsonObject) -> JsonObject:
    """A further question with what the tool insists on, where an act leaves it out."""
    options = question.get("options")
    if not isinstance(options, list) or not all(isinstance(option, dict) for option in options):
        return question
    described = [{"description": f"{option.get('label')} desc", **option} for option in options]
    return {"header": "", **question, "options": described}


def questions_of(args: Any) -> list[JsonObject] | None:
    """The questions of a call, which may be none; None where the tool refuses its arguments."""
    questions = args.get("questions") if isinstance(args, dict) else None
    if not isinstance(questions, list):
        return None
    return questions if all(map(_is_question, questions)) else None


def _is_question(question: Any) -> bool:
    if not _has_texts(question, "question", "header"):
        return False
    options, multiple = question.get("options"), question.get("multiple", False)
    return (
        isinstance(multiple, bool)
        and isinstance(options, list)
        and all(_has_texts(option, "label", "description") for option in options)
    )


def _has_texts(holder: Any, *names: str) -> bool:
    return isinstance(holder, dict) and all(isinstance(holder.get(name), str) for name in names)


def output_of(questions: list[JsonObject], answers: Answers) -> str:
    """What the tool tells its agent; a missing row is a question without an answer."""
    rows = [*answers, *([] for _ in range(len(questions) - len(answers)))]
    pairs = (
        f'"{question["question"]}"="{", ".join(row) or UNANSWERED}"'
        for question, row in zip(questions, rows, strict=False)
    )
    told = f"User has answered your questions: {', '.join(pairs)}."
    return f"{told} You can now continue with the user's answers in mind."


def answers_of(body: Any) -> Answers | None:
    """The rows of a reply's body (§3.2); None where it is no such body."""
    rows = body.get("answers") if isinstance(body, dict) else None
    if not isinstance(rows, list):
        return None
    good = all(isinstance(row, list) and all(isinstance(one, str) for one in row) for row in rows)
    return rows if good else None
