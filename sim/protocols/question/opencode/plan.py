"""What an OpenCode is told when it is made."""

from __future__ import annotations

import attrs

from sim.protocols.question.rules import QuestionRules


@attrs.frozen(kw_only=True)
class OpenCodePlan:
    """One OpenCode process.

    ``hook``: the host of its plugin, "" for none. ``directory``: the project it was
    started in, meant where a request or an act names none. ``sessions``: session id →
    its project directory, in the order of ``GET /session``; a session that an act names
    first is added to them.
    """

    hook: str = "hook"
    directory: str = "/proj"
    sessions: dict[str, str] = attrs.field(factory=dict)
    rules: QuestionRules = attrs.field(factory=QuestionRules)
