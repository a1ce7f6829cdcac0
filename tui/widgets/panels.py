"""Panes whose lines are made of a session and a step."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tui.drawing.lines import Line, line
from tui.session import Session
from tui.widgets.pane import Pane

Maker = Callable[[Session, int, int], Sequence[Line]]
"""(session, step, width) → lines."""


class Panel(Pane):
    """Shows what ``make`` says of the present step."""

    def __init__(
        self, title: str, make: Maker, *, id: str | None = None, classes: str = ""
    ) -> None:
        super().__init__(title, id=id, classes=classes)
        self.make = make
        self.session: Session | None = None
        self.step = 0

    def show(self, session: Session, step: int) -> None:
        """Another step, or another run."""
        if session is not self.session or step != self.step:
            self.top = 0
            self.chosen = -1
        self.session, self.step = session, step
        self.changed()

    def lines(self, width: int) -> Sequence[Line]:
        if self.session is None or self.session.count == 0:
            return [line(("no steps yet", "dim"))]
        return self.make(self.session, self.step, width)
