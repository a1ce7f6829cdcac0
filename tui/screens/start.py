"""The start screen: recent runs, lessons, scenarios, a trace file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import attrs
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input

from sim.core.errors import UsageError
from tui.drawing.lines import Line, line, pad
from tui.keys import bindings
from tui.screens import help as helping
from tui.screens.menus import Ask, Reading, spoken_by
from tui.teaching.shelf import FOLDER, shelf
from tui.widgets.bars import KeyBar, TitleBar
from tui.widgets.pane import Pane


@attrs.frozen
class Offer:
    """A line that can be opened: ``what`` is scenario, lesson, recent, trace or live."""

    group: str
    what: str
    name: str
    detail: str = ""

    @property
    def text(self) -> str:
        return f"{self.group} {self.name} {self.detail}".casefold()


class Offers(Pane):
    """All offers that fit what was typed."""

    def __init__(self, offers: Sequence[Offer]) -> None:
        super().__init__("hooktwin", id="offers")
        self.offers = list(offers)
        self.wanted = ""
        self.chosen = 0

    @property
    def shown(self) -> list[Offer]:
        words = self.wanted.casefold().split()
        return [one for one in self.offers if all(word in one.text for word in words)]

    def lines(self, width: int) -> Sequence[Line]:
        found: list[Line] = []
        group = ""
        for place, offer in enumerate(self.shown):
            if offer.group != group:
                found += (
                    [line(), line((offer.group, "head"))]
                    if found
                    else [line((offer.group, "head"))]
                )
                group = offer.group
            here = place == self.chosen
            found.append(
                line(
                    "  ",
                    (pad(("▶ " if here else "  ") + offer.name, 30), "cursor" if here else ""),
                    ("  " + offer.detail, "dim"),
                    row=offer,
                )
            )
        return found or [line(("nothing fits", "dim"))]

    def moved(self) -> None:
        self._lines = None

    def select(self, place: int) -> None:
        """Another offer."""
        self.chosen = min(max(place, 0), max(len(self.shown) - 1, 0))
        self.changed()
        places = self._choices()
        if places:
            self.show_place(places[self.chosen])
            if self.chosen == 0:
                self.top = 0

    def action_scroll(self, by: int) -> None:
        self.select(self.chosen + by)

    def action_edge(self, where: int) -> None:
        self.select(0 if where == 0 else len(self.shown))


class Opened(Message):
    """Somebody opened an offer."""

    def __init__(self, offer: Offer) -> None:
        super().__init__()
        self.offer = offer


class StartScreen(Screen[None]):
    """Also what ``hooktwin tui`` shows without an argument."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("start")]
    DEFAULT_CSS = "StartScreen #find { display: none; height: 1; border: none; } "

    def __init__(self, offers: Sequence[Offer]) -> None:
        super().__init__()
        self.offers = list(offers)

    def compose(self) -> ComposeResult:
        yield TitleBar()
        yield Input(id="find", placeholder=spoken_by(self, "a name"))
        yield Offers(self.offers)
        yield KeyBar("start")

    def on_mount(self) -> None:
        pane = self.query_one(Offers)
        pane.titled("what shall be opened?", "enter open   / look for a name   t a trace file")
        pane.focus()

    def renew(self, offers: Sequence[Offer]) -> None:
        """Other offers: what was opened meanwhile, and what was finished."""
        self.offers = list(offers)
        pane = self.query_one(Offers)
        pane.offers = self.offers
        pane.select(0)

    def action_open(self) -> None:
        pane = self.query_one(Offers)
        if pane.shown:
            self.post_message(Opened(pane.shown[pane.chosen]))

    @on(Pane.Chosen)
    def chosen(self, message: Pane.Chosen) -> None:
        """Enter, or a double click."""
        if isinstance(message.row, Offer):
            self.post_message(Opened(message.row))

    def action_move(self, by: int) -> None:
        pane = self.query_one(Offers)
        pane.select(pane.chosen + by)

    def action_edge(self, where: int) -> None:
        self.query_one(Offers).action_edge(where)

    def action_filter(self) -> None:
        field = self.query_one("#find", Input)
        field.display = True
        self.set_focus(field)

    @on(Input.Changed, "#find")
    def found(self, event: Input.Changed) -> None:
        """As it is typed."""
        pane = self.query_one(Offers)
        pane.wanted = event.value
        pane.select(0)

    @on(Input.Submitted, "#find")
    def search_done(self) -> None:
        """Back to the list."""
        self.query_one(Offers).focus()

    def action_quit(self) -> None:
        field = self.query_one("#find", Input)
        if field.has_focus or field.value:
            field.value = ""
            field.display = False
            self.query_one(Offers).focus()
        else:
            self.app.exit()

    def action_trace(self) -> None:
        """Ask for a trace file."""
        self.app.push_screen(
            Ask(
                "open a trace file",
                "written by hooktwin run SCENARIO --trace FILE",
                check=_readable,
            ),
            self._trace,
        )

    def _trace(self, name: str | None) -> None:
        if name:
            self.post_message(Opened(Offer("", "trace", name)))

    def action_live(self) -> None:
        """Ask for a session that is going on."""
        self.app.push_screen(
            Ask(
                "watch a running session, and act on it",
                "the control address that hooktwin serve prints: http://HOST:PORT",
                check=_control,
            ),
            self._live,
        )

    def _live(self, url: str | None) -> None:
        if url:
            self.post_message(Opened(Offer("", "live", url)))

    def action_help(self) -> None:
        speech = self.app.speech  # type: ignore[attr-defined]
        self.app.push_screen(
            Reading("keys", lambda width: helping.all_keys(("start",), speech, width))
        )


def _control(url: str) -> str:
    from tui.feeds.live import Control

    try:
        Control.at(url)
    except UsageError as error:
        return str(error)
    return ""


def _readable(name: str) -> str:
    return "" if Path(name).is_file() else f"there is no file {name!r}"


def offers(
    recent: Sequence[str] = (),
    finished: Sequence[str] = (),
    language: str = "en",
    folder: Path | None = None,
) -> list[Offer]:
    """Everything that can be opened, by group; ``folder`` replaces that of the lessons."""
    from sim.scenario.load import shipped_scenarios

    found = [Offer("recent", "recent", name) for name in recent]
    known = shelf(folder)
    for number, lesson in enumerate(known.lessons, 1):
        tick = "[x] " if lesson.id in finished else "[ ] "
        title = lesson.title.within(language)
        found.append(Offer("lessons", "lesson", lesson.id, f"{tick}{number}  {title}"))
    found += [Offer("lessons", "scenario", str(path), why) for path, why in known.spoilt]
    for name, paths in shipped_scenarios().items():
        if len(paths) == 1 and paths[0].parent.name != FOLDER:
            group = f"scenarios  {paths[0].parent.name}"
            found.append(Offer(group, "scenario", name, _first_comment(paths[0])))
    return sorted(found, key=lambda one: (one.group != "recent", one.group != "lessons", one.group))


def _first_comment(path: Path) -> str:
    """The first line that says what a scenario is about."""
    try:
        with path.open(encoding="utf-8") as file:
            for text, _ in zip(file, range(12), strict=False):
                bare = text.strip()
                if bare.startswith("%%") and not bare.startswith("%% @"):
                    return bare[2:].strip()
    except (OSError, UnicodeError):
        return ""
    return ""
