"""Every screen as text, at the design size and at the smallest, from recorded runs.

``HOOKTWIN_GOLDENS=write pytest tests/tui/test_goldens.py -n0`` writes them anew; look
at the difference before you commit it.
"""

import os
import re
from pathlib import Path

import attrs
import pytest
from rich.cells import cell_len
from textual.color import Color

from tests.tui.stage import SMALL, WIDE, perform, recorded, screen_text, settled
from tui.app import Looks
from tui.screens.compare import CompareView
from tui.screens.start import Offer, StartScreen
from tui.teaching.progress import changed
from tui.teaching.shelf import lessons

GOLDENS = Path(__file__).parent / "goldens"
SIZES = {"120x36": WIDE, "80x24": SMALL}


def check(name, text, size):
    """The screen fills the terminal, no line is too wide, and it looks as it did."""
    width, height = size
    lines = text.rstrip("\n").split("\n")
    assert len(lines) <= height
    assert all(cell_len(line) <= width for line in lines)
    path = GOLDENS / f"{name}-{width}x{height}.txt"
    if os.environ.get("HOOKTWIN_GOLDENS") == "write":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"differs from {path.name}"


def picture(what, size, *keys, then=None, **rest):
    async def script(pilot):
        if then is not None:
            await then(pilot)
        for key in keys:
            await pilot.press(key)
        await settled(pilot)
        script.text = screen_text(pilot.app)

    perform(what, script, size=size, **rest)
    return script.text


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("view", ["replay", "frames", "channels", "hosts", "explore"])
def test_a_view_of_the_late_edit_looks_as_it_did(view, size):
    text = picture(recorded("late-edit"), SIZES[size], step=81, view=view)
    check(view, text, SIZES[size])


@pytest.mark.parametrize("size", SIZES)
def test_the_rule_on_beside_the_rule_off_looks_as_it_did(size):
    async def compare(pilot):
        bench = pilot.app.screen
        bench.other = recorded("late-edit-on")
        bench.open_comparison(bench.session, bench.other)
        await settled(pilot)

    text = picture(recorded("late-edit"), SIZES[size], then=compare)
    assert CompareView.CONTEXT in text
    check("compare", text, SIZES[size])


@pytest.mark.parametrize("size", SIZES)
def test_a_lesson_looks_as_it_did(size, monkeypatch):
    run = recorded("late-edit")
    shipped = next(one for one in lessons() if one.id == "gap")
    gap = attrs.evolve(shipped, scenario=changed(shipped.scenario, shipped.written.breaks[0]))
    run.name = gap.name
    monkeypatch.setattr("tui.screens.lesson.lessons", lambda: (gap,))
    text = picture(run, SIZES[size], view="lesson", step=61)
    check("lesson", text, SIZES[size])


@pytest.mark.parametrize("size", SIZES)
def test_the_start_screen_looks_as_it_did(size):
    offers = [
        Offer("recent", "recent", "typical"),
        Offer("lessons", "lesson", "gap", "[x] 4  The gap in an await"),
        Offer("scenarios  hook", "scenario", "typical", "The typical case."),
    ]

    async def start(pilot):
        await pilot.app.push_screen(StartScreen(offers))
        await settled(pilot)

    check("start", picture(None, SIZES[size], then=start), SIZES[size])


@pytest.mark.parametrize("name", ["question", "telegram", "x"])
def test_each_kind_of_channel_looks_as_it_did(name):
    text = picture(recorded(name), SMALL, step=45, view="channels")
    check(f"channel-{name}", text, SMALL)


def test_the_chinese_interface_looks_as_it_did():
    text = picture(recorded("late-edit"), WIDE, step=81, looks=Looks("zh"))
    check("replay-zh", text, WIDE)


def test_the_ascii_interface_looks_as_it_did():
    text = picture(recorded("late-edit"), SMALL, step=81, looks=Looks(ascii=True))
    assert text.isascii()
    check("replay-ascii", text, SMALL)


@pytest.mark.parametrize("theme", ["textual-dark", "textual-light", "high-contrast"])
def test_the_colours_of_a_theme_look_as_they_did(theme):
    """The SVG's colours in order of appearance; no fonts, sizes or names of classes."""

    async def script(pilot):
        svg = pilot.app.export_screenshot(title="")
        style = svg[svg.index("<style>") : svg.index("</style>")]
        rules = re.findall(r"-r(\d+) \{ ([^}]*)\}", style)
        script.told = "\n".join(f"{n} {rule.strip()}" for n, rule in rules) + "\n"

    perform(recorded("late-edit"), script, step=81, looks=Looks(theme=theme))
    path = GOLDENS / f"colours-{theme}.txt"
    if os.environ.get("HOOKTWIN_GOLDENS") == "write":
        path.write_text(script.told, encoding="utf-8")
    assert script.told == path.read_text(encoding="utf-8")


def test_no_colour_means_no_colour(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")

    async def script(pilot):
        (grey,) = pilot.app.get_line_filters()[:1]
        strips = pilot.app.screen._compositor.render_strips()
        colours = {
            segment.style.color.triplet
            for strip in strips
            for segment in strip.apply_filter(grey, Color.parse("black"))
            if segment.style is not None and segment.style.color is not None
            if segment.style.color.triplet is not None
        }
        script.colours = colours
        script.text = screen_text(pilot.app)

    perform(recorded("late-edit"), script, step=81)
    assert all(len(set(one)) == 1 for one in script.colours), "only greys"
    assert "!" in script.text
