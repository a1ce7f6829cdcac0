"""Acts on a session that is going on: no branch is made, they happen to it at once.

Every question to the session goes through a thread: it may be slow, or gone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual import on
from textual.worker import Worker, WorkerState

from sim.core.errors import UsageError
from tui.feeds.live import Live, LiveAct, Present, Refused, as_live
from tui.screens import living_faults
from tui.screens.menus import Entry, Menu
from tui.screens.navigating import Navigating
from tui.session import Deed

ACT = "live-act"
LOOK = "live-look"
"""The names of the threads."""


class Living(Navigating):
    """The part of the workbench that reaches into a running session."""

    def menu_of_live(self, live: Live, only: str) -> None:
        """What could be done to the session now."""
        menu = Menu("done to the running session at once", (), note="enter do it   esc cancel")
        self.app.push_screen(menu, lambda act: self.act_live(live, act))

        def ask() -> tuple[Menu, str, Present | UsageError]:
            try:
                return menu, only, live.present()
            except UsageError as error:
                return menu, only, error

        self.run_worker(ask, name=LOOK, group=LOOK, thread=True)

    def do_live(self, live: Live, deed: Deed) -> None:
        """A button, an answer, something else that a view wants to be done."""
        act = as_live(deed)
        if act is None:
            self.say(f"{deed.label}: {living_faults.THERE}", "warn")
        else:
            self.act_live(live, act)

    def act_live(self, live: Live, act: LiveAct | None) -> None:
        """Do it; the message row says what came of it."""
        if act is None:
            return
        self.say(f"{act.label} …")

        def do() -> tuple[LiveAct, int | UsageError | None]:
            try:
                return act, live.act(act)
            except UsageError as error:
                return act, error

        self.run_worker(do, name=ACT, group=ACT, thread=True)

    @on(Worker.StateChanged)
    def live_answered(self, event: Worker.StateChanged) -> None:
        """The session has answered, or has not."""
        worker: Worker[Any] = event.worker
        if worker.state != WorkerState.SUCCESS or worker.result is None:
            return
        if worker.name == ACT:
            self._told_of(*worker.result)
        elif worker.name == LOOK:
            self._present(*worker.result)

    def _present(self, menu: Menu, only: str, present: Present | UsageError) -> None:
        if isinstance(present, UsageError):
            if menu.is_current:
                menu.dismiss(None)
            self.say(str(present), "bad")
        else:
            speaks = self.session.protocol
            menu.fill(living_faults.entries_for(present, only, speaks))

    def _told_of(self, act: LiveAct, told: int | UsageError | None) -> None:
        if isinstance(told, Refused):
            self.say(f"{act.label}: refused: {told}", "warn")
        elif isinstance(told, UsageError):
            self.say(f"{act.label}: {told}", "bad")
        else:
            since = "it waits" if told is None else f"from step {told} on"
            self.say(f"{act.label}: done, {since}   F follows", "good")
            self.follow_on()

    def leave_live(self, leave: Callable[[], None]) -> None:
        """Ask first: another key was meant more often than the end of a session."""
        entries = (
            Entry("", "leave it", "hooktwin serve --tui ends with its terminal UI", True),
            Entry("", "stay", "", None),
        )

        def told(chosen: bool | None) -> None:
            if chosen:
                leave()

        self.app.push_screen(Menu("leave the running session?", entries), told)

    def follow_on(self) -> None:
        """Be at the end of the growing run, and stay there; what was said stays, too."""
        self.following = True
        self.session.trace.refresh()
        self.go(self.session.last, keep=True)
