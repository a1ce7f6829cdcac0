"""The application: what it opens, its themes, its language; everything else is in screens."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import attrs
from textual import on
from textual.app import SystemCommand
from textual.binding import Binding
from textual.filter import LineFilter
from textual.screen import Screen
from textual.worker import Worker, WorkerState

from sim.cli.run_files import refuse_device
from sim.core.errors import HooktwinError, UsageError
from sim.core.trace import is_trace
from tui.drawing.lines import harmless
from tui.feeds.runner import run_session
from tui.glyphs import AsciiFilter
from tui.inorder import InOrder
from tui.keys import keys_of
from tui.language import Speech
from tui.screens.lesson import Finished
from tui.screens.start import Offer, Opened, StartScreen, offers
from tui.screens.workbench import Workbench
from tui.session import Session
from tui.teaching import keeping
from tui.teaching.shelf import Lesson, lessons
from tui.themes import DEFAULT, THEMES

AGAIN_S = 2.0
"""Two Ctrl-C within so long quit."""


@attrs.frozen
class Looks:
    """How the program looks: language, ASCII only, motion, theme."""

    language: str = "en"
    ascii: bool = False
    motion: bool = False
    theme: str = ""
    restricted: bool = False
    """Served to others: no file of this machine is opened."""

    keymap: Mapping[str, str] = attrs.field(factory=dict)
    """Keys by the ids of the table of keys, where they differ from it."""

    progress: Path | None = None
    """The file that remembers finished lessons between sittings; None: for this one only."""


class HooktwinApp(InOrder):
    """``what`` is a scenario, a trace file or a token; None shows the start screen."""

    CSS_PATH = Path(__file__).with_name("tui.tcss")
    TITLE = "hooktwin"
    ENABLE_COMMAND_PALETTE = True
    COMMAND_PALETTE_BINDING = "ctrl+p"

    BINDINGS: ClassVar[list[Any]] = [
        Binding("ctrl+c", "interrupt", "quit", show=False, priority=True, id="app.interrupt"),
    ]
    hurry = 0.0

    def __init__(
        self,
        what: str | Session | None = None,
        looks: Looks | None = None,
        *,
        step: int | None = None,
        view: str = "replay",
        seed: int | None = None,
        without: tuple[str, ...] = (),
        against: str | None = None,
    ) -> None:
        super().__init__()
        self.what = what
        self.looks = looks or Looks()
        self.speech = Speech(self.looks.language)
        self.first: tuple[int | None, str] = (step, view)
        self.other_run = (seed, without)
        self.against = against
        self.opened: list[str] = []
        self.finished = dict.fromkeys(keeping.remembered(self.looks.progress))
        self.trouble: str | None = None
        self.lesson: Lesson | None = None
        self.animation_level = "basic" if self.looks.motion else "none"

    def on_mount(self) -> None:
        self._leave_when_told()
        self.set_keymap(dict(self.looks.keymap))
        for theme in THEMES:
            self.register_theme(theme)
        wanted = self.looks.theme or DEFAULT
        self.theme = wanted if wanted in self.available_themes else DEFAULT
        if isinstance(self.what, Session):
            self.show(self.what)
        else:
            self.push_screen(StartScreen(self._offers()))
            if self.what:
                self.open(self.what)

    def _leave_when_told(self) -> None:
        """SIGTERM and SIGHUP end the program as q does: the terminal is left as it was."""
        if self.is_headless or threading.current_thread() is not threading.main_thread():
            return
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self.exit, None, 128 + number)

    def get_line_filters(self) -> Sequence[LineFilter]:
        """One more where only ASCII may be written."""
        filters = super().get_line_filters()
        return [*filters, AsciiFilter()] if self.looks.ascii else filters

    # -- opening --------------------------------------------------------------------------------

    def open(self, what: str) -> None:
        """Open a scenario, a trace file or a token, in a thread."""
        seed, without = self.other_run
        self.other_run = (None, ())  # only what the command line named runs like that
        self.run_worker(
            lambda: session_of(what, seed, without), name=f"open {what}", group="open", thread=True,
            exclusive=True, exit_on_error=False,
        )  # fmt: skip

    def show(self, session: Session) -> None:
        """A run in the workbench, at the step and in the view that were asked for."""
        step, view = self.first
        self.first = (None, "replay")
        bench = Workbench(session, step=step, view=view)
        self.push_screen(bench)
        if self.against is not None:
            other, self.against = self.against, None
            self.run_worker(
                lambda: session_of(other), name=f"against {other}", group="against", thread=True,
                exit_on_error=False,
            )  # fmt: skip

    @on(Worker.StateChanged)
    def opened_or_not(self, event: Worker.StateChanged) -> None:
        """What was opened is there, or cannot be."""
        worker = event.worker
        if worker.name.startswith("against ") and worker.state == WorkerState.SUCCESS:
            if isinstance(self.screen, Workbench) and worker.result is not None:
                self.screen.put_beside(worker.result)
            return
        if not worker.name.startswith(("open ", "against ")):
            return
        if worker.state == WorkerState.SUCCESS and worker.result is not None:
            self.opened.append(worker.name.removeprefix("open "))
            self.show(worker.result)
        elif worker.state == WorkerState.ERROR:
            error = worker.error
            if not isinstance(error, HooktwinError) and error is not None:
                raise error
            self.trouble = str(error)
            if self.what and len(self.screen_stack) == 2 and not self.opened:
                self.exit(return_code=2)  # asked for on the command line: say it there
            else:
                self.notify(harmless(str(error)), severity="error", markup=False)

    @on(Opened)
    def offer_opened(self, message: Opened) -> None:
        """Something of the start screen."""
        offer = message.offer
        if self.looks.restricted and offer.what in {"trace", "live"}:
            told = self.speech("no files here: this screen is served to others")
            self.notify(told, severity="warning")
            return
        if offer.what == "lesson":
            lesson = next(one for one in lessons() if one.id == offer.name)
            self.lesson = lesson
            self.first = (None, "lesson")
            self.open(lesson.name)
        else:
            self.open(offer.name)

    @on(Finished)
    def lesson_finished(self, message: Finished) -> None:
        """The start screen ticks it, in this sitting and in later ones."""
        if message.lesson not in self.finished:
            self.finished[message.lesson] = None
            keeping.remember(self.looks.progress, message.lesson)

    def _offers(self) -> list[Offer]:
        recent = list(dict.fromkeys(reversed(self.opened)))[:5]
        return offers(recent, tuple(self.finished), self.speech.language)

    async def action_leave_run(self) -> None:
        """Back to the start screen, or out where nobody has seen one."""
        if len(self.screen_stack) > 2 and self.what is None:
            await self.pop_screen()
            if isinstance(self.screen, StartScreen):
                self.screen.renew(self._offers())
        else:
            self.exit()

    def action_interrupt(self) -> None:
        """Ctrl-C: the first one says that a second one quits."""
        now = time.monotonic()
        if now - self.hurry < AGAIN_S:
            self.exit()
        self.hurry = now
        self.notify(self.speech("Ctrl-C again quits"), timeout=AGAIN_S)

    # -- the palette ---------------------------------------------------------------------------

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Textual's own, and every key by its sentence."""
        yield from super().get_system_commands(screen)
        bench = screen if isinstance(screen, Workbench) else None
        contexts = ("run", bench.view.CONTEXT) if bench is not None else ("start",)
        for key in keys_of(*contexts):
            yield SystemCommand(
                self.speech(key.help), f"{key.id}  ({key.label})", self._doer(key.action)
            )

    def _doer(self, action: str) -> Callable[[], Any]:
        async def do() -> None:
            screen = self.screen
            node = screen.focused or screen
            for place in node.ancestors_with_self:
                if hasattr(place, f"action_{action.partition('(')[0]}"):
                    await self.run_action(action, default_namespace=place)
                    return

        return do


def session_of(what: str, seed: int | None = None, without: tuple[str, ...] = ()) -> Session:
    """A session of a scenario (by path or name), a trace file, a token, or one that is
    going on, by its control address.

    Seed and rules that are off count for a scenario only.

    Raises UsageError for what is none of them.
    """
    if what.startswith("http://"):
        from tui.feeds.live import live_session

        return live_session(what)
    refuse_device(what)
    path = Path(what)
    try:
        found = path.is_file()
    except (OSError, ValueError):
        found = False
    if found:
        with path.open("rb") as file:
            if is_trace(file.read(64)):
                return Session.of_file(path)
    if what.endswith(".jsonl"):
        return Session.of_file(path)
    if not found and what.count("/") >= 2 and not what.endswith((".mmd", ".md")):
        from tui.feeds.searching import of_token

        return of_token(what)
    from sim.play import load

    return run_session(load(what), seed=seed, without=without)


__all__ = ["HooktwinApp", "Looks", "UsageError", "session_of"]
