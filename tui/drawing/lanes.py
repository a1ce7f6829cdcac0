"""The sequence diagram, one line per step: lifelines, and what goes between them.

``│`` alive, ``┊`` a handler of the host waits for an answer (an await gap), blank
while it is down. ``─▶`` a frame, ``═▶`` one that arrives again, ``╌▶`` a call or its
answer, ``┈▶`` what came through a hidden lane, ``╳`` what is lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import attrs
from rich.cells import cell_len

from sim.channel.services import SERVICES
from sim.view.diagram import Row
from sim.view.scene import Scene
from tui.drawing.lines import Line, Span, fit, fit_middle, harmless

CURSOR = 2
"""Columns at the left for the cursor's sign."""

TIME = 9
"""Columns for the time, where it is wanted."""

ALIVE, WAITS, DOWN = "│", "┊", " "
OUTSIDE = ("person", *SERVICES)
"""Whose waiting is not the subject: people, and channels with their webhooks."""

ROLE_OF = {
    "frame": "frame", "again": "warn", "call": "call", "answer": "call", "lost": "lost",
    "link": "link", "fault": "bad", "mark": "", "through": "dim",
}  # fmt: skip
STROKES = {
    "frame": "─", "again": "═", "lost": "─", "link": "┄", "call": "╌", "answer": "╌",
    "through": "┈",
}  # fmt: skip


@attrs.frozen
class Lanes:
    """Where the lifelines stand: ``at`` is the column of each host."""

    hosts: tuple[tuple[str, str], ...]
    at: Mapping[str, int]
    width: int
    timed: bool = False


