"""Pictures of screens: as SVG, as text, as PNG."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len

from sim.core.errors import UsageError

if TYPE_CHECKING:
    from textual.app import App

FORMATS = (".svg", ".txt", ".png")


def screen_text(app: App[Any]) -> str:
    """The screen as lines of text, blanks at their ends left out."""
    width, _ = app.size
    rows = []
    for strip in app.screen._compositor.render_strips():
        text = "".join(segment.text for segment in strip if not segment.control)
        rows.append(text.rstrip() if cell_len(text) <= width else text[:width].rstrip())
    return "\n".join(rows) + "\n"


def screen_svg(app: App[Any]) -> str:
    """The screen as an SVG that loads nothing from anywhere: the reader's own fonts will do."""
    svg = app.export_screenshot(title="hooktwin")
    return _FONT_FACE.sub("", svg).replace("Fira Code", "ui-monospace, Menlo, Consolas, Fira Code")


_FONT_FACE = re.compile(r"@font-face\s*\{[^}]*\}\s*")


def write_picture(app: App[Any], path: Path) -> None:
    """Write the screen in the format of the file's ending.

    Raises UsageError for another ending, or where no PNG can be made; OSError.
    """
    ending = path.suffix.lower()
    if ending == ".txt":
        path.write_text(screen_text(app), encoding="utf-8")
    elif ending == ".svg":
        path.write_text(screen_svg(app), encoding="utf-8")
    elif ending == ".png":
        path.write_bytes(_png(screen_svg(app)))
    else:
        raise UsageError(f"{path}: give a name that ends in {', '.join(FORMATS)}")


def _png(svg: str) -> bytes:
    try:
        import cairosvg  # type: ignore[import-untyped, import-not-found, unused-ignore]
    except (ImportError, OSError) as error:
        raise UsageError(
            "a PNG needs the package cairosvg (pip install cairosvg) and the library cairo; "
            "an .svg needs neither"
        ) from error
    made: bytes = cairosvg.svg2png(bytestring=svg.encode())
    return made
