"""The lines above and below every view: where am I, where in the run, which keys."""

from __future__ import annotations

from typing import Any, ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from sim.view.timeline import Buckets, buckets
from tui.branches import found
from tui.drawing import timeline
from tui.drawing.lines import Line, Span, cropped, fit, line, pad, spoken
from tui.keys import VIEWS, keys_of
from tui.language import Speech
from tui.session import Session
from tui.widgets.step_view import StepTo


class Bar(Widget):
    """Lines without a border."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"bar--{role}" for role in ("dim", "strong", "head", "bad", "good", "warn", "cursor")
    }
    DEFAULT_CSS = """
    Bar { height: 1; width: 1fr; }
    Bar > .bar--dim { color: $foreground 60%; }
    Bar > .bar--strong { color: $primary; text-style: bold; }
    Bar > .bar--head { color: $text-primary; text-style: bold; }
    Bar > .bar--bad { color: $text-error; text-style: bold; }
    Bar > .bar--good { color: $text-success; }
    Bar > .bar--warn { color: $text-warning; }
    Bar > .bar--cursor { color: $text-accent; text-style: bold; }
    """

    class Acted(Message):
        """A piece of a bar was clicked."""

        def __init__(self, act: tuple[str, Any]) -> None:
            super().__init__()
            self.act = act

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._styles: dict[str, Style] = {}

    def notify_style_update(self) -> None:
        self._styles.clear()
        super().notify_style_update()

    def _style(self, role: str) -> Style:
        known = self._styles.get(role)
        if known is None:
            known = self.get_component_rich_style(f"bar--{role}") if role else self.rich_style
            self._styles[role] = known
        return known

    @property
    def speech(self) -> Speech:
        found = getattr(self.app, "speech", None)
        return found if isinstance(found, Speech) else Speech()

    def line_at(self, y: int) -> Line:
        """The line of a row."""
        return Line()

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        segments = []
        for span in cropped(spoken(self.line_at(y), self.speech), width).spans:
            segments.append(Segment(span.text, self._style(span.role)))
        return Strip(segments).extend_cell_length(width, self._style("")).crop(0, width)

    def on_click(self, event: events.Click) -> None:
        span = self.line_at(event.y).at(event.x)
        if span is not None and span.act is not None:
            self.post_message(self.Acted(span.act))


class TitleBar(Bar):
    """Row 0: the run, the rules that are off, the seed; the view and its findings."""

    def __init__(self) -> None:
        super().__init__(id="title")
        self.session: Session | None = None
        self.view = VIEWS[0]
        self.told = ""

    def show(self, session: Session | None, view: str, told: str = "") -> None:
        """What is open, and in which view."""
        self.session, self.view, self.told = session, view, told
        self.refresh()

    def line_at(self, y: int) -> Line:
        session = self.session
        if session is None:
            return line((" HOOKTWIN ", "head"))
        off = (
            f"   {self.speech('rules off')}: {', '.join(session.without)}"
            if session.without
            else ""
        )
        deeds = f"   + {session.deeds[-1].label}" if session.deeds else ""
        findings = len(session.violations)
        known = session.result is not None or session.complete
        count = self.speech(found(session)) if known or findings else ""
        right = f"{self.told}  {self.speech(self.view)}  {count} ".strip() + " "
        left = f" HOOKTWIN  {session.protocol} / {session.name}{off}{deeds}"
        seed = f"   {self.speech('seed')} {session.trace.header.seed}"
        room = self.size.width - cell_len(right) - 1
        left = fit(left + seed, room)
        return line(
            (left, "head"), " " * max(room + 1 - cell_len(left), 1),
            (right, "bad" if findings else "dim"),
        )  # fmt: skip


class TabBar(Bar):
    """The seven views; a click goes there."""

    def __init__(self) -> None:
        super().__init__(id="tabs")
        self.view = VIEWS[0]

    def show(self, view: str) -> None:
        self.view = view
        self.refresh()

    def line_at(self, y: int) -> Line:
        spans = []
        for number, view in enumerate(VIEWS, 1):
            role = "strong" if view == self.view else "dim"
            sign = "●" if view == self.view else " "
            text = f"{sign}{number} {self.speech(view)} "
            spans.append(Span(text, role, ("view", view)))
        return Line(tuple(spans))


class TimelineBar(Bar):
    """Where the cursor stands, what is where, and a message. One row on small screens."""

    DEFAULT_CSS = """
    TimelineBar { height: 4; }
    """

    def __init__(self) -> None:
        super().__init__(id="timeline")
        self.session: Session | None = None
        self.step = 0
        self.playing = False
        self.speed = "1x"
        self.message: tuple[str, str] = ("", "dim")
        self.differences: tuple[int, ...] = ()
        self.curve: tuple[tuple[float, ...], int] | None = None
        self._buckets: tuple[Any, Buckets] | None = None
        self._dragging = False

    def show(self, session: Session, step: int) -> None:
        self.session, self.step = session, step
        self.refresh()

    def say(self, text: str, role: str = "dim") -> None:
        """The message row."""
        self.message = (text, role)
        self.refresh()

    @property
    def buckets(self) -> Buckets:
        """The folded run; made again when more of it has been read."""
        assert self.session is not None
        width = timeline.track_width(self.size.width)
        findings = tuple(v.step for v in self.session.violations)
        columns = self.session.columns
        key = (self.session, width, len(columns), self.session.count, findings, self.differences)
        if self._buckets is None or self._buckets[0] != key:
            made = buckets(columns, width, findings=findings, differences=self.differences)
            self._buckets = (key, made)
        return self._buckets[1]

    def line_at(self, y: int) -> Line:
        session = self.session
        if session is None or session.count == 0:
            return line(("no steps", "dim")) if y == 0 else Line()
        short = self.size.height == 1
        if y == 0 and not short:
            return self._title()
        if y == (0 if short else 1):
            return self._track()
        if y == 2:
            return timeline.marks(self.buckets)
        return line((" " + self.message[0], self.message[1]))

    def _title(self) -> Line:
        """The rule above the track, or the blame curve of a finding."""
        title = f"── {self.speech('timeline')} "
        curve = ""
        if self.curve and self.session is not None:
            chances, broken = self.curve
            last = self.buckets.column_of(broken)
            curve = timeline.blame(chances, last, len(self.buckets.counts))
            title = pad(title + f"{self.speech('blame')} ", timeline.BEFORE)
        rest = max(self.size.width - cell_len(title) - len(curve), 0)
        return line((title, "dim"), (curve, "warn"), ("─" * rest, "dim"))

    def _track(self) -> Line:
        session = self.session
        assert session is not None
        step = min(self.step, session.last)
        before, behind = timeline.status(
            step, session.count, session.event(step).at, playing=self.playing,
            speed=self.speed, width=self.size.width, progress=session.progress,
        )  # fmt: skip
        if self.size.height == 1 and self.message[0] and self.message[1] != "dim":
            return line((" " + self.message[0], self.message[1]))
        return timeline.bar(self.buckets, step, before, behind)

    # -- the mouse -----------------------------------------------------------------------

    def _step_at(self, x: int) -> int | None:
        column = x - timeline.BEFORE
        if self.session is None or not 0 <= column < len(self.buckets.counts):
            return None
        return self.buckets.step_of(column)

    def on_click(self, event: events.Click) -> None:
        if event.x < timeline.BEFORE:
            self.post_message(self.Acted(("play", None)))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        step = self._step_at(event.x)
        if step is not None:
            self._dragging = True
            self.capture_mouse()
            self.post_message(StepTo(step))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._dragging:
            last = timeline.BEFORE + len(self.buckets.counts) - 1
            step = self._step_at(min(max(event.x, timeline.BEFORE), last))
            if step is not None:
                self.post_message(StepTo(step))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        self._dragging = False
        self.release_mouse()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self.post_message(self.Acted(("step", 1)))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self.post_message(self.Acted(("step", -1)))


class KeyBar(Bar):
    """The last row: the keys of where one is."""

    def __init__(self, *contexts: str) -> None:
        super().__init__(id="keys")
        self.contexts = contexts

    def show(self, *contexts: str) -> None:
        self.contexts = contexts
        self.refresh()

    def line_at(self, y: int) -> Line:
        shown = [key for key in keys_of(*self.contexts) if key.brief]
        always = [key for key in shown if key.id.startswith("app.")]
        others = [key for key in shown if key not in always]
        right = "  ".join(f"{key.label} {self.speech(key.brief)}" for key in always[::-1])
        left = " "
        for key in others:
            one = f"{key.label} {self.speech(key.brief)}  "
            if cell_len(left) + cell_len(one) + cell_len(right) < self.size.width:
                left += one
        room = self.size.width - cell_len(left) - cell_len(right) - 1
        return line((left, "dim"), " " * max(room, 1), (right, "dim"))
