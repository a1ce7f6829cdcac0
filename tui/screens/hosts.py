"""Hosts: sessions, stored rows, links, handlers that wait, timers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Grid

from tui.drawing import hosts
from tui.drawing.lines import Line, line
from tui.keys import bindings
from tui.screens.channels import _identifier
from tui.screens.view import BranchAsked, State, View, Wanted
from tui.session import Deed
from tui.widgets.pane import Pane
from tui.widgets.step_view import StepTo

PARTS = ("both", "durable", "volatile")


class HostPane(Pane):
    """One host, or the links between all of them (``host`` is "")."""

    def __init__(self, host: str, kind: str) -> None:
        super().__init__(host or "links", id=f"host-{_identifier(host) or 'links'}")
        self.host, self.kind = host, kind
        self.look: hosts.View | None = None

    def lines(self, width: int) -> Sequence[Line]:
        if self.look is None:
            return ()
        session = self.look.session
        if not session.know(self.look.step):
            return [
                line((f"reading the run: {session.chronicle.steps / session.count:.0%}", "dim"))
            ]
        view = hosts.View(
            session, self.look.step, self.look.since, width,
            self.look.part, self.look.changed, self.look.moment,
        )  # fmt: skip
        return hosts.draw(view, self.host) if self.host else hosts.links(view)

    def show(self, look: hosts.View) -> None:
        """Another step, or another way to look."""
        self.look = look
        if self.host:
            self.titled(hosts.title_of(look, self.host, self.kind))
        self.changed()


class HostsView(View):
    """A pane per host, and one for the links."""

    CONTEXT = "hosts"
    NEEDS_CHRONICLE = True
    NEEDS_MOMENT = True
    ABOUT = (
        "Every host from inside at this step: the connections in which it believes, the "
        "calls and lines of code that its handlers wait on, its timers, and what it has "
        "stored. v shows what a crash would leave (durable) or take (volatile); + ~ - mark "
        "what changed since the step you looked at before; w goes to the step that wrote a row."
    )
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("hosts")]
    DEFAULT_CSS = """
    HostsView Grid { grid-size: 2; width: 1fr; height: 1fr; }
    """

    part = 0
    changed_only = False
    _shown: tuple[tuple[str, str], ...] = ()

    def compose(self) -> ComposeResult:
        yield Grid(id="host-panes")

    def show(self, state: State) -> None:
        super().show(state)
        wanted = (*hosts.hosts_of(state.session), ("", "links"))
        if wanted != self._shown:
            self._shown = wanted
            self.call_later(self._rebuild)
            return
        look = hosts.View(
            state.session, state.step, state.since, 80,
            PARTS[self.part], self.changed_only, state.moment,
        )  # fmt: skip
        for pane in self.query(HostPane):
            pane.show(look)

    async def _rebuild(self) -> None:
        place = self.query_one("#host-panes", Grid)
        await place.remove_children()
        centre = self.state.session.record.centre if self.state is not None else ""
        order = sorted(self._shown, key=lambda host: _place(host[1], centre))
        await place.mount_all([HostPane(name, kind) for name, kind in order])
        self.bring()
        if self.state is not None:
            self.show(self.state)
        self.focus_pane()

    def told(self) -> str:
        since = self.state.since if self.state is not None else -1
        return f"changed since step {since}" if since >= 0 else ""

    def hint(self) -> str:
        return f"+ new   ~ changed   - gone      v: {PARTS[self.part]}"

    # -- keys ------------------------------------------------------------------------------

    def action_changes(self) -> None:
        """Only what changed, or everything."""
        self.changed_only = not self.changed_only
        self._again()

    def action_part(self) -> None:
        """Both, durable, volatile."""
        self.part = (self.part + 1) % len(PARTS)
        self._again()

    def _again(self) -> None:
        if self.state is not None:
            self.show(self.state)
        self.post_message(Wanted("hint"))

    def action_writer(self) -> None:
        """To the step that wrote the chosen row, or asked the call."""
        pane = self.screen.focused
        row = pane.chosen_row if isinstance(pane, HostPane) else None
        if isinstance(row, int):
            self.post_message(StepTo(row))
        else:
            self.post_message(Wanted("say", "choose a row with j and k first", "warn"))

    def on_pane_chosen(self, message: Pane.Chosen) -> None:
        message.stop()
        if isinstance(message.row, int):
            self.post_message(StepTo(message.row))

    def action_retry(self) -> None:
        """The person at the desktop presses retry."""
        pane = self.screen.focused
        if self.state is None or not isinstance(pane, HostPane) or pane.kind != "desktop":
            self.post_message(Wanted("say", "retry belongs to a desktop: choose its pane", "warn"))
            return
        deed = Deed(self.state.step, f"retry on {pane.host}", host=pane.host, act={"is": "retry"})
        self.post_message(BranchAsked(deed))

    def action_fault(self) -> None:
        """Faults of the chosen host."""
        pane = self.screen.focused
        self.post_message(Wanted("fault", pane.host if isinstance(pane, HostPane) else ""))

    def action_diagram(self) -> None:
        self.post_message(Wanted("view", "replay"))


def _place(kind: str, centre: str) -> int:
    """The host with which all others connect comes first, links and channels last."""
    return {centre: 0, "slack": 2, "telegram": 2, "x": 2, "links": 9}.get(kind, 1)
