"""A run as an SVG picture: the diagram, the channel below it, the verdict.

It carries its own style (light and dark) and loads nothing from anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from rich.cells import cell_len
from rich.text import Text

from sim.cli.drawing.layout import MARGIN, STEP, Layout, lay_out, lifelines
from sim.cli.drawing.rows import Row, rows_of
from sim.cli.drawing.screen import fit, wrap
from sim.cli.drawing.shorten import shorten
from sim.cli.drawing.telling import Names
from sim.cli.report.channel import read_channels, tell_channels
from sim.cli.terminal import clean

if TYPE_CHECKING:
    from sim.scenario.playing.result import Result

COLUMNS = 150
CELL = 7.25
"""Width of one column in pixels, for 12 px monospace."""

ROW = 24
TOP = 64
STYLE = """
svg { --ink: #1f2328; --soft: #656d76; --paper: #ffffff; --line: #d0d7de;
  --call: #0969da; --person: #8250df; --link: #1a7f37; --bad: #cf222e; }
@media (prefers-color-scheme: dark) { svg { --ink: #e6edf3; --soft: #8d96a0; --paper: #0d1117;
  --line: #30363d; --call: #4493f8; --person: #ab7df8; --link: #3fb950; --bad: #f85149; } }
.paper { fill: var(--paper); }
text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  fill: var(--ink); white-space: pre; }
.soft { fill: var(--soft); } .strong { font-weight: 600; }
.life { stroke: var(--line); stroke-width: 1.5; }
.box { fill: var(--paper); stroke: var(--line); stroke-width: 1.5; }
.arrow { fill: none; stroke: var(--ink); stroke-width: 1.4; } .head { fill: var(--ink); }
.call .arrow, .link .arrow { stroke-dasharray: 5 3; }
.call .arrow { stroke: var(--call); } .call .head, .call text { fill: var(--call); }
.person .arrow { stroke: var(--person); } .person .head, .person text { fill: var(--person); }
.link .arrow { stroke: var(--link); } .link .head, .link text { fill: var(--link); }
.lost .arrow { stroke: var(--bad); } .lost text, .banner text { fill: var(--bad); }
.dot { fill: var(--ink); } .lost .cross { stroke: var(--bad); stroke-width: 2; }
.call text.soft, .person text.soft, .link text.soft, .lost text.soft { fill: var(--soft); }
"""
CHIP_COLOURS = {
    "WORKING": "#bf8700",
    "QUEUED": "#1b7c83",
    "OK": "#1a7f37",
    "FAILED": "#cf222e",
    "CANCELLED": "#656d76",
    "INTERRUPTED": "#8250df",
    "REJECTED": "#cf222e",
}


def draw(result: Result) -> str:
    """The whole picture."""
    rows = shorten(rows_of(result.trace, names=result.names, violations=result.violations))
    layout = lay_out(lifelines(result.trace.header.hosts, rows), COLUMNS)
    tops = list(accumulate((ROW * _lines_of(row) for row in rows), initial=TOP))
    bottom = tops[-1] + ROW // 2
    messages = list(
        tell_channels(read_channels(result.trace.events), Names(result.names), COLUMNS - 8)
    )
    height = bottom + ROW * (len(messages) + 3)
    width = round(COLUMNS * CELL)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img">',
        f"<title>{escaped(result.scenario)}: a run with seed {result.seed}</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="paper" width="{width}" height="{height}" rx="8"/>',
        *_lifelines(layout, bottom),
        *(_row(row, layout, top + ROW // 2) for row, top in zip(rows, tops, strict=False)),
        *_channels(messages, bottom + ROW),
        _verdict(result, bottom + ROW * (len(messages) + 2)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def escaped(text: str) -> str:
    """A text within an SVG: one harmless line."""
    return escape(clean(text), {'"': "&quot;"})


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "") -> str:
    middle = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x:g}" y="{y:g}" class="{kind}"{middle}>{escaped(text)}</text>'


def _lifelines(layout: Layout, bottom: int) -> Iterator[str]:
    for host, kind in layout.hosts:
        x = layout.at[host] * CELL
        wide = min(layout.gap * CELL - 10, 130)
        yield f'<line class="life" x1="{x:g}" x2="{x:g}" y1="{TOP - 8}" y2="{bottom}"/>'
        yield (
            f'<rect class="box" x="{x - wide / 2:g}" y="14" width="{wide:g}" height="38" rx="6"/>'
        )
        other = kind and kind != host
        room = int(wide / CELL)
        yield _text(x, 30 if other else 37, fit(clean(host), room), "strong", "middle")
        if other:
            yield _text(x, 45, fit(clean(kind), room), "soft", "middle")


def _banner_lines(row: Row) -> list[str]:
    return wrap(f"{row.label} step {row.n}: {clean(row.detail)}", COLUMNS - MARGIN - 4)


def _lines_of(row: Row) -> int:
    """How many lines a row takes."""
    return len(_banner_lines(row)) if row.shape == "banner" else 1


def _banner(row: Row, y: int) -> str:
    """What broke, in as many lines as it takes."""
    lines = _banner_lines(row)
    tall = ROW * (len(lines) - 1) + 22
    box = f'<rect class="paper" x="0" y="{y - 11}" width="100%" height="{tall}"/>'
    left = MARGIN * CELL
    texts = (_text(left, y + 4 + ROW * n, one, "strong") for n, one in enumerate(lines))
    return f'<g class="banner">{box}{"".join(texts)}</g>'


def _row(row: Row, layout: Layout, y: int) -> str:
    """One row: time, arrow or mark, words."""
    beside = layout.beside * CELL
    if row.shape == "banner":
        return _banner(row, y)
    when = f"{row.n:{STEP}d} {row.at / 1e6:9.3f}"
    time = "" if row.shape == "gap" else _text(2, y + 4, when, "soft")
    on_arrow, shapes = _arrow(row, layout, y)
    words = "" if on_arrow else row.label
    if row.shape == "mark":
        words = f"{row.source} {words}"
    words = fit(clean(words), layout.room - 2)
    lines = [time, shapes]
    if words:
        lines.append(_text(beside, y + 4, words))
    detail = fit(clean(row.detail), layout.room - 2 - cell_len(words))
    if detail:
        left = beside + (cell_len(words) + 1) * CELL if words else beside
        lines.append(_text(left, y + 4, detail, "soft"))
    return f'<g class="{row.shape}">{"".join(lines)}</g>'


def _arrow(row: Row, layout: Layout, y: int) -> tuple[bool, str]:
    """Whether the label stands on the arrow, and the shapes."""
    start, end = layout.at.get(row.source), layout.at.get(row.target)
    if start is None or end is None or row.shape == "gap":
        return False, ""
    left, right = start * CELL, end * CELL
    if start == end:
        return False, f'<circle class="dot" cx="{left:g}" cy="{y}" r="4"/>'
    way = 1 if right > left else -1
    label = fit(clean(row.label), int(abs(right - left) / CELL) - 3)
    shapes = [f'<line class="arrow" x1="{left:g}" x2="{right - 2 * way:g}" y1="{y}" y2="{y}"/>']
    if row.shape == "lost":
        x = (left + 3 * right) / 4
        shapes.append(
            f'<path class="cross" d="M{x - 5:g} {y - 5}l10 10M{x - 5:g} {y + 5}l10 -10"/>'
        )
    else:
        shapes.append(f'<path class="head" d="M{right:g} {y}l{-8 * way} -4.5l0 9z"/>')
    shapes.append(_text((left + right) / 2, y - 4, label, "", "middle"))
    return True, "".join(shapes)


def _channels(messages: list[Text], top: int) -> Iterator[str]:
    yield _text(6 * CELL, top, "The channel at the end", "strong")
    for n, line in enumerate(messages):
        yield _message(line, 6 * CELL, top + ROW * (n + 1))


def _message(line: Text, left: float, y: int) -> str:
    """A line of the channel view; a state becomes a coloured chip."""
    shapes, column = [], 0
    bounds = sorted({0, len(line.plain), *(e for s in line.spans for e in (s.start, s.end))})
    for start, end in pairwise(bounds):
        piece = line.plain[start:end]
        x, colour = left + column * CELL, CHIP_COLOURS.get(piece.strip())
        column += cell_len(piece)
        if colour and piece.startswith(" "):
            wide = cell_len(piece) * CELL
            box = f'x="{x:g}" y="{y - 12}" width="{wide:g}" height="16" rx="4"'
            shapes.append(f'<rect {box} fill="{colour}"/>')
            middle = f'x="{x + wide / 2:g}" y="{y}" text-anchor="middle"'
            shapes.append(f'<text {middle} style="fill: #fff">{piece.strip()}</text>')
        elif piece.strip():
            bare = piece.lstrip()
            kind = "soft" if bare.startswith("(") else ""
            shapes.append(_text(x + (len(piece) - len(bare)) * CELL, y, bare, kind))
    return "".join(shapes)


def _verdict(result: Result, y: int) -> str:
    sign, colour = ("✓", "var(--link)") if result.ok else ("✗", "var(--bad)")
    words = f"{sign} {result.scenario}, seed {result.seed}, {result.virtual_s:.3f} virtual seconds"
    return (
        f'<text x="{6 * CELL:g}" y="{y}" class="strong" style="fill: {colour}">'
        f"{escaped(words)}</text>"
    )
