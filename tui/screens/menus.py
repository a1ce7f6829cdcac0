"""Small screens over the others: a list to choose from, a line to write, a text to read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeVar

import attrs
from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen, Screen
from textual.widgets import Input

from tui.drawing.lines import Line, fit, line, pad
from tui.language import Speech
from tui.widgets.pane import Pane

Result = TypeVar("Result")


@attrs.frozen
class Entry:
    """A line of a menu. ``why`` says why it cannot be chosen, "" if it can."""

    group: str
    label: str
    detail: str = ""
    value: Any = None
    why: str = ""

    @property
    def text(self) -> str:
        return f"{self.group} {self.label} {self.detail}".casefold()


def spoken_by(screen: Screen[Any], text: str) -> str:
    """A text in the language of the screen's app."""
    speech = getattr(screen.app, "speech", None)
    return speech(text) if isinstance(speech, Speech) else text


class Entries(Pane):
    """The entries that fit what was typed."""

    can_focus = False

    def __init__(self, title: str, entries: Sequence[Entry]) -> None:
        super().__init__(title, id="entries")
        self.entries = list(entries)
        self.wanted = ""
        self.chosen = 0

    @property
    def shown(self) -> list[Entry]:
        wanted = self.wanted.casefold()
        exactly = [one for one in self.entries if wanted in one.text]
        words = wanted.split()
        return exactly or [one for one in self.entries if all(w in one.text for w in words)]

    def lines(self, width: int) -> Sequence[Line]:
        found, group = [], ""
        shown = self.shown
        self.chosen = min(self.chosen, max(len(shown) - 1, 0))
        for place, entry in enumerate(shown):
            head = entry.group if entry.group != group else ""
            group = entry.group
            found.append(self._line(place, entry, head, width))
        return found or [line(("nothing fits" if self.entries else "looking …", "dim"))]

    def _line(self, place: int, entry: Entry, head: str, width: int) -> Line:
        here = place == self.chosen
        room = max(width // 2 - 10, 16) if entry.why or entry.detail else max(width - 13, 16)
        label = pad(self.speech(entry.label), room)
        mark = "▶ " if here else "  "
        role = "late" if entry.why else "cursor" if here else ""
        reason = self.speech(f"not possible: {entry.why}" if entry.why else entry.detail)
        reason = fit(reason, max(width - 13 - cell_len(label), 8))
        return line(
            (pad(self.speech(head), 9), "dim"), (mark, role), (label, role),
            ("  " + reason, "late" if entry.why else "dim"),
            row=place,
        )  # fmt: skip

    def move(self, by: int) -> None:
        """Up or down."""
        self.chosen = min(max(self.chosen + by, 0), max(len(self.shown) - 1, 0))
        self.changed()
        self.show_place(self.chosen)

    def moved(self) -> None:
        self._lines = None

    @property
    def entry(self) -> Entry | None:
        shown = self.shown
        return shown[self.chosen] if shown else None

    def _choices(self) -> list[int]:
        return list(range(len(self.shown)))


class Typing(ModalScreen[Result]):
    """A small screen with a line to write in."""

    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (12, "-tall")]  # noqa: RUF012

    def on_mount(self) -> None:
        self.set_focus(self.query_one(Input))


