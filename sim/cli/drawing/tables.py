"""A transition table as a picture: states in a row, ways forward above, ways back below.

Each way has a track of its own, so that no label covers another; what leads a state to itself
stands in its box. The same table gives the same picture.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, Final
from xml.sax.saxutils import quoteattr

import attrs

from sim.cli.drawing.svg import escaped
from sim.core.table import Table

BOX, PITCH, LEFT = 132, 218, 58
"""Pixels: a state's width, from one state to the next, in front of the first."""

SIGN, LINE = 6.6, 14
"""Width and height of a sign of a label."""

LABEL, INSIDE = 22, 16
"""Signs of a label's line, at most; INSIDE: of one within a box."""

COLOURS: Final = """
svg.states, .table { --s-ink: #1f2328; --s-soft: #59636e; --s-paper: #ffffff; --s-line: #afb8c1;
  --s-back: #8250df; --s-done: #0969da; }
"""
DARK: Final = """ { --s-ink: #e6edf3; --s-soft: #9198a1; --s-paper: #0d1117;
  --s-line: #4b535d; --s-back: #ab7df8; --s-done: #4493f8; }
"""
STYLE: Final = """
svg.states text { font: 11px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono",
  monospace; fill: var(--s-ink); }
svg.states .way path { fill: none; stroke: var(--s-line); stroke-width: 1.4; }
svg.states .way .tip { fill: var(--s-line); stroke: none; }
svg.states .back path { stroke: var(--s-back); stroke-dasharray: 5 3; opacity: .75; }
svg.states .back .tip { fill: var(--s-back); }
svg.states .words text { paint-order: stroke; stroke: var(--s-paper); stroke-width: 4px; }
svg.states rect { fill: var(--s-paper); stroke: var(--s-ink); stroke-width: 1.4; }
svg.states rect.end { fill: none; stroke-width: 1; }
svg.states .name { font-weight: 700; font-size: 12px; }
svg.states .self { fill: var(--s-soft); }
svg.states .first { fill: var(--s-ink); }
svg.states .done > path { stroke: var(--s-done); stroke-width: 2.2; opacity: 1; }
svg.states .done > .tip { fill: var(--s-done); }
svg.states tspan.done { fill: var(--s-done); font-weight: 700; }
svg.states .done > rect { stroke: var(--s-done); stroke-width: 2.4; }
"""


@attrs.define
class _Way:
    """All triggers that lead from one state to another. ``track`` counts from the states."""

    source: int
    target: int
    lines: list[list[str]]
    start: float = 0.0
    end: float = 0.0
    track: int = 0

    @property
    def is_forward(self) -> bool:
        return self.source < self.target

    @property
    def span(self) -> int:
        return abs(self.source - self.target)

    @property
    def middle(self) -> float:
        return (self.start + self.end) / 2

    @property
    def range(self) -> tuple[float, float]:
        """The columns that its track must keep free, label included."""
        wide = max(sum(map(len, line)) + 2 * len(line) for line in self.lines) * SIGN / 2
        low, high = sorted((self.start, self.end))
        return min(low, self.middle - wide) - 6, max(high, self.middle + wide) + 6


def picture_of(table: Table) -> str:
    """A whole SVG file, for light and dark; it loads nothing."""
    dark = f"@media (prefers-color-scheme: dark) {{ svg.states{DARK} }}"
    return draw_table(table, f"<style>{COLOURS}{dark}{STYLE}</style>") + "\n"


def draw_table(table: Table, style: str = "") -> str:
    """The picture as an element; the style stands elsewhere, or in front of it."""
    ways = _ways(table)
    above, below = (
        _Side(w for w in ways if w.is_forward),
        _Side(w for w in ways if not w.is_forward),
    )
    top = above.height + 12
    loops = [_folded(_loops(table, state), INSIDE) for state in table.states]
    tall = 34 + LINE * max(map(len, loops), default=0)
    width = LEFT + PITCH * (len(table.states) - 1) + BOX + 20
    height = top + tall + below.height + 12
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="states" width="{width}" '
        f'height="{height:g}" viewBox="0 0 {width} {height:g}" role="img">',
        f"<title>{escaped(table.role)}: states and what leads from one to another</title>",
        style,
        *(above.drawn(table, top, -1)),
        *(below.drawn(table, top + tall, 1)),
        _entry(table, top + tall / 2),
        *(_box(table, n, top, tall, loops[n]) for n in range(len(table.states))),
        "</svg>",
    ]
    return "".join(parts)


def _ways(table: Table) -> list[_Way]:
    """Those between different states, with ports: short ones on the outside of a box."""
    triggers: dict[tuple[int, int], list[str]] = {}
    for state, trigger in table.rows():
        after = table.after(state, trigger)
        assert after is not None
        ends = table.states.index(state), table.states.index(after)
        if ends[0] != ends[1]:
            triggers.setdefault(ends, []).append(trigger)
    ways = [_Way(*ends, _folded(names)) for ends, names in triggers.items()]
    for n in range(len(table.states)):
        for forward in (True, False):
            mine = [w for w in ways if w.is_forward is forward and n in (w.source, w.target)]
            _put_ports(n, mine)
    return ways


def _put_ports(n: int, ways: list[_Way]) -> None:
    """Places at one edge of a box, from left to right; no two ways cross at their ends."""
    to_left = sorted((w for w in ways if min(w.source, w.target) < n), key=lambda w: w.span)
    to_right = sorted((w for w in ways if max(w.source, w.target) > n), key=lambda w: -w.span)
    ordered = [*to_left, *to_right]
    for place, way in enumerate(ordered):
        x = LEFT + PITCH * n + BOX * (place + 1) / (len(ordered) + 1)
        if way.source == n:
            way.start = x
        else:
            way.end = x


