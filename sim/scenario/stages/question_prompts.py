"""What agents call, as acts: an arrow ``question (…)``, or what OpenCode tells its hook."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import attrs

from sim.protocols.question import acts
from sim.protocols.question.constants import QUESTION
from sim.protocols.question.words import CALL_IDS, TOOL_IN_LIST
from sim.scenario.playing.match import Names
from sim.scenario.stages.question_cast import Cast
from sim.scenario.stages.question_ledger import new_id
from sim.scenario.syntax import FrameText, Name
from sim.scenario.values import DURATION, duration_of

SESSION: Final = "ses_1"
MS: Final = 1_000
_ASK: Final = {
    "sessionID": "session",
    "callID": "call",
    "requestID": "request",
    "directory": "directory",
    "question": "question",
    "header": "header",
    "options": "options",
    "multiple": "multiple",
    "more": "more",
    "namesCall": "names_call",
    "showsTool": "shows_tool",
}
"""Items of an arrow to fields of the act."""
_LISTS: Final = ("options", "more")


@attrs.define
class Prompter:
    """Makes acts of arrows. A name that stands for nothing yet gets an id that shows it."""

    cast: Cast
    names: Names

    def asks(self, text: FrameText) -> acts.Act:
        """The call that these items describe; what they leave out is as usual."""
        given = self._given(text)
        tool = given.get("tool", QUESTION)
        if tool != QUESTION or "args" in given:
            return acts.RunTool(
                session=str(given.get("sessionID", SESSION)),
                tool=str(tool),
                call=str(given.get("callID", "")),
                directory=str(given.get("directory", "")),
                args=given.get("args"),
            )
        fields: dict[str, Any] = {
            "session": SESSION,
            "names_call": self.cast.has(CALL_IDS),
            "shows_tool": self.cast.has(TOOL_IN_LIST),
        }
        for item, value in given.items():
            if item in _ASK:
                fields[_ASK[item]] = tuple(value) if item in _LISTS else value
        fields["listed_after_ms"] = _after_ms(given)
        return acts.Ask(**fields)

    def _given(self, text: FrameText) -> Mapping[str, Any]:
        given: dict[str, Any] = {}
        for item in text.items:
            if item.op == "present" or item.op == "enum":
                continue
            value = item.value
            given[item.path] = self._real(item.path, value) if isinstance(value, Name) else value
        return given

    def _real(self, field: str, name: Name) -> Any:
        real = self.names.get(name.text)
        if real is None:
            real = new_id(field, name.text)
            self.names.bind({name.text: real})
        return real


def _after_ms(given: Mapping[str, Any]) -> int:
    told = given.get("listedAfter")
    return 0 if told is None else duration_of(str(told)) // MS


def complaint_about_call(text: FrameText) -> str:
    """Why an agent cannot call that; "" when it can."""
    for item in text.items:
        value, path = item.value, item.path
        if isinstance(value, Name) or item.op == "present":
            continue
        if path == "listedAfter" and DURATION.fullmatch(str(value)) is None:
            return f"listedAfter takes a time such as 2s, not {value!r}"
        if path == "options" and not _are_texts(value):
            return 'options are a list of labels: options=["A","B"]'
        if path == "more" and not isinstance(value, list):
            return 'more is a list of questions: more=[{"question":"And?","options":[]}]'
        if path in ("namesCall", "showsTool", "multiple") and not isinstance(value, bool):
            return f"{path} is true or false"
        if path in ("question", "header") and not isinstance(value, str):
            return f"{path} is a text"
    return ""


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)