class Menu(Typing[Any]):
    """Choose one entry; gives its value, None when nobody chose."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "cancel"),
        Binding("down", "move(1)", "down"),
        Binding("up", "move(-1)", "up"),
        Binding("pagedown", "move(10)", "a page down"),
        Binding("pageup", "move(-10)", "a page up"),
        Binding("enter", "take", "choose"),
        Binding("ctrl+y", "copy", "copy"),
    ]
    DEFAULT_CSS = """
    Menu > Vertical { width: 100; max-width: 96%; height: 26; max-height: 90%; }
    Menu Input, Menu Input:focus { border: solid $primary; height: 3; }
    Menu.-tiny Input, Menu.-tiny Input:focus { border: none; height: 1; }
    Menu.-tiny > Vertical { max-height: 100%; }
    """

    def __init__(self, title: str, entries: Sequence[Entry], *, note: str = "") -> None:
        super().__init__()
        self.english = title
        self.entries_ = list(entries)
        self.note = note
        self.hurried = False

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Entries(self.english, self.entries_)
            yield Input(placeholder=spoken_by(self, "type to filter"), id="wanted")

    def on_mount(self) -> None:
        entries = self.query_one(Entries)
        entries.titled(self.english, self.note or "enter choose   esc cancel")

    @on(Input.Changed)
    def filter(self, event: Input.Changed) -> None:
        """Another text."""
        entries = self.query_one(Entries)
        entries.wanted, entries.chosen, entries.top = event.value, 0, 0
        entries.changed()

    @on(Input.Submitted)
    def action_take(self) -> None:
        """Choose what the cursor is on."""
        entry = self.query_one(Entries).entry
        if not self.entries_:
            self.hurried = True
        elif entry is None or entry.why:
            self.app.bell()
        else:
            self.dismiss(entry.value)

    def fill(self, entries: Sequence[Entry]) -> None:
        """The entries have been found meanwhile; what was typed so far counts.

        The menu may not be drawn yet, or be closed already.
        """
        self.entries_ = list(entries)
        for pane in self.query(Entries):
            pane.entries = self.entries_
            pane.changed()
        if self.hurried:
            self.hurried = False
            self.action_take()

    def on_pane_chosen(self) -> None:
        self.action_take()

    def action_move(self, by: int) -> None:
        self.query_one(Entries).move(by)

    def action_leave(self) -> None:
        self.dismiss(None)


class Ask(Typing[str | None]):
    """Write a line; gives it, None when nobody did. ``check`` says what is wrong with it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "cancel")]
    DEFAULT_CSS = """
    Ask > Vertical { width: 84; max-width: 96%; height: 7; }
    Ask Words { height: 4; }
    Ask Input, Ask Input:focus { border: solid $primary; height: 3; }
    Ask.-tiny Input, Ask.-tiny Input:focus { border: none; height: 1; }
    Ask.-tiny > Vertical { height: 4; }
    Ask.-tiny Words { height: 3; }
    """

    def __init__(
        self,
        title: str,
        note: str = "",
        value: str = "",
        check: Callable[[str], str] = lambda text: "",
    ) -> None:
        super().__init__()
        self.english, self.note, self.value, self.check = title, note, value, check

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield Words(self.english, [line((self.note, "dim"))])
            yield Input(value=self.value)

    @on(Input.Submitted)
    def take(self, event: Input.Submitted) -> None:
        """Done, unless something is wrong with it."""
        wrong = self.check(event.value)
        if wrong:
            self.query_one(Words).say([line((wrong, "bad"))])
        else:
            self.dismiss(event.value)

    def action_leave(self) -> None:
        self.dismiss(None)


class Words(Pane):
    """Lines that somebody gives."""

    def __init__(self, title: str, lines: Sequence[Line], id: str = "words") -> None:
        super().__init__(title, id=id)
        self.given = list(lines)

    def lines(self, width: int) -> Sequence[Line]:
        return self.given

    def say(self, lines: Sequence[Line]) -> None:
        """Other lines."""
        self.given = list(lines)
        self.changed()


class Reading(ModalScreen[None]):
    """A text to read: all keys, what a screen is, a frame's explanation."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,question_mark,f1", "leave", "close")]
    DEFAULT_CSS = "Reading > Vertical { width: 96; max-width: 96%; height: 90%; }"

    def __init__(self, title: str, make: Callable[[int], Sequence[Line]]) -> None:
        super().__init__()
        self.english, self.make = title, make

    def compose(self) -> ComposeResult:
        with Vertical(classes="box"):
            yield _Made(self.english, self.make)

    def on_mount(self) -> None:
        pane = self.query_one(_Made)
        pane.titled(self.english, "j/k scroll   esc close")
        pane.focus()

    def action_leave(self) -> None:
        self.dismiss(None)


class _Made(Pane):
    """Lines made for the width of the pane."""

    def __init__(self, title: str, make: Callable[[int], Sequence[Line]]) -> None:
        super().__init__(title, id="reading")
        self.make = make

    def lines(self, width: int) -> Sequence[Line]:
        return self.make(width)
