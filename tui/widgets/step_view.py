"""Lists of steps that are as long as the trace: only what is visible is ever made.

The window is anchored at steps, not at line numbers: to fill a screen one walks
from the cursor in both directions, so that a jump costs the same in a trace of a
hundred steps and in one of a million, indexed or not.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from textual import events
from textual.message import Message

from tui.drawing.lines import Line
from tui.session import Session
from tui.widgets.pane import Pane

FAR = 20_000
"""Steps that are walked over, at most, to find one that is shown."""


class StepTo(Message):
    """Somebody wants to be at a step. Of several that wait only the last counts."""

    def __init__(self, step: int) -> None:
        super().__init__()
        self.step = step

    def can_replace(self, message: Message) -> bool:
        """Scrubbing never queues."""
        return isinstance(message, StepTo)


class StepView(Pane):
    """Draws one line per shown step around a cursor.

    Subclasses give the shown steps in both directions, and the line of each.
    """

    HEAD = 0
    """Rows above the steps."""

    def __init__(self, title: str, *, id: str | None = None, classes: str = "") -> None:
        super().__init__(title, id=id, classes=classes)
        self.session: Session | None = None
        self.step = 0
        self.window: list[int] = []
        self.rendered = 0

    # -- what subclasses say --------------------------------------------------------------

    def forwards(self, n: int) -> Iterator[int]:
        """The shown steps at and behind ``n``."""
        raise NotImplementedError

    def backwards(self, n: int) -> Iterator[int]:
        """The shown steps at and before ``n``, nearest first."""
        raise NotImplementedError

    def step_line(self, n: int, *, cursor: bool, late: bool) -> Line:
        """The line of a shown step."""
        raise NotImplementedError

    def head_line(self, y: int) -> Line:
        """A row above the steps."""
        return Line()

    # -- the window -------------------------------------------------------------------------

    @property
    def room(self) -> int:
        """Rows for steps."""
        return max(self.size.height - self.HEAD, 1)

    @property
    def cursor(self) -> int:
        """The shown step at or before the present one."""
        if self.window and self.window[0] <= self.step:
            return max(n for n in self.window if n <= self.step)
        return next(islice(self.backwards(self.step), 1), self.step)

    def show(self, session: Session, step: int, *, fresh: bool = False) -> None:
        """Put the cursor at a step; the window moves only as far as it must."""
        fresh = fresh or session is not self.session or not self.window
        self.session = session
        self.step = step
        if fresh or not self._holds(step):
            self._anchor(step)
        self.refresh()

    def _holds(self, step: int) -> bool:
        if not self.window or not self.window[0] <= step:
            return False
        if step <= self.window[-1]:
            return True
        behind = next(self.forwards(self.window[-1] + 1), None)
        return behind is None or behind > step

    def _anchor(self, step: int) -> None:
        """Make the window anew with the step in its upper or lower third."""
        forward = not self.window or step >= self.window[0]
        above = self.room * 2 // 3 if forward else self.room // 3
        before = list(islice(self.backwards(step), above + 1))[::-1]
        last = before[-1] if before else -1
        behind = list(islice(self.forwards(max(step, last) + 1), self.room - len(before)))
        window = before + behind
        if len(window) < self.room and before:
            missing = self.room - len(window)
            window = list(islice(self.backwards(before[0] - 1), missing))[::-1] + window
        self.window = window

    def on_resize(self) -> None:
        if self.session is not None:
            self._anchor(self.step)
        self.refresh()

    # -- drawing ------------------------------------------------------------------------------

    def line_at(self, y: int) -> Line | None:
        self.rendered += 1
        if self.session is None:
            return None
        if y < self.HEAD:
            return self.head_line(y)
        place = y - self.HEAD
        if place >= len(self.window):
            return self.tail_line(place - len(self.window))
        n = self.window[place]
        cursor = self.cursor
        return self.step_line(n, cursor=n == cursor, late=n > self.step)

    def tail_line(self, y: int) -> Line | None:
        """Rows below the last step."""
        return None

    @property
    def chosen_row(self) -> Any:
        return None

    # -- moving ---------------------------------------------------------------------------------

    def neighbour(self, n: int, by: int) -> int:
        """The shown step ``by`` places further on, or back; the edge where there is none."""
        steps = self.forwards(n + 1) if by > 0 else self.backwards(n - 1)
        found = list(islice(steps, abs(by)))
        return found[-1] if found else n

    def action_scroll(self, by: int) -> None:
        if self.session is None:
            return
        self.post_message(StepTo(self.neighbour(self.step if by > 0 else self.cursor, by)))

    def action_page(self, by: int) -> None:
        self.action_scroll(by * max(self.room - 1, 1))

    def action_edge(self, where: int) -> None:
        if self.session is not None:
            self.post_message(StepTo(0 if where == 0 else self.session.last))

    def scroll_lines(self, by: int) -> None:
        """The wheel moves the window and leaves the cursor."""
        if not self.window:
            return
        steps = self.forwards(self.window[-1] + 1) if by > 0 else self.backwards(self.window[0] - 1)
        more = list(islice(steps, abs(by)))
        if by > 0:
            self.window = [*self.window, *more][-self.room :]
        else:
            self.window = [*more[::-1], *self.window][: self.room]
        self.refresh()

    def action_enter(self) -> None:
        if self.session is not None:
            self.post_message(self.Chosen(self, self.cursor))

    def on_click(self, event: events.Click) -> None:
        """A click goes to the step under it; two open it."""
        event.prevent_default()  # Textual would call the pane's handler too
        offset = event.get_content_offset(self)
        if offset is None:
            if event.chain >= 2 and event.y == 0:
                self.post_message(self.Acted(self, ("maximise", None)))
            return
        place = offset.y - self.HEAD
        if 0 <= place < len(self.window):
            self.post_message(StepTo(self.window[place]))
            if event.chain >= 2:
                self.post_message(self.Chosen(self, self.window[place]))
