"""Frames: the list, one frame field by field, and whether it was legal then."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical

from sim.core import event as events
from sim.core.errors import TraceError
from tui.drawing import frames, inspector
from tui.drawing.lines import Line, Span, line
from tui.keys import bindings
from tui.screens.view import State, View, Wanted
from tui.session import Session
from tui.widgets.frame_list import FrameList
from tui.widgets.pane import Pane
from tui.widgets.panels import Panel
from tui.widgets.step_view import StepTo

TABS = ("tree", "raw", "table", "explain")


class FramesView(View):
    """The cursor follows the timeline; moving either moves both."""

    CONTEXT = "frames"
    ABOUT = (
        "Every frame, and every request over HTTP, in order of sending. At the right each field "
        "with its verdict and, below, what the transition tables said before this step. Enter "
        "opens the frame (again: tree, raw, table, explain), / filters, m marks, D compares two "
        "marked frames, e edits one and sends it again on a branch."
    )
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("frames")]
    DEFAULT_CSS = """
    FramesView #list { width: 8fr; }
    FramesView #right { width: 5fr; min-width: 40; }
    FramesView #frame { height: 2fr; }
    FramesView #legal { height: 1fr; min-height: 8; }
    """

    tab = 0

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield FrameList(id="list")
            with Vertical(id="right"):
                yield Panel("frame", self._frame, id="frame")
                yield Panel("legal here?", self._legal, id="legal")

    @property
    def frames(self) -> FrameList:
        return self.query_one(FrameList)

    def show(self, state: State) -> None:
        fresh = (
            self.state is None
            or self.state.session is not state.session
            or self.frames.matching is not state.matching
            or bool(state.matching and not state.matching.done)
        )
        super().show(state)
        self.frames.matching = state.matching
        self.frames.show(state.session, state.step, fresh=fresh)
        marked = len(state.session.marked)
        self.frames.titled("frames", f"@marked {marked}  F follow" if marked else "")
        frame = self.query_one("#frame", Panel)
        frame.show(state.session, self.frames.cursor)
        event: Any = state.session.event(self.frames.cursor) if state.session.count else None
        title = f"{frames._id(event)}  {frames._type(event)}" if event is not None else "frame"
        frame.titled(title.strip(), f"enter: {' / '.join(self._tabs())}")
        self.query_one("#legal", Panel).show(state.session, self.frames.cursor)

    def _tabs(self) -> list[str]:
        return [f"[{one}]" if k == self.tab else one for k, one in enumerate(TABS)]

    def shows(self, step: int) -> bool:
        assert self.state is not None
        return frames.is_frame(self.state.session.event(step))

    def told(self) -> str:
        if self.state is None or not self.state.matching:
            return ""
        matching = self.state.matching
        sofar = "" if matching.done else "…"
        return f"{len(matching.found):,}{sofar} of {self.state.session.count:,} shown"

    def hint(self) -> str:
        return "cursor follows the timeline; moving either moves both"

    # -- the panels -----------------------------------------------------------------------

    def _subject(self, session: Session, step: int) -> Any:
        if step >= session.count:
            return None
        event: Any = session.event(step)
        if isinstance(event, events.FrameSent):
            return event.frame
        if isinstance(event, events.CallIssued):
            return event.request if frames.is_request(event) else None
        sent = getattr(event, "sent", None)
        return session.diagram.frame_of(sent) if isinstance(sent, int) else None

    def _frame(self, session: Session, step: int, width: int) -> Sequence[Line]:
        frame = self._subject(session, step)
        tab = TABS[self.tab]
        if tab == "raw":
            try:
                return inspector.raw(session.trace.line(step), width)
            except TraceError as error:
                return [line((str(error), "bad"))]
        if frame is None:
            row = session.diagram.row(step)
            return [line((row.label, "strong")), line(row.detail)]
        painter = {"tree": inspector.tree, "table": inspector.table, "explain": inspector.explain}
        return painter[tab](frame, width)

    def _legal(self, session: Session, step: int, width: int) -> Sequence[Line]:
        frame = self._subject(session, step)
        event: Any = session.event(step)
        if not isinstance(frame, dict):
            return [line(("no frame", "dim"))]
        if not session.know(step):
            return [line(("folding to this step …", "dim"))]
        kinds = dict(session.lanes())
        if not hasattr(event, "link"):
            return [line(("no table says when this may be asked", "dim"))]
        ends = (event.sender, event.receiver) if hasattr(event, "sender") else (event.host,)
        centre = session.record.centre
        host = next((host for host in ends if kinds.get(host) == centre), ends[0])
        verdicts = session.record.legal(
            session.chronicle, host, event.link, frame, self._when(session, event)
        )
        return inspector.legal(verdicts, frame, width, session.named)

    def _when(self, session: Session, event: Any) -> int:
        """What the centre says counts when it says it, what it hears when it arrives."""
        kinds, centre = dict(session.lanes()), session.record.centre
        if isinstance(event, events.FrameSent) and kinds.get(event.receiver) == centre:
            arrivals, _ = frames.fate_of(session, event)
            if arrivals and session.know(arrivals[0]):
                return arrivals[0]
        return int(event.n)

    # -- keys -------------------------------------------------------------------------------

    def action_mark_row(self) -> None:
        """Mark the frame, or not any more."""
        if self.state is None or not self.state.session.count:
            return
        marked, n = self.state.session.marked, self.frames.cursor
        if n in marked:
            del marked[n]
        else:
            marked[n] = None
        self.show(self.state)

    def action_diff_rows(self) -> None:
        """Two marked frames, field by field."""
        if self.state is None or len(self.state.session.marked) < 2:
            self.post_message(Wanted("say", "mark two frames with m first", "warn"))
            return
        one, two = sorted(self.state.session.marked)[-2:]
        panel = self.query_one("#frame", Panel)
        session = self.state.session
        pair = (self._subject(session, one), self._subject(session, two))
        found = differences(pair[0], pair[1])
        panel.make = lambda session, step, width: (
            found if step == self._diff_at else self._frame(session, step, width)
        )
        self._diff_at = self.frames.cursor
        panel.titled(f"step {one} ≠ step {two}")
        panel.changed()

    _diff_at = -1

    def action_edit(self) -> None:
        """Edit the frame and send it again."""
        if self.state is not None and self.state.session.count:
            self.post_message(
                Wanted("edit_frame", self._subject(self.state.session, self.frames.cursor))
            )

    def action_diagram(self) -> None:
        self.post_message(Wanted("view", "replay"))

    def action_why(self) -> None:
        self.post_message(Wanted("why"))

    def action_then(self) -> None:
        self.post_message(Wanted("then"))

    def on_pane_chosen(self, message: Pane.Chosen) -> None:
        """Enter: the next way to look at the frame."""
        message.stop()
        if self.state is None or not self.state.session.count:
            return
        panel = self.query_one("#frame", Panel)
        if isinstance(message.row, int) and isinstance(message.pane, FrameList):
            self.post_message(StepTo(message.row))
            if self.narrow:
                self.bring(panel)
                panel.focus()
                return
        self.tab = (self.tab + 1) % len(TABS)
        if self.state is not None:
            self.show(self.state)


def differences(one: Any, two: Any) -> list[Line]:
    """The fields in which two frames differ; how many are equal is said too."""
    left, right = flat(one), flat(two)
    lines, equal = [], 0
    for path in [*left, *(path for path in right if path not in left)]:
        a, b = left.get(path, "(absent)"), right.get(path, "(absent)")
        if a == b:
            equal += 1
            continue
        lines.append(Line((Span(f"{path}", "strong"),)))
        lines.append(line("  - ", (a, "bad")))
        lines.append(line("  + ", (b, "good")))
    return [line((f"{equal} fields are equal", "dim")), *lines]


def flat(value: Any, path: str = "") -> dict[str, str]:
    """A JSON value as path → text."""
    if isinstance(value, dict) and value:
        found: dict[str, str] = {}
        for key, inner in value.items():
            found |= flat(inner, f"{path}.{key}" if path else str(key))
        return found
    if isinstance(value, list) and value:
        found = {}
        for place, inner in enumerate(value):
            found |= flat(inner, f"{path}[{place}]")
        return found
    return {path: json.dumps(value, ensure_ascii=False)}