def lay_out(
    hosts: Sequence[tuple[str, str]], width: int, *, timed: bool = False, hidden: Sequence[str] = ()
) -> Lanes:
    """Spread the lifelines over the width; hidden ones have no column.

    In less room than one lifeline needs, lines are wider than that, and cut off.
    """
    shown = tuple(host for host in hosts if host[0] not in hidden) or tuple(hosts)
    left = CURSOR + (TIME if timed else 0)
    half = 6
    width = max(width, left + 2 * half + len(shown))
    room = max(width - left - 2 * half, 1)
    gap = room / max(len(shown) - 1, 1)
    at = {name: left + half + round(gap * place) for place, (name, _) in enumerate(shown)}
    if len(shown) == 1:
        at = {shown[0][0]: left + room // 3}
    return Lanes(shown, at, width, timed)


def head_of(lanes: Lanes, titles: Mapping[str, str]) -> Line:
    """The names of the lanes, centred over their lifelines."""
    text = [" "] * lanes.width
    columns = list(lanes.at.values())
    gap = min((b - a for a, b in pairwise(columns)), default=lanes.width)
    for name, kind in lanes.hosts:
        title = fit(harmless(_title(name, titles.get(name, kind))), max(gap - 1, 3))
        start = max(lanes.at[name] - cell_len(title) // 2, 0)
        start = min(start, lanes.width - cell_len(title))
        _write(text, start, title)
    return Line((Span("".join(text).rstrip(), "head"),))


def _title(name: str, label: str) -> str:
    return name if not label or label.lower() == name.lower() else f"{name} {label}"


def signs_of(lanes: Lanes, scene: Scene | None) -> dict[str, str]:
    """The sign of each lifeline after a step."""
    if scene is None:
        return dict.fromkeys(lanes.at, ALIVE)
    waiting = {call.source: None for call in scene.calls.values()}
    kinds = dict(lanes.hosts)
    return {
        name: DOWN
        if not scene.is_up(name)
        else WAITS
        if name in waiting and kinds[name] not in OUTSIDE
        else ALIVE
        for name in lanes.at
    }


def line_of(row: Row, lanes: Lanes, signs: Mapping[str, str], *, cursor: bool, late: bool) -> Line:
    """One step. ``late``: it comes behind the cursor and is drawn faintly."""
    text = [" "] * lanes.width
    for name, column in lanes.at.items():
        text[column] = signs.get(name, ALIVE)
    if cursor:
        text[0] = "▶"
    if lanes.timed:
        _write(text, CURSOR, f"{row.at / 1e6:8.3f}")
    start, end = _draw(row, lanes, text)
    role = ROLE_OF[row.arrow]
    whole = "".join(text)
    if late:
        return Line((Span(whole.rstrip(), "late"),), row.n)
    base = "cursor" if cursor else "dim"
    pieces = (
        Span(_cells(text, 0, start), base),
        Span(_cells(text, start, end), "cursor" if cursor else role),
        Span(_cells(text, end, lanes.width).rstrip(), base),
    )
    return Line(tuple(piece for piece in pieces if piece.text), row.n)


def _cells(text: list[str], start: int, end: int) -> str:
    return "".join(text[start:end])


def _draw(row: Row, lanes: Lanes, text: list[str]) -> tuple[int, int]:
    """Put arrow or mark into the line; the columns that belong to it."""
    source, target = lanes.at.get(row.source), lanes.at.get(row.target)
    if source is None and target is None:
        return 0, 0
    if source is None or target is None or source == target:
        return _mark(row, lanes, text, source if source is not None else target or 0)
    return _arrow(row, lanes, text, source, target)


def _arrow(row: Row, lanes: Lanes, text: list[str], source: int, target: int) -> tuple[int, int]:
    left, right = min(source, target), max(source, target)
    stroke = STROKES.get(row.arrow, "─")
    for column in range(left + 1, right):
        text[column] = stroke
    forwards = target > source
    if row.arrow == "lost":
        text[left + 1 + (right - left) * 3 // 4 if forwards else left + (right - left) // 4] = "╳"
    elif forwards:
        text[right - 1] = "▶"
    else:
        text[left + 1] = "◀"
    room = right - left - 5
    label = harmless(f"{row.label} {row.detail}".strip())
    if row.arrow in ("answer",):
        label = harmless(row.label)
    label = _short(harmless(row.label), label, room)
    if label:
        place = left + 1 + (right - left - 1 - cell_len(label)) // 2
        _write(text, place - 1, f" {label} ")
    return left + 1, right


def _short(label: str, whole: str, room: int) -> str:
    """The whole text where it fits, else the label, shortened in its middle."""
    if room < 1:
        return ""
    if cell_len(whole) <= room:
        return whole
    if cell_len(label) + 4 <= room:
        return fit(whole, room)
    return fit_middle(label, room)


def _mark(row: Row, lanes: Lanes, text: list[str], column: int) -> tuple[int, int]:
    """A mark on one lane with its words behind it, or before it where there is more room."""
    text[column] = "╳" if row.arrow in ("lost", "fault") else "●"
    words = harmless(f"{_elsewhere(row, lanes)}{row.label}  {row.detail}".strip())
    right = lanes.width - column - 3
    left = column - (CURSOR + (TIME if lanes.timed else 0)) - 2
    if right >= min(cell_len(words), 24) or right >= left:
        words = fit(words, right)
        _write(text, column + 2, words)
        end = column + 2 + cell_len(words)
        if end < lanes.width:
            text[end] = " "
        return column, min(end + 1, lanes.width)
    words = fit(words, left)
    start = column - 1 - cell_len(words)
    _write(text, start, words)
    return start, column + 1


def _elsewhere(row: Row, lanes: Lanes) -> str:
    """The other end of an arrow, where its lane is hidden."""
    if row.source == row.target:
        return ""
    if row.source in lanes.at:
        return f"→ {row.target}  "
    return f"← {row.source}  "


def _write(text: list[str], start: int, words: str) -> None:
    """Put words into cells; a wide sign takes two of them."""
    column = max(start, 0)
    for sign in words:
        width = cell_len(sign)
        if width == 0 or column + width > len(text):
            continue
        text[column] = sign
        if width == 2:
            text[column + 1] = ""
        column += width


def nothing(lanes: Lanes, *, cursor: bool) -> Line:
    """A line of a run that has no step there."""
    text = [" "] * lanes.width
    for column in lanes.at.values():
        text[column] = ALIVE
    if cursor:
        text[0] = "▶"
    return Line((Span("".join(text).rstrip(), "late"),))


def from_column(one: Line, column: int) -> tuple[Span, ...]:
    """The pieces of a line from a column on. What stands before it must be narrow signs."""
    spans, place = [], 0
    for span in one.spans:
        end = place + len(span.text)
        if end > column:
            spans.append(Span(span.text[max(column - place, 0) :], span.role, span.act))
        place = end
    return tuple(spans)
