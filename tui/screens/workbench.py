"""The workbench: one run, seven views of it, one timeline below all of them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.events import Resize
from textual.widgets import ContentSwitcher, Input

from sim.scenario.syntax import Scenario
from sim.view.filters import FilterError, complete
from tui.branches import Tree
from tui.keys import VIEWS, bindings
from tui.matching import Matching
from tui.screens.channels import ChannelsView
from tui.screens.compare import CompareView
from tui.screens.explore import ExploreView
from tui.screens.frames import FramesView
from tui.screens.hosts import HostsView
from tui.screens.lesson import LessonView
from tui.screens.replay import ReplayView
from tui.screens.telling import Telling
from tui.screens.view import State, View, Wanted
from tui.session import Deed, Session
from tui.widgets.bars import Bar, KeyBar, TabBar, TimelineBar, TitleBar
from tui.widgets.pane import Pane

NARROW = 100
SHORT = 30
TINY = 12
SLICE_S = 0.008
EVERY_S = 0.03
TELL_EVERY = 12
"""Slices between two looks at how far the reading is."""

AT_ONCE = 20_000
"""Runs of up to so many steps are indexed before they are drawn."""

_VIEWS: dict[str, type[View]] = {
    "replay": ReplayView, "frames": FramesView, "channels": ChannelsView, "hosts": HostsView,
    "explore": ExploreView, "compare": CompareView, "lesson": LessonView,
}  # fmt: skip


class Workbench(Telling):
    """Holds the state; the views draw it and say what somebody wants."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings("run")]
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012
        (0, "-narrow"), (NARROW, "-normal"), (140, "-wide"),
    ]  # fmt: skip
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (TINY, "-short"), (SHORT, "-tall")]  # noqa: RUF012

    def __init__(self, session: Session, *, step: int | None = None, view: str = "replay") -> None:
        super().__init__()
        self.following = session.live is not None and step is None
        first = session.last if self.following else self._first(session)
        here = first if step is None else min(step, session.last)
        self.state = State(session, here)
        self.runs = Tree([session])
        self.shown = self.home = view
        self._slices = 0

    def compose(self) -> ComposeResult:
        yield TitleBar()
        yield TabBar()
        with ContentSwitcher(id="views"):
            pass
        yield Input(id="filter", placeholder="type:turn.* & link:*#1 & !ok", select_on_focus=False)
        yield TimelineBar()
        yield KeyBar()

    def on_mount(self) -> None:
        self._prepare(self.session)
        self.set_interval(EVERY_S, self._work)
        self.call_later(self._show_view, self.shown)

    def _prepare(self, session: Session) -> None:
        if session.count <= AT_ONCE:
            while not session.indexed:
                session.work(chronicle=False, slices=10)

    @staticmethod
    def _first(session: Session) -> int:
        """The first step that has a row of its own."""
        return next(session.diagram.forwards(0), 0) if session.count else 0

    # -- views -------------------------------------------------------------------------------

    @property
    def view(self) -> View:
        """The view that shows (mounted at its first visit)."""
        return self.query_one(f"#view-{self.shown}", View)

    async def _show_view(self, name: str) -> None:
        switcher = self.query_one(ContentSwitcher)
        if not self.query(f"#view-{name}"):
            await switcher.mount(_VIEWS[name](id=f"view-{name}"))
        self.shown = name
        switcher.current = f"view-{name}"
        view = self.view
        view.narrow = self.size.width < NARROW
        view.bring()
        self.refresh_views()
        view.focus_pane()
        if name == "compare":
            self.compare()

    def action_view(self, name: str) -> None:
        """Another view of the same step."""
        if name in VIEWS:
            self.notice = self.busy and self.notice
            self.call_later(self._show_view, name)

    def refresh_views(self) -> None:
        """Draw everything for the present state."""
        if not self.query(f"#view-{self.shown}") or not self.view.ready:
            return
        state, view = self.state, self.view
        if not state.session.count:
            self.say("the trace has no steps yet", "warn")
        else:
            view.show(state)
            if view.NEEDS_MOMENT and state.moment is None and state.session.can_run:
                self.look_inside()
        self.query_one(TitleBar).show(state.session, self.shown, view.told())
        self.query_one(TabBar).show(self.shown)
        bar = self.query_one(TimelineBar)
        bar.differences = self.differences
        bar.curve = state.session.blame
        bar.show(state.session, state.step)
        if not self.notice:
            bar.say(view.hint())
        self.query_one(KeyBar).show("run", view.CONTEXT)

    def steps_from(self, step: int, by: int) -> Iterator[int]:
        # A view that has not shown anything yet (a trace without steps) has no steps.
        return iter(()) if self.view.state is None else self.view.steps_from(step, by)

    def shows(self, step: int) -> bool:
        return self.view.shows(step)

    def on_resize(self, event: Resize) -> None:
        if self.query(f"#view-{self.shown}"):
            self.view.narrow = event.size.width < NARROW
            self.view.bring()
            self.call_after_refresh(self.refresh_views)

    # -- sessions -------------------------------------------------------------------------------

    def open_session(self, session: Session, step: int | None = None) -> None:
        """Look at another run of this sitting."""
        self._prepare(session)
        matching = self.state.matching
        here = self._first(session) if step is None else min(step, session.last)
        self.state = State(session, here, since=self.state.step)
        if matching:
            self.state.matching = Matching(session, matching.text)
        self.other, self.differences = None, ()
        self.refresh_views()

    def open_comparison(self, base: Session, other: Session) -> None:
        """Side by side, the one with the rule off at the left, at the first difference."""
        left, right = (base, other) if base.without else (other, base)
        self.call_later(self._show_comparison, left, right)

    def put_beside(self, other: Session) -> None:
        """A run or a file from elsewhere, beside the present one."""
        self.runs.add(other)
        self.other = other
        self.call_later(self._show_comparison, self.session, other)

    async def _show_comparison(self, left: Session, right: Session) -> None:
        if self.shown != "compare":
            await self._show_view("compare")
        view = self.query_one(CompareView)
        view.put(left, right)
        self.state = State(left, view.first or 0)
        self.differences = view.differences()
        self.refresh_views()

    # -- work in slices -----------------------------------------------------------------------

    def _work(self) -> None:
        """Index, chronicle and filter, a few milliseconds at a time."""
        session, matching = self.session, self.state.matching
        if self.following and session.trace.refresh():
            self.go(session.last, keep=session.live is not None)
        until = time.perf_counter() + SLICE_S
        needed = self.view.NEEDS_CHRONICLE if self.query(f"#view-{self.shown}") else False
        wants = needed or session.count <= AT_ONCE
        busy = False
        while time.perf_counter() < until:
            worked = matching.work(100) if matching and not matching.done else False
            worked = session.work(chronicle=wants) or worked
            if not worked:
                break
            busy = True
        if busy:
            self._slices += 1
            if self._slices % TELL_EVERY == 0:
                self.query_one(TimelineBar).refresh()
                if needed or matching:
                    self.refresh_views()
        elif self._slices:
            self._slices = 0
            self.refresh_views()

    # -- the filter ------------------------------------------------------------------------------

    def action_filter(self) -> None:
        """Write a filter."""
        field = self.query_one("#filter", Input)
        field.add_class("-open")
        self.set_focus(field)  # at once: the next key belongs to it already

    @on(Input.Changed, "#filter")
    def filter_changed(self, event: Input.Changed) -> None:
        """Valid or not, as it is typed."""
        try:
            matching = Matching(self.session, event.value, self.state.lit or ())
        except FilterError as error:
            event.input.add_class("-bad")
            self.say(str(error), "bad")
            return
        event.input.remove_class("-bad")
        self.state.matching = matching if matching else None
        if self.session.count <= AT_ONCE:
            while matching.work():
                pass
        self.refresh_views()
        offered = complete(event.value, self.session.columns.words.texts)
        if event.value and offered:
            self.say("tab: " + "  ".join(offered[:8]))

    @on(Input.Submitted, "#filter")
    def filter_done(self, event: Input.Submitted) -> None:
        """Back to the view; an empty filter is none."""
        if not event.input.has_class("-bad"):
            event.input.set_class(bool(event.value), "-open")
            self.view.focus_pane()

    def action_pane(self, by: int) -> None:
        """The next pane; in the filter: complete the word."""
        field = self.query_one("#filter", Input)
        if field.has_focus:
            offered = complete(field.value, self.session.columns.words.texts)
            if offered:
                field.value = offered[0]
                field.cursor_position = len(field.value)
            return
        self.view.focus_pane(by)

    # -- panes ------------------------------------------------------------------------------------

    def action_maximise(self) -> None:
        """The focused pane alone, and back."""
        if self.maximized is not None:
            self.minimize()
        elif isinstance(self.focused, Pane):
            self.maximize(self.focused)

    def action_jump(self) -> None:
        """Panes by number."""
        from tui.screens.menus import Entry, Menu

        entries = [Entry("pane", pane.english, "", pane) for pane in self.view.panes()]
        self.app.push_screen(Menu("jump to a pane", entries), self._jumped)

    def _jumped(self, pane: Pane | None) -> None:
        if pane is not None:
            self.view.bring(pane)
            pane.focus()

    def action_back(self) -> None:
        """Close what is open: a filter, a run that goes, what is lit, at last the run itself."""
        field = self.query_one("#filter", Input)
        if field.has_focus or (field.has_class("-open") and not field.value):
            field.value = ""
            field.remove_class("-open", "-bad")
            self.view.focus_pane()
        elif self.cancel_run():
            return
        elif self.maximized is not None:
            self.minimize()
        elif self.state.lit is not None:
            self.state.lit = None
            self.refresh_views()
        elif self.shown != self.home:
            self.action_view(self.home)
        elif self.session.live is not None:
            self.leave_live(self._leave)
        else:
            self._leave()

    def _leave(self) -> None:
        self.app.call_later(self.app.action_leave_run)  # type: ignore[attr-defined]

    # -- what views and bars want ----------------------------------------------------------------

    @on(Wanted)
    def wanted(self, message: Wanted) -> None:
        """A view asks for an action of the workbench."""
        message.stop()
        _WISHES[message.action](self, *message.arguments)

    @on(Bar.Acted)
    def bar_acted(self, message: Bar.Acted) -> None:
        """A click or the wheel on a bar."""
        what, argument = message.act
        if what == "play":
            self.action_play()
        elif what == "step":
            self.action_step(argument)
        elif what == "view":
            self.action_view(argument)

    @on(Pane.Acted)
    def pane_acted(self, message: Pane.Acted) -> None:
        """A double click on a title."""
        if message.act[0] == "maximise":
            message.pane.focus()
            self.action_maximise()

    def explore_from(self, session: Session, step: int) -> None:
        """Search what may follow on a step, in the Explore view."""
        self.call_later(self._explore_from, session, step)

    async def _explore_from(self, session: Session, step: int) -> None:
        await self._show_view("explore")
        self.query_one(ExploreView).search_from(session, step)

    def add_session(self, session: Session, step: int) -> None:
        """A run from elsewhere (a finding): look at it in the diagram."""
        self.runs.add(session)
        self.open_session(session, step)
        self.action_view("replay")

    def open_lesson(self, scenario: Scenario, deeds: tuple[Deed, ...] = ()) -> None:
        """Play what a lesson plays."""

        def done(session: Session) -> None:
            self.runs.add(session)
            self.open_session(session)

        self.run(f"playing {scenario.name}", done, scenario=scenario, without=(), deeds=deeds)

    def forget_notice(self) -> None:
        """A view has something else to say now."""
        self.notice = ""
        self.refresh_views()

    def step_quietly(self, step: int) -> None:
        """Compare moved by itself: only the timeline follows."""
        self.state.step = step
        self.query_one(TimelineBar).show(self.session, step)

    def compared(self, left: Session) -> None:
        """Compare swapped its sides."""
        self.state = State(left, min(self.state.step, left.last))
        self.differences = self.query_one(CompareView).differences()
        self.refresh_views()


_WISHES: dict[str, Any] = {
    "say": Workbench.say,
    "hint": Workbench.forget_notice,
    "view": Workbench.action_view,
    "why": Workbench.action_why,
    "then": Workbench.action_then,
    "rules": Workbench.action_rules,
    "fault": Workbench.action_fault,
    "answer": Workbench.ask_answer,
    "edit_frame": Workbench.edit_frame,
    "step_quietly": Workbench.step_quietly,
    "compared": Workbench.compared,
    "add": Workbench.add_session,
    "lesson": Workbench.open_lesson,
    "branch": Workbench.branch,
}
