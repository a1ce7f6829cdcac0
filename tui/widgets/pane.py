"""A pane: a border with a title, and lines that are drawn when they are looked at.

Lines come from ``lines(width)`` (all of them; for what is short) or, in
:class:`~tui.widgets.step_view.StepView`, one by one. Nothing is stored as a widget.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tui.drawing.lines import ROLES, Line, Span, cropped, spoken
from tui.keys import bindings
from tui.language import Speech


class Speaks(Protocol):
    """An app with a language."""

    speech: Speech


class Pane(Widget, can_focus=True):
    """Scrolls, focuses, maximises; subclasses say which lines there are.

    ``chosen`` is the place of the chosen line among those that can be chosen (their
    ``row`` is not None), -1 where nothing can.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"pane--{role}" for role in ROLES}
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("pane")]

    DEFAULT_CSS = """
    Pane { border: solid $foreground 40%; border-title-color: $foreground; width: 1fr; height: 1fr;
        border-title-align: left; border-subtitle-align: right; }
    Pane:focus { border: heavy $primary; }
    Pane > .pane--dim { color: $foreground 60%; }
    Pane > .pane--late { color: $foreground 45%; }
    Pane > .pane--strong { text-style: bold; }
    Pane > .pane--head { text-style: bold; color: $primary; }
    Pane > .pane--bad { color: $text-error; text-style: bold; }
    Pane > .pane--lost { color: $text-error; }
    Pane > .pane--good { color: $text-success; }
    Pane > .pane--warn { color: $text-warning; }
    Pane > .pane--frame { color: $foreground; }
    Pane > .pane--call { color: $text-primary; }
    Pane > .pane--person { color: $text-secondary; }
    Pane > .pane--link { color: $text-accent; }
    Pane > .pane--cursor { text-style: reverse; }
    Pane > .pane--match { background: $warning 30%; }
    Pane > .pane--button { color: $text-primary; text-style: bold; }
    Pane > .pane--chip { text-style: reverse; }
    """

    class Chosen(Message):
        """A line was opened (enter, double click): its ``row``."""

        def __init__(self, pane: Pane, row: Any) -> None:
            super().__init__()
            self.pane = pane
            self.row = row

        @property
        def control(self) -> Pane:
            return self.pane

    class Acted(Message):
        """A piece of a line that can be clicked was clicked: (what, argument)."""

        def __init__(self, pane: Pane, act: tuple[str, Any]) -> None:
            super().__init__()
            self.pane = pane
            self.act = act

    def __init__(self, title: str = "", *, id: str | None = None, classes: str = "") -> None:
        super().__init__(id=id, classes=f"pane {classes}".strip())
        self.english = title
        self.top = 0
        self.chosen = -1
        self._lines: list[Line] | None = None
        self._styles: dict[str, Style] = {}

    # -- what subclasses say ------------------------------------------------------------

    def lines(self, width: int) -> Sequence[Line]:
        """All lines of the pane. Called when something changed, never while drawing."""
        return ()

    # -- state ----------------------------------------------------------------------------

    @property
    def speech(self) -> Speech:
        """The language of the app; English where the app has none."""
        found = getattr(self.app, "speech", None)
        return found if isinstance(found, Speech) else Speech()

    def titled(self, title: str | None = None, subtitle: str | None = None) -> None:
        """Set the words on the border, translated."""
        if title is not None:
            self.english = title
            self.border_title = _escaped(f" {self.speech(title)} ")
        if subtitle is not None:
            self.border_subtitle = _escaped(f" {self.speech(subtitle)} ") if subtitle else ""

    def on_mount(self) -> None:
        if self.english:
            self.titled(self.english)

    def changed(self) -> None:
        """What the pane shows is no longer right."""
        self._lines = None
        self.refresh()

    def on_resize(self) -> None:
        self.changed()

    def notify_style_update(self) -> None:
        self._styles.clear()
        super().notify_style_update()

    @property
    def content(self) -> list[Line]:
        """The lines, made once per change."""
        if self._lines is None:
            self._lines = list(self.lines(self.size.width))
            self.top = max(min(self.top, len(self._lines) - self.size.height), 0)
        return self._lines

    # -- drawing ---------------------------------------------------------------------------

    def line_at(self, y: int) -> Line | None:
        """The line on a row of the pane."""
        content = self.content  # first: it may move the top
        place = self.top + y
        return content[place] if 0 <= place < len(content) else None

    def render_line(self, y: int) -> Strip:
        """One row as a strip, in the pane's colours."""
        width = self.size.width
        one = self.line_at(y)
        base = self._base
        if one is None:
            return Strip.blank(width, base)
        chosen = self.has_focus and one.row is not None and one.row == self.chosen_row
        segments = []
        for span in cropped(spoken(one, self.speech), width).spans:
            style = self._style(span)
            if chosen:
                style += Style(underline=True)
            segments.append(Segment(span.text, style))
        ends = one.spans[-1].role if one.spans else ""
        filling = self._style(Span("", "cursor")) if ends == "cursor" else base
        strip = Strip(segments).extend_cell_length(width, filling)
        return strip.crop(0, width).apply_style(base)

    @property
    def _base(self) -> Style:
        """The pane's own style; asking Textual for it takes longer than drawing a line."""
        known = self._styles.get("")
        if known is None:
            known = self._styles[""] = self.rich_style
        return known

    def _style(self, span: Span) -> Style:
        if not span.role:
            return self._base
        known = self._styles.get(span.role)
        if known is None:
            known = self._styles[span.role] = self.get_component_rich_style(f"pane--{span.role}")
        return known

    # -- moving ------------------------------------------------------------------------------

    def _choices(self) -> list[int]:
        """Places of lines that begin something that can be chosen."""
        places, last = [], None
        for place, one in enumerate(self.content):
            if one.row is not None and one.row != last:
                places.append(place)
            last = one.row
        return places

    @property
    def chosen_row(self) -> Any:
        """The ``row`` of the chosen line."""
        places = self._choices()
        if not places or self.chosen < 0:
            return None
        return self.content[places[min(self.chosen, len(places) - 1)]].row

    def action_scroll(self, by: int) -> None:
        """Down or up: from choice to choice where there are some, else line by line."""
        places = self._choices()
        if not places:
            self.scroll_lines(by)
            return
        self.chosen = min(max(self.chosen + by, 0), len(places) - 1)
        self.show_place(places[self.chosen])
        self.refresh()
        self.moved()

    def moved(self) -> None:
        """Another line is chosen; for subclasses that follow."""

    def scroll_lines(self, by: int) -> None:
        """Move the content."""
        self.top = max(min(self.top + by, len(self.content) - self.size.height), 0)
        self.refresh()

    def show_place(self, place: int) -> None:
        """Scroll so that a line can be seen."""
        height = max(self.size.height, 1)
        if place < self.top:
            self.top = place
        elif place >= self.top + height:
            self.top = place - height + 1
        self.refresh()

    def action_page(self, by: int) -> None:
        """A page down or up."""
        self.scroll_lines(by * max(self.size.height - 1, 1))

    def action_edge(self, where: int) -> None:
        """To the top or the bottom."""
        places = self._choices()
        if places:
            self.chosen = 0 if where == 0 else len(places) - 1
            self.show_place(places[self.chosen])
            self.moved()
        else:
            self.top = 0
            self.scroll_lines(len(self.content) if where else 0)
        self.refresh()

    def action_enter(self) -> None:
        """Open the chosen line."""
        row = self.chosen_row
        if row is not None:
            self.post_message(self.Chosen(self, row))

    # -- the mouse ---------------------------------------------------------------------------

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.scroll_lines(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.scroll_lines(-3)

    def on_click(self, event: events.Click) -> None:
        """A click chooses, on a button it acts; two open."""
        offset = event.get_content_offset(self)
        if offset is None:
            if event.chain >= 2 and event.y == 0:
                self.post_message(self.Acted(self, ("maximise", None)))
            return
        one = self.line_at(offset.y)
        if one is None:
            return
        span = one.at(offset.x)
        if span is not None and span.act is not None:
            self.post_message(self.Acted(self, span.act))
        elif one.row is not None:
            self._choose(one.row)
            if event.chain >= 2:
                self.post_message(self.Chosen(self, one.row))

    def _choose(self, row: Any) -> None:
        rows = [self.content[place].row for place in self._choices()]
        if row in rows:
            self.chosen = rows.index(row)
            self.refresh()
            self.moved()


def _escaped(text: str) -> str:
    """Border texts are markup."""
    return text.replace("[", r"\[")
