"""How questions and entries stand when a call over HTTP ends, in words without ids."""

from __future__ import annotations

from sim.protocols.question.view import QuestionView
from sim.protocols.question.view_records import EntryView


def standing(view: QuestionView) -> str:
    """``completed running, claimed shown``: states of questions, then of entries, each sorted."""
    tools = sorted(tool.state for tool in view.tools.values())
    entries = sorted(map(_state, view.attempts.entries()))
    return f"{' '.join(tools)}, {' '.join(entries)}"


def _state(entry: EntryView) -> str:
    if entry.claim:
        return "claimed"
    if entry.waits:
        return "prompted" if entry.prompt else "awaiting"
    return "shown" if entry.message else "written"
