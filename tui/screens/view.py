"""What all views of the workbench have in common."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import ClassVar, Protocol

import attrs
from textual.containers import Container
from textual.message import Message

from sim.view.diagram import Row
from tui.feeds.moment import Moment
from tui.matching import Matching
from tui.session import Deed, Session
from tui.widgets.pane import Pane


@attrs.define
class State:
    """What is looked at: the run, the step, the filter, what is lit.

    ``since`` is the step that was looked at before; ``moment`` the world at this
    step, where it is known.
    """

    session: Session
    step: int = 0
    since: int = -1
    matching: Matching | None = None
    lit: Collection[int] | None = None
    moment: Moment | None = None


class Wanted(Message):
    """A view wants the workbench to do something: its action's name and arguments."""

    def __init__(self, action: str, *arguments: object) -> None:
        super().__init__()
        self.action = action
        self.arguments = arguments


class BranchAsked(Message):
    """Somebody did something to the run."""

    def __init__(self, deed: Deed) -> None:
        super().__init__()
        self.deed = deed


class Says(Protocol):
    def __call__(self, text: str, role: str = "dim") -> None: ...


class View(Container):
    """One of the seven. On narrow screens only one of its panes shows at a time."""

    CONTEXT: ClassVar[str] = ""
    ABOUT: ClassVar[str] = ""
    """What the screen is, for F1."""

    NEEDS_CHRONICLE: ClassVar[bool] = False
    NEEDS_MOMENT: ClassVar[bool] = False
    DEFAULT_CSS = "View { width: 1fr; height: 1fr; layout: vertical; }"

    state: State | None = None
    narrow = False
    ready = False
    """Whether its panes are there; before, nothing can be shown."""

    def on_mount(self) -> None:
        self.ready = True

    def panes(self) -> list[Pane]:
        """The panes in order of focus."""
        return [pane for pane in self.query(Pane) if pane.has_class("pane")]

    def show(self, state: State) -> None:
        """Another step, run, filter: draw what is there now."""
        self.state = state

    def told(self) -> str:
        """What stands beside the view's name in the title."""
        return ""

    def hint(self) -> str:
        """The message row below the timeline."""
        return ""

    # -- steps ----------------------------------------------------------------------------

    def shows(self, step: int) -> bool:
        """Whether a step has a line of its own here; where no view says so, all have."""
        return True

    def steps_from(self, step: int, by: int) -> Iterator[int]:
        """The steps that n and N go through, at and behind (``by`` > 0) or before a step."""
        assert self.state is not None
        diagram = self.state.session.diagram
        return diagram.forwards(step) if by > 0 else diagram.backwards(step)

    # -- panes ----------------------------------------------------------------------------

    def focus_pane(self, by: int = 0) -> None:
        """The next pane gets the focus; on narrow screens it is the one that shows."""
        panes = self.panes()
        if not panes:
            return
        focused = self.screen.focused
        place = panes.index(focused) if isinstance(focused, Pane) and focused in panes else -1
        if place < 0:
            shown = [k for k, pane in enumerate(panes) if not pane.has_class("-behind")]
            chosen = panes[shown[0] if shown else 0]
        else:
            chosen = panes[(place + by) % len(panes)]
        self.bring(chosen)
        self.screen.set_focus(chosen)

    def bring(self, front: Pane | None = None) -> None:
        """Hide all panes but one where there is no room for more."""
        panes = self.panes()
        if front is None:
            shown = [pane for pane in panes if not pane.has_class("-behind")]
            front = shown[0] if len(shown) == 1 else (panes[0] if panes else None)
        for pane in panes:
            pane.set_class(self.narrow and pane is not front, "-behind")
        for box in self.query("Horizontal, Vertical"):
            inside = [pane for pane in panes if box in pane.ancestors]
            hidden = bool(inside) and all(pane.has_class("-behind") for pane in inside)
            box.set_class(hidden, "-behind")

    def on_descendant_focus(self) -> None:
        focused = self.screen.focused
        if self.narrow and isinstance(focused, Pane) and focused in self.panes():
            self.bring(focused)


def next_of_lane(state: State, by: int) -> int | None:
    """The next shown step in which the lane of this one takes part."""
    session = state.session
    here = session.diagram.row(state.step)
    hosts = (here.source, here.target)
    diagram = session.diagram
    steps = diagram.forwards(state.step + 1) if by > 0 else diagram.backwards(state.step - 1)
    for n in steps:
        row: Row = diagram.row(n)
        if row.source in hosts[:1] or row.target in hosts[:1]:
            return n
        if abs(n - state.step) > 20_000:
            return None
    return None
