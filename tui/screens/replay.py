"""Replay: the sequence diagram, the step in words, what broke."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical

from tui.drawing import steps
from tui.drawing.lines import Line
from tui.keys import bindings
from tui.screens.view import State, View, Wanted
from tui.session import Session
from tui.widgets.diagram_view import DiagramView
from tui.widgets.pane import Pane
from tui.widgets.panels import Panel
from tui.widgets.step_view import StepTo


class ReplayView(View):
    """Rows are steps: vertical distance is order, not time."""

    CONTEXT = "replay"
    ABOUT = (
        "The run as a sequence diagram. Each row is a step; the row with ▶ is where you "
        "are, what comes later is faint. │ alive, ┊ a handler waits for an answer, "
        "─▶ a frame, ╌▶ a channel call, ╳ lost or cut, ┈▶ what went through a lane that h has "
        "hidden. n and N step, f and b change the run and keep the old one, 6 plays it "
        "without a rule."
    )
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("replay")]
    DEFAULT_CSS = """
    ReplayView #side { width: 40; }
    ReplayView #step { height: 3fr; }
    ReplayView #invariants { height: 2fr; }
    """

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield DiagramView(id="diagram")
            with Vertical(id="side"):
                yield Panel("step", steps.inspect, id="step")
                yield Panel("invariants", _invariants, id="invariants")

    @property
    def diagram(self) -> DiagramView:
        return self.query_one(DiagramView)

    def show(self, state: State) -> None:
        fresh = self.state is None or self.state.session is not state.session
        super().show(state)
        diagram = self.diagram
        diagram.matching, diagram.lit = state.matching, state.lit
        diagram.show(state.session, state.step, fresh=fresh)
        count = len(state.session.lanes()) - len(diagram.hidden)
        diagram.titled("sequence", f"{count} lanes  {state.session.count} steps")
        step = self.query_one("#step", Panel)
        step.show(state.session, state.step)
        label = state.session.diagram.row(state.step).label if state.session.count else ""
        step.titled(f"step {state.step}  {label}", _caused(state.session, state.step))
        invariants = self.query_one("#invariants", Panel)
        invariants.show(state.session, state.step)
        broken = len(state.session.violations)
        invariants.titled("invariants", f"{broken} broken")

    def hint(self) -> str:
        if self.state is None or not self.state.session.count:
            return ""
        causes = steps.causes(self.state.session, self.state.step)[1:9]
        told = " ".join(map(str, causes))
        return (
            f"h hello  e turn end  x fault  ! finding      causes of step {self.state.step}: {told}"
        )

    def shows(self, step: int) -> bool:
        return self.diagram.shows(step)

    def steps_from(self, step: int, by: int) -> Iterator[int]:
        return self.diagram.forwards(step) if by > 0 else self.diagram.backwards(step)

    # -- keys --------------------------------------------------------------------------------

    def action_merge(self) -> None:
        """Local steps, or not."""
        self.diagram.every = not self.diagram.every
        self._again()

    def action_times(self) -> None:
        """Times at the left, or not."""
        self.diagram.timed = not self.diagram.timed
        self._again()

    def action_hide_lane(self) -> None:
        """Hide the lane where this step begins; what went through it becomes a dashed arrow."""
        if self.state is None or not self.state.session.count:
            return
        lane = self.state.session.diagram.row(self.state.step).source
        hidden = self.diagram.hidden
        if lane not in hidden and len(hidden) + 1 < len(self.state.session.lanes()):
            hidden.append(lane)
        self._again()

    def action_show_lanes(self) -> None:
        """All lanes again."""
        self.diagram.hidden.clear()
        self._again()

    def action_rules(self) -> None:
        """Compare with a rule switched off."""
        self.post_message(Wanted("rules"))

    def action_why(self) -> None:
        self.post_message(Wanted("why"))

    def action_then(self) -> None:
        self.post_message(Wanted("then"))

    def _again(self) -> None:
        if self.state is not None:
            self.diagram.show(self.state.session, self.state.step, fresh=True)
            self.show(self.state)

    def on_pane_chosen(self, message: Pane.Chosen) -> None:
        """Enter on an invariant goes to where it broke; on a step it opens the step."""
        message.stop()
        if isinstance(message.pane, DiagramView):
            step = self.query_one("#step", Panel)
            self.bring(step)
            step.focus()
        elif isinstance(message.row, int):
            self.post_message(StepTo(message.row))


def _invariants(session: Session, step: int, width: int) -> Sequence[Line]:
    return steps.invariants(session, step, width)


def _caused(session: Session, step: int) -> str:
    cause = session.event(step).cause if session.count else -1
    return f"cause: step {cause}" if cause >= 0 else ""
