"""The pictures of README and docs are what hooktwin draws today."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from tests.cli.conftest import shell as shell
from tests.cli.screens import ROOT, Shell

DRAWING = runpy.run_path(str(ROOT / ".ci" / "draw_pictures.py"))
PICTURES, IMAGES = DRAWING["PICTURES"], DRAWING["IMAGES"]
REMEDY = "look at it, then: python .ci/draw_pictures.py"
SLOW = [name for name in PICTURES if name.startswith("tui-")]


@pytest.mark.parametrize("name", [name for name in PICTURES if name not in SLOW])
def test_a_picture_is_what_the_command_draws_today(name: str, shell: Shell, tmp_path: Path) -> None:
    command, option = PICTURES[name]
    shell(*command, option, tmp_path / name)
    assert (tmp_path / name).read_text("utf-8") == (IMAGES / name).read_text("utf-8"), REMEDY


@pytest.mark.deep
@pytest.mark.parametrize("name", SLOW)
def test_a_picture_of_the_terminal_is_what_it_shows_today(name: str, tmp_path: Path) -> None:
    DRAWING["draw"](name, tmp_path / name)
    assert (tmp_path / name).read_bytes() == (IMAGES / name).read_bytes(), REMEDY


def test_the_screenshot_shows_the_page_and_the_run_of_today() -> None:
    png = (IMAGES / "report.png").read_bytes()
    assert DRAWING["mark_in"](png) == DRAWING["mark_of_today"](), f"{REMEDY} report.png"


def test_a_mark_leaves_the_picture_as_it_is() -> None:
    png = (IMAGES / "report.png").read_bytes()
    other = DRAWING["marked"](png, "another")
    assert DRAWING["mark_in"](other) == "another"
    assert DRAWING["marked"](other, DRAWING["mark_in"](png)) == png


def test_every_picture_that_is_shown_is_drawn_here_or_by_a_browser() -> None:
    shown: set[str] = set()
    for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        shown |= set(
            re.findall(r"!\[[^\]]*\]\((?:docs/)?images/([^)]+)\)", path.read_text("utf-8"))
        )
    assert shown - set(PICTURES) == {"report.png"}
    assert {path.name for path in IMAGES.iterdir()} - shown == set()
