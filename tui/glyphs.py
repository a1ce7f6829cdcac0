"""Our signs for terminals that have ASCII only."""

from __future__ import annotations

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

ASCII = str.maketrans(
    {
        **dict.fromkeys("│┃▏▕║", "|"),
        **dict.fromkeys("─━═╌┄▔▁▀▄", "-"),
        **dict.fromkeys("┌┐└┘┏┓┗┛╭╮╰╯┼├┤┬┴╔╗╚╝", "+"),
        **dict.fromkeys("●•·▮◆", "*"),
        **dict.fromkeys("▶→▸", ">"),
        **dict.fromkeys("◀←◂", "<"),
        "┊": ":",
        "┈": ".",
        "╳": "x",
        "…": "~",
        "⏎": "/",
        "⚡": "!",
        "≠": "#",
        "█": "#",
        "░": ".",
        "↑": "^",
        "↓": "v",
        "✓": "x",
        "’": "'",
        "“": '"',
        "”": '"',
    }
)


def to_ascii(text: str) -> str:
    """Our own signs by their stand-ins, in as many cells; other texts get question marks."""
    if text.isascii():
        return text
    told = text.translate(ASCII)
    if told.isascii():
        return told
    from rich.cells import cell_len

    return "".join(sign if sign.isascii() else "?" * cell_len(sign) for sign in told)


class AsciiFilter(LineFilter):
    """Applied to every line of the screen, borders and widgets of others included."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The segments with stand-ins."""
        return [
            Segment(to_ascii(text), style, control)
            if not control
            else Segment(text, style, control)
            for text, style, control in segments
        ]
