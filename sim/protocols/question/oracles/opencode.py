"""OpenCode's side: the list, the tool's states, one close per question (QT-11 … QT-13, DQ-27)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.core.http import HttpResponse
from sim.protocols.question.oracles.oracle import OfOpenCode, Owing
from sim.protocols.question.view import QuestionView
from sim.protocols.question.view_calls import LIST, REJECT, REPLY, CallView, items_of
from sim.protocols.question.view_records import ToolView


class ListsShowWhatIsOpen(OfOpenCode):
    name = "lists-show-what-is-open"
    sentence = "GET /question lists the open questions of a project: all of them, and no other."
    catalogue = ("QT-12", "QT-48")

    def __init__(self, view: QuestionView) -> None:
        super().__init__(view)
        self._open: dict[str, ToolView] = {}

    def on_asked(self, tool: ToolView) -> None:
        self._open[tool.id] = tool

    def on_applied(self, call: CallView) -> str | None:
        if call.what != LIST or not isinstance(call.reply, HttpResponse) or not call.reply.is_ok:
            return None
        self.exercised += 1
        listed = [str(item.get("id")) for item in items_of(call.reply)]
        for one in (self.view.tools.get(id) for id in listed):
            if one is not None and one.host == call.callee and not one.is_open:
                return f"{call.callee} lists {one.id}, which is closed"
        project = call.request.asked("directory")
        self._open = {id: one for id, one in self._open.items() if one.is_open}
        mine = [one for one in self._open.values() if one.host == call.callee]
        due = [one.id for one in mine if project in (None, one.directory)]
        if project is None or sorted(due) == sorted(listed):
            return None
        return f"{call.callee} lists {listed} for {project}, where {due} are open"


class ItemsSayWhoAsks(OfOpenCode):
    name = "items-say-who-asks"
    sentence = "A listed question has id, sessionID and questions; its tool names the call."
    catalogue = ("QT-11", "QT-48")
    IN_LOGS = True

    def on_applied(self, call: CallView) -> str | None:
        if call.what != LIST:
            return None
        for item in items_of(call.reply):
            self.exercised += 1
            fault = _fault(item)
            if fault:
                return f"{call.callee} lists a question {fault}: {item}"
        return None


def _fault(item: Mapping[str, Any]) -> str:
    for name in ("id", "sessionID"):
        if not isinstance(item.get(name), str) or not item[name]:
            return f"without {name}"
    if not isinstance(item.get("questions"), list):
        return "without questions"
    tool = item.get("tool")
    if tool is None or (isinstance(tool, Mapping) and isinstance(tool.get("callID"), str)):
        return ""
    return "with a tool that names no call"


class AnswersCompleteTheTool(Owing):
    name = "answers-complete-the-tool"
    sentence = "A reply to an open question completes its tool, with this answer."
    catalogue = ("QT-12", "QT-13")
    obeyed_by = OfOpenCode.obeyed_by

    def on_applied(self, call: CallView) -> str | None:
        tool = self.view.tools.get(call.id) if call.what == REPLY else None
        if tool is None or not isinstance(call.reply, HttpResponse) or not call.reply.is_ok:
            return None
        self.exercised += 1
        if tool.is_open:
            return f"{call.callee} takes a reply to {call.id}, which stays open"
        if tool.closes[:1] == ["replied by http"] and tool.state != "completed":
            return f"{call.callee} leaves the tool of {call.id} {tool.state}"
        return None


class FirstCloseWins(OfOpenCode):
    name = "first-close-wins"
    sentence = "A question is closed once: what comes later changes nothing."
    catalogue = ("QT-13", "I1", "I9")
    IN_LOGS = True

    def on_closed(self, tool: ToolView) -> str | None:
        self.exercised += 1
        if len(tool.closes) == 1:
            return None
        return f"{tool.host} closes {tool.id} again: {', then '.join(tool.closes)}"


class ToolsEndByAnswers(OfOpenCode):
    name = "tools-end-by-answers"
    sentence = "A tool is completed by a reply over the API, or at the desk, and by nothing else."
    catalogue = ("QT-01", "QT-13")
    IN_LOGS = True

    def __init__(self, view: QuestionView) -> None:
        super().__init__(view)
        self._asked: dict[tuple[str, str], None] = {}

    def on_issued(self, call: CallView) -> None:
        if call.what in (REPLY, REJECT):
            self._asked[call.what, call.id] = None

    def on_closed(self, tool: ToolView) -> str | None:
        self.exercised += 1
        how = tool.closes[-1]
        if how.startswith("replied") and tool.state not in ("completed",):
            return f"{tool.host} has the tool of {tool.id} {tool.state}, though it is answered"
        if how.startswith("rejected") and tool.state != "error":
            return f"{tool.host} has the tool of {tool.id} {tool.state}, though it is dismissed"
        if not how.endswith("by http"):
            return None
        wanted = REPLY if how.startswith("replied") else REJECT
        if (wanted, tool.id) in self._asked:
            return None
        return f"{tool.host} closes {tool.id} ({how}), and nobody has asked for it"
