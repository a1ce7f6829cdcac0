"""Arrows out of a desktop, as instructions for the agent and the person there.

What they do cannot come from the protocol: progress, questions, answers and
errors of the agent, and what a person binds, sets or asks for, are taken from
the diagram. A frame that the twin sends by itself (an ack, a replay, a
cancelled end, the settings after a welcome) needs no instruction.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs

from sim.protocols.hook import acts
from sim.scenario.playing.match import Names
from sim.scenario.playing.stage import Direction
from sim.scenario.stages.hook_ledger import Ledger, Task
from sim.scenario.syntax import Arrow, FrameText, Name, Statement
from sim.scenario.tree import statements_in

# A one-pixel PNG: what an agent attaches when the diagram only says "attachments".
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAA"
    "DUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
DEFAULT_FILE = ("result.png", "image/png", PIXEL)
DEFAULT_BUTTONS = (("perm:allow", "Allow", "primary"), ("perm:deny", "Deny", "danger"))
AGENT_FRAMES = ("turn.progress", "turn.end")
# Frames that a person or a tool causes. Those with a field behind them are also
# sent by the twin itself; it is a person who does it if the diagram names the field.
OPERATED = {
    "bind.start": "",
    "bind.revoke": "",
    "prefs.get": "",
    "prefs.set": "",
    "provider.bind.start": "",
    "provider.bind.cancel": "",
    "provider.bind.revoke": "",
    "provider.prefs.get": "",
    "provider.prefs.set": "",
    "provider.behavior.get": "bindingId",
    "provider.behavior.set": "",
    "tool.request": "",
    "lifecycle.preference": "enabled",
}


@attrs.define
class Prompter:
    """Keeps count, so that default progress texts differ from each other."""

    ledger: Ledger
    names: Names
    progressed: int = 0

    def prompts(
        self,
        arrow: Arrow,
        text: FrameText,
        following: Iterable[Statement],
        prompted: dict[int, None],
    ) -> list[Direction]:
        """The acts that make ``arrow.source`` send this frame."""
        if text.type == "turn.reopen":
            return self._reopen(arrow, text, following, prompted)
        own = OPERATED.get(text.type)
        if own is not None:
            fields = operated_fields(text, self.names)
            if own and own not in fields:
                return []
            return [Direction(arrow.source, acts.Operate(text.type, fields))]
        act = self._agent_act(arrow.source, text)
        return [] if act is None else [Direction(arrow.source, act)]

    def _agent_act(self, desktop: str, text: FrameText) -> acts.Act | None:
        fields = field_values(text, self.names)
        request = fields.get("requestId")
        named = isinstance(request, str)
        task = self.ledger.open_task(desktop, request if named else None)
        awaited = self.ledger.spoken > 0 or desktop in self.ledger.armed
        if task is None and (named or not awaited):
            return None
        target = "" if task is None or desktop in self.ledger.armed else task.request
        return self._act(text, fields, target, task)

    def _act(
        self, text: FrameText, fields: dict[str, Any], target: str, task: Task | None
    ) -> acts.Act | None:
        if text.type == "turn.progress":
            self.progressed += 1
            default = f"Working on it ({self.progressed})"
            return acts.AgentProgresses(text=str(fields.get("text", default)), request=target)
        if text.type == "interaction.request":
            return _question(text, fields, target)
        if text.type == "turn.end" and "cancelled" not in fields.values():
            if task is not None:
                task.ending = True
            return _end(text, fields, target)
        return None

    def _reopen(
        self,
        arrow: Arrow,
        text: FrameText,
        following: Iterable[Statement],
        prompted: dict[int, None],
    ) -> list[Direction]:
        """Press retry, unless somebody did; then the round's first event, which claims."""
        desktop = arrow.source
        directions = []
        if desktop not in self.ledger.armed:
            old = field_values(text, self.names).get("reopenOf")
            retry = acts.Retry(request=old if isinstance(old, str) else "")
            directions.append(Direction(desktop, retry))
        first = _next_agent_arrow(desktop, following)
        if first is None:
            self.progressed += 1
            act: acts.Act | None = acts.AgentProgresses(text=f"Working on it ({self.progressed})")
        else:
            prompted[first.line] = None
            content = first.content
            assert isinstance(content, FrameText)
            act = self._act(content, field_values(content, self.names), "", None)
        if act is not None:
            directions.append(Direction(desktop, act))
        return directions


