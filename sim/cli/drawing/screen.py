"""Rows painted for a terminal: time, lifelines with arrows, words beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.text import Text

from sim.cli.drawing.layout import MARGIN, STEP, Layout, lay_out, lifelines
from sim.cli.drawing.rows import Row, rows_of
from sim.cli.drawing.shorten import shorten
from sim.cli.terminal import clean

if TYPE_CHECKING:
    from rich.console import Console

    from sim.scenario.playing.result import Result


LIFE, MARK, CROSS, LOST = "│", "●", "┼", "╳"
LINE, DASHES = "─", "╌"
RIGHT, LEFT = "▶", "◀"

STYLES = {
    "frame": "default",
    "call": "blue",
    "person": "magenta",
    "link": "green",
    "lost": "red",
    "mark": "default",
    "banner": "bold red",
    "gap": "dim",
}


def fit(text: str, room: int) -> str:
    """A text of at most ``room`` columns; one that was cut ends in an ellipsis."""
    if cell_len(text) <= room:
        return text
    return set_cell_size(text, room - 1).rstrip() + "…" if room > 0 else ""


def wrap(text: str, room: int) -> list[str]:
    """A text in lines of at most ``room`` columns, broken between words where possible."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if cell_len(longer) <= room:
            lines[-1] = longer
            continue
        pieces = chop_cells(word, max(room, 2))
        lines += pieces if lines[-1] else []
        if not lines[0]:
            lines[:] = pieces
    return lines


class _Canvas:
    """One line of narrow signs, each with its style."""

    def __init__(self, width: int) -> None:
        self.signs = [" "] * width
        self.styles = ["default"] * width

    def put(self, column: int, text: str, style: str = "default") -> None:
        """Write narrow signs; what does not fit is dropped."""
        for offset, sign in enumerate(text):
            if 0 <= column + offset < len(self.signs):
                self.signs[column + offset] = sign
                self.styles[column + offset] = style

    def text(self) -> Text:
        line = Text(no_wrap=True, overflow="crop")
        for sign, style in zip(self.signs, self.styles, strict=True):
            line.append(sign, style)
        return line


def paint(rows: Iterable[Row], layout: Layout) -> Iterator[Text]:
    """The drawing, line by line; the first lines name the lifelines."""
    yield from _header(layout)
    down: dict[str, None] = {}
    for row in rows:
        if row.effect == "down":
            down[row.source] = None
        if row.shape == "banner":
            yield from _banner(row, layout)
        else:
            yield _line(row, layout, down)
        if row.effect == "up":
            down.pop(row.source, None)


def _header(layout: Layout) -> Iterator[Text]:
    names = [(name, clean(name)) for name, _ in layout.hosts]
    kinds = [(name, clean(kind)) for name, kind in layout.hosts]
    title = _centred(names, layout, "bold")
    title.plain = " step" + title.plain[STEP:] if not title.plain[:STEP].strip() else title.plain
    yield title
    if any(kind and kind != name for name, kind in layout.hosts):
        yield _centred(kinds, layout, "dim")


def _centred(labels: list[tuple[str, str]], layout: Layout, style: str) -> Text:
    """Labels over their lifelines, wide signs counted as what they are."""
    line = Text(no_wrap=True)
    for host, label in labels:
        text = fit(label, max(layout.gap - 1, 3))
        start = max(0, layout.at[host] - (cell_len(text) - 1) // 2, line.cell_len)
        line.append(" " * (start - line.cell_len))
        line.append(text, style)
    return line


def _banner(row: Row, layout: Layout) -> Iterator[Text]:
    """What broke, in as many lines as it takes."""
    step = f"{row.n:{STEP}d}"
    for number, line in enumerate(wrap(clean(row.detail), layout.width - MARGIN - 2)):
        margin = f"{'' if number else step:{MARGIN}}"
        sign = "  " if number else f"{row.label} "
        yield Text(margin + sign + line, STYLES["banner"], no_wrap=True)


def _line(row: Row, layout: Layout, down: dict[str, None]) -> Text:
    canvas = _Canvas(min(layout.beside, layout.width))
    if row.shape != "gap":
        canvas.put(0, f"{row.n:{STEP}d} {row.at / 1e6:9.3f}", "dim")
    for host, column in layout.at.items():
        canvas.put(column, " " if host in down else LIFE, "dim")
    on_arrow = _arrow(canvas, row, layout)
    words = Text(no_wrap=True)
    label = "" if on_arrow else clean(row.label)
    if row.shape == "mark":
        label = f"{clean(row.source)} {label}"
    label = fit(label, layout.room)
    words.append(label, STYLES[row.shape])
    rest = layout.room - cell_len(label) - 1
    detail = clean(row.detail)
    if detail and rest > 1:
        words.append((" " if label else "") + fit(detail, rest), "dim" if label else "default")
    return canvas.text().append(words)


def _arrow(canvas: _Canvas, row: Row, layout: Layout) -> bool:
    """Draw the arrow or the mark; whether the label stands on it."""
    start, end = layout.at.get(row.source), layout.at.get(row.target)
    if start is None or end is None or row.shape == "gap":
        return False
    style = STYLES[row.shape]
    if start == end:
        canvas.put(start, MARK, style)
        return False
    low, high = min(start, end), max(start, end)
    fill = DASHES if row.shape in ("call", "link") else LINE
    canvas.put(low + 1, fill * (high - low - 1), style)
    for column in layout.at.values():
        if low < column < high:
            canvas.put(column, CROSS, style)
    if row.shape == "lost":
        canvas.put((start + 3 * end) // 4, LOST, style)
    else:
        canvas.put(high - 1 if end > start else low + 1, RIGHT if end > start else LEFT, style)
    label = clean(row.label)
    room = (high - low - 1) - (8 if row.shape == "lost" else 4)
    if not layout.is_roomy or cell_len(label) != len(label) or len(label) > room:
        return False
    middle = (low + high) // 2 if row.shape != "lost" else (3 * start + 2 * end) // 5
    canvas.put(middle - (len(label) + 1) // 2, f" {label} "[: high - low - 2], style)
    return True


def draw(result: Result, screen: Console, *, every: bool = False) -> Iterator[Text]:
    """The whole run for this screen; long ones are shortened unless ``every``."""
    rows = rows_of(result.trace, names=result.names, violations=result.violations, every=every)
    if not every:
        rows = shorten(rows)
    layout = lay_out(lifelines(result.trace.header.hosts, rows), screen.width)
    return paint(rows, layout)
