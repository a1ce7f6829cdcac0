"""What ``?`` and F1 say: made from the table of keys and from the views themselves."""

from __future__ import annotations

from collections.abc import Sequence

from tui.drawing.lines import Line, line, pad, wrap
from tui.keys import keys_of
from tui.language import Speech

GROUPS = {
    "time": "time", "filter": "filter", "branch": "branches and faults",
    "fault": "branches and faults", "cause": "causes", "row": "this step", "diagram": "diagram",
    "message": "messages", "host": "hosts", "compare": "compare", "lesson": "lesson",
    "explore": "explore", "screen": "screens", "focus": "panes", "pane": "panes",
    "app": "program", "start": "start",
}  # fmt: skip
"""The groups of keys by the first word of their ids, in the order in which they are told."""


LIVE = (
    "This session is going on: f, b, x, a and buttons branch nothing, they act on it at once. "
    "F follows its end; a step back stays where it is."
)


def all_keys(
    contexts: Sequence[str], speech: Speech, width: int, *, live: bool = False
) -> list[Line]:
    """Every key that works here, with its sentence, grouped; what is else in a running session."""
    groups: dict[str, list[Line]] = {}
    for key in keys_of(*contexts):
        group = GROUPS[key.id.partition(".")[0]]
        shown = key.keys.replace(",", " ").replace("ctrl+", "^")
        told = speech(key.help) + (f"  ({speech('also')}: {speech(key.also)})" if key.also else "")
        rows = wrap(told, width - 18)
        lines = groups.setdefault(group, [])
        lines.append(line((pad(f"  {shown}", 18), "strong"), rows[0]))
        lines += [line(" " * 18, row) for row in rows[1:]]
    found: list[Line] = []
    if live:
        rows = wrap(speech(LIVE), width)
        found = [line((speech("live session"), "head")), *map(line, rows), line()]
    for group in dict.fromkeys(GROUPS.values()):
        if group in groups:
            found += [line((speech(group), "head")), *groups[group], line()]
    return found


def about(text: str, speech: Speech, width: int) -> list[Line]:
    """What a screen is."""
    return [line(row) for row in wrap(speech(text), width)]