def field_values(text: FrameText, names: Names) -> dict[str, Any]:
    """What the items say about fields: real ids for bound names, strings for ``~``.

    A bare enum value stands under the field that has it; a name that is not
    bound yet and a field that must merely be there are left out.
    """
    values: dict[str, Any] = {}
    for item in text.items:
        if item.op == "enum":
            values[item.fields[0]] = item.value
        elif item.op in ("equals", "contains"):
            value = item.value
            if isinstance(value, Name):
                value = names.get(value.text)
            if value is not None:
                values[item.path] = value
    return values


def operated_fields(text: FrameText, names: Names) -> dict[str, Any]:
    """Payload fields that the diagram gives, null ones too; ``a.b`` is a field within ``a``."""
    fields: dict[str, Any] = {}
    given = field_values(text, names)
    for item in text.items:
        if item.op == "equals" and item.value is None:
            given[item.path] = None
    for path, value in given.items():
        *outer, last = path.split(".")
        inside = fields
        for name in outer:
            inside = inside.setdefault(name, {})
        inside[last] = value
    return fields


def _present(text: FrameText, field: str) -> bool:
    return any(item.path == field or item.path.startswith(field + "[") for item in text.items)


def _question(text: FrameText, fields: dict[str, Any], target: str) -> acts.AgentAsks:
    buttons = fields.get("buttons")
    triples: tuple[tuple[str, str, str], ...] = DEFAULT_BUTTONS
    if isinstance(buttons, list):
        triples = tuple(
            (str(b.get("id", n)), str(b.get("label", n)), str(b.get("style", "default")))
            for n, b in enumerate(buttons)
            if isinstance(b, dict)
        )
    remark = text.remarks[0] if text.remarks else "Allow this?"
    return acts.AgentAsks(
        kind=str(fields.get("kind", "permission")),
        title=str(fields.get("title", remark)),
        body=str(fields.get("body", "")),
        buttons=triples,
        request=target,
    )


def _end(text: FrameText, fields: dict[str, Any], target: str) -> acts.AgentEnds:
    message = fields.get("errorMessage")
    status = str(fields.get("status", "error" if message else "ok"))
    files: tuple[tuple[str, str, str], ...] = ()
    listed = fields.get("attachments")
    if isinstance(listed, list):
        files = tuple(
            (str(f.get("name", "file")), str(f.get("mimeType", "image/png")),
             str(f.get("dataBase64", PIXEL)))
            for f in listed if isinstance(f, dict)
        )  # fmt: skip
    elif _present(text, "attachments"):
        name = fields.get("attachments[0].name", DEFAULT_FILE[0])
        mime = fields.get("attachments[0].mimeType", DEFAULT_FILE[1])
        files = ((str(name), str(mime), PIXEL),)
    if status == "error":
        return acts.AgentEnds("error", "", str(message or "Something went wrong."), files, target)
    return acts.AgentEnds("ok", str(fields.get("finalText", "Done.")), "", files, target)


def _next_agent_arrow(desktop: str, following: Iterable[Statement]) -> Arrow | None:
    """The diagram's next progress or end out of this desktop."""
    for one in statements_in(following):
        if isinstance(one, Arrow) and one.source == desktop and isinstance(one.content, FrameText):
            if one.content.type in AGENT_FRAMES:
                return one
            if one.content.type == "turn.reopen":
                return None
    return None