def _loops(table: Table, state: str) -> list[str]:
    return [t for t in table.allowed(state) if table.after(state, t) == state]


def _folded(words: Sequence[str], room: int = LABEL) -> list[list[str]]:
    """Words in lines of at most so many signs; a word is never broken here."""
    lines: list[list[str]] = []
    for word in words:
        used = sum(map(len, lines[-1])) + 2 * len(lines[-1]) if lines else room
        if used + len(word) > room:
            lines.append([])
        lines[-1].append(word)
    return lines


class _Side:
    """The ways above the states, or those below them, each on a track of its own."""

    def __init__(self, ways: Iterable[_Way]) -> None:
        self.ways = sorted(ways, key=lambda w: (w.span, w.source))
        taken: list[list[tuple[float, float]]] = []
        for way in self.ways:
            low, high = way.range
            # Never nearer to the states than what it spans: else it would cross that.
            inner = [w.track + 1 for w in self.ways if w.span < way.span and _meet(w, way)]
            way.track = max(inner, default=0)
            while way.track < len(taken) and any(a < high and low < b for a, b in taken[way.track]):
                way.track += 1
            taken += [[] for _ in range(way.track + 1 - len(taken))]
            taken[way.track].append((low, high))
        lines = [max((len(w.lines) for w in self.ways if w.track == t), default=1)
                 for t in range(len(taken))]  # fmt: skip
        self._tops = list(accumulate((LINE * n + 14 for n in lines), initial=0))
        self.height = self._tops[-1] + (10 if taken else 0)

    def drawn(self, table: Table, edge: float, way: int) -> Iterator[str]:
        """Lines and labels; ``edge`` is that of the boxes, ``way`` 1 is downwards."""
        labels = []
        for one in self.ways:
            deep = self._tops[one.track] + 18
            # Labels stand over their line, on both sides of the states.
            extra = LINE * len(one.lines) if way > 0 else 0
            y = edge + way * (deep + extra)
            label = _label(table, one, y - LINE * len(one.lines) + LINE - 5)
            kind = "way" if one.is_forward else "way back"
            ends = (f"data-from={quoteattr(table.states[one.source])} "
                    f"data-to={quoteattr(table.states[one.target])}")  # fmt: skip
            tip = f"M{one.end:g} {edge + way:g}l-4.5 {8 * way}h9z"
            yield (
                f'<g class="{kind}" {ends}><path d="{_bend(one, edge, y, way)}"/>'
                f'<path class="tip" d="{tip}"/></g>'
            )
            labels.append(f'<g class="words" {ends}>{label}</g>')
        yield from labels  # above all lines


def _meet(a: _Way, b: _Way) -> bool:
    (low, high), (left, right) = a.range, b.range
    return low < right and left < high


def _bend(way: _Way, edge: float, y: float, down: int) -> str:
    """Out of a box, along the track, into the other box; corners are round."""
    side = 6 if way.end > way.start else -6
    turn = 6 * down
    return (
        f"M{way.start:g} {edge:g}V{y - turn:g}q0 {turn} {side} {turn}"
        f"H{way.end - side:g}q{side} 0 {side} {-turn}V{edge + 8 * down:g}"
    )


def _label(table: Table, way: _Way, y: float) -> str:
    state = table.states[way.source]
    return "".join(
        f'<text x="{way.middle:g}" y="{y + LINE * n:g}" text-anchor="middle">'
        f"{_words(state, line)}{',' if n + 1 < len(way.lines) else ''}</text>"
        for n, line in enumerate(way.lines)
    )


def _words(state: str, triggers: list[str]) -> str:
    return ", ".join(
        f"<tspan data-state={quoteattr(state)} data-trigger={quoteattr(one)}>{escaped(one)}</tspan>"
        for one in triggers
    )


def _entry(table: Table, y: float) -> str:
    """The dot where all begins, and its arrow."""
    x = LEFT + PITCH * table.states.index(table.initial)
    return (
        f'<circle class="first" cx="{x - 36:g}" cy="{y:g}" r="5"/>'
        f'<g class="way"><path d="M{x - 30:g} {y:g}h22"/>'
        f'<path class="tip" d="M{x - 1:g} {y:g}l-8 -4.5v9z"/></g>'
    )


def _box(table: Table, n: int, top: float, tall: float, loops: list[list[str]]) -> str:
    """A state; one that nothing leads out of has a double edge."""
    state, x = table.states[n], LEFT + PITCH * n
    middle = x + BOX / 2
    at: Any = f'width="{BOX}" height="{tall:g}" rx="8"'
    parts = [f'<rect x="{x}" y="{top:g}" {at}/>']
    if not table.allowed(state):
        inner = f'width="{BOX - 8}" height="{tall - 8:g}" rx="5"'
        parts.append(f'<rect class="end" x="{x + 4}" y="{top + 4:g}" {inner}/>')
    y = top + (21 if loops else tall / 2 + 4)
    parts.append(f'<text class="name" x="{middle:g}" y="{y:g}" text-anchor="middle">'
                 f"{escaped(state)}</text>")  # fmt: skip
    for k, line in enumerate(loops):
        mark = "↻ " if k == 0 else ""
        parts.append(
            f'<text class="self" x="{middle:g}" y="{y + LINE * (k + 1) + 2:g}" '
            f'text-anchor="middle">{mark}{_words(state, line)}</text>'
        )
    return f"<g data-state={quoteattr(state)}>{''.join(parts)}</g>"


__all__ = ["COLOURS", "DARK", "STYLE", "draw_table", "picture_of"]
