"""The curve of blame: how likely the run still fails when it is left to chance from each step.

One column per thing that happens, or as many to a column as the width demands; the
places at which it rises most get letters and are told below.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

from rich.text import Text

from sim.cli.terminal import clean

if TYPE_CHECKING:
    from sim.explore.blame import Blamed

HEIGHT = 5
EIGHTHS = " ▁▂▃▄▅▆▇█"
PLAIN_EIGHTHS = "  ..::||#"
"""For streams that take no blocks."""

MARGIN = 8
LETTERS = "abcdefgh"


def tell_curve(curve: Sequence[Blamed], width: int, *, unicode: bool) -> Iterator[Text]:
    """The drawing and the steep places, in lines of at most ``width`` columns."""
    from sim.explore.blame import steep

    fold = -(-len(curve) // max(width - MARGIN - 1, 1))
    columns = [max(one.chance for one in curve[n : n + fold]) for n in range(0, len(curve), fold)]
    places = steep(curve)
    yield Text("  blame: how likely it still fails when all is random from a point on")
    for row in range(HEIGHT - 1, -1, -1):
        yield _row(columns, row, EIGHTHS if unicode else PLAIN_EIGHTHS)
    yield Text(f"{'':{MARGIN}}{_letters(places, fold, len(columns))}", "bold cyan")
    per = f", {fold} to a column" if fold > 1 else ""
    yield Text(f"{'':{MARGIN}}points 1 to {len(curve)}{per}", "dim")
    for letter, place in zip(LETTERS, places, strict=False):
        yield from _place(letter, curve, place, width)
    if not places:
        yield Text(f"{'':{MARGIN}}no point decides it: the chance hardly changes", "dim")


def _row(columns: Sequence[float], row: int, signs: str) -> Text:
    """One row of the drawing, the lowest is 0."""
    label = {HEIGHT - 1: "100 %", 0: "0 %"}.get(row, "")
    line = Text(f"{label:>{MARGIN - 2}}│ "[:MARGIN], "dim", no_wrap=True)
    cells = (signs[_eighths(chance * HEIGHT - row)] for chance in columns)
    return line.append("".join(cells), "yellow")


def _eighths(part: float) -> int:
    return round(8 * min(max(part, 0.0), 1.0))


def _letters(places: Sequence[int], fold: int, count: int) -> str:
    marks = [" "] * count
    for letter, place in zip(LETTERS, places, strict=False):
        marks[place // fold] = letter
    return "".join(marks).rstrip()


def _place(letter: str, curve: Sequence[Blamed], place: int, width: int) -> Iterator[Text]:
    from sim.explore.wording import happens

    before, after = curve[place - 1].chance, curve[place].chance
    told = f"point {place + 1}: {100 * before:.0f} % → {100 * after:.0f} %  "
    head = Text(f"    {letter}  ", "bold cyan").append(told, "default")
    # The step before has happened when the chance is the higher one.
    words = wrap(f"once {clean(happens(curve[place - 1].name))}", max(width - head.cell_len, 16))
    yield head.append(words[0], "dim")
    for more in words[1:]:  # hangs below its beginning
        yield Text(f"{'':{head.cell_len - len(words[0])}}{more}", "dim")


def to_json(curve: Sequence[Blamed]) -> list[dict[str, object]]:
    """Every step with its chance."""
    return [{"at": one.name, "chance": round(one.chance, 4)} for one in curve]
