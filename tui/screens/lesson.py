"""Lesson: a text to read, a small diagram, things to try, and the code that waits."""

from __future__ import annotations

import linecache
from collections.abc import Sequence
from pathlib import PurePath
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message

from sim.scenario.lesson import Said
from tui.drawing.lines import Line, line, wrap
from tui.keys import bindings
from tui.lessons import Lesson, Progress, lessons
from tui.screens.menus import Entry, Menu
from tui.screens.view import BranchAsked, State, View, Wanted
from tui.session import Session
from tui.widgets.diagram_view import DiagramView
from tui.widgets.pane import Pane
from tui.widgets.panels import Panel

AROUND = 5


class Finished(Message):
    """All goals of a lesson have held, and its question is answered."""

    def __init__(self, lesson: str) -> None:
        super().__init__()
        self.lesson = lesson


class LessonView(View):
    """One lesson at a time."""

    CONTEXT = "lesson"
    NEEDS_MOMENT = True
    ABOUT = (
        "Lessons for newcomers. Read, then do what stands under Try: a goal is ticked when it "
        "holds in the run. You cannot break anything: N goes back, R begins again, x does to "
        "the run what the lesson is about, a answers its question, l goes to the next one."
    )
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("lesson")]
    DEFAULT_CSS = """
    LessonView #read { width: 46; }
    LessonView #small { height: 3fr; }
    LessonView #code { height: 14; }
    """

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        wanted = getattr(self.app, "lesson", None)
        self.progress = Progress(wanted if isinstance(wanted, Lesson) else lessons()[0])

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Panel("read", self._read, id="read")
            with Vertical(id="lesson-right"):
                yield DiagramView("sequence  (only what this lesson needs)", id="small")
                yield Panel("the code that is waiting", self._code, id="code")

    _asked: Progress | None = None
    """The lesson whose run is being made: it is asked for once."""

    @property
    def lesson(self) -> Lesson:
        return self.progress.lesson

    def show(self, state: State) -> None:
        super().show(state)
        if not self.lesson.fits(state.session):
            if self._asked is not self.progress:
                self._asked = self.progress
                self.post_message(Wanted("lesson", self.lesson))
            return
        self._asked = None
        self.progress.look(state.session, state.step)
        if self.progress.finished:
            self.post_message(Finished(self.lesson.id))
        diagram = self.query_one(DiagramView)
        wanted = self.lesson.written.lanes
        diagram.only = tuple(n for n, kind in state.session.lanes() if kind in wanted)
        diagram.show(state.session, state.step, fresh=diagram.session is not state.session)
        read = self.query_one("#read", Panel)
        read.session, read.step = state.session, state.step
        read.titled(
            f"lesson {self._place() + 1} of {len(lessons())}  {self._said(self.lesson.title)}"
        )
        read.changed()
        code = self.query_one("#code", Panel)
        code.show(state.session, state.step)

    def _place(self) -> int:
        """Among all lessons."""
        return [one.name for one in lessons()].index(self.lesson.name)

    def told(self) -> str:
        done = sum(self.progress.held) + self.progress.answered
        return f"step {done} of {len(self.lesson.goals) + 1}"

    def hint(self) -> str:
        if self.progress.finished:
            return "this lesson is finished: l goes to the next one"
        return "you cannot break anything: N goes back, R begins the lesson again"

    # -- panels -------------------------------------------------------------------------------

    def _read(self, session: Session, step: int, width: int) -> Sequence[Line]:
        lines: list[Line] = []
        for paragraph in self.lesson.written.read:
            lines += [line(row) for row in wrap(self._said(paragraph), width)]
            lines.append(line())
        lines.append(line(("Words", "head")))
        for word, meaning in self.lesson.written.words:
            rows = wrap(self._said(meaning), width - 14)
            lines.append(line((f"  {word:<11} ", "strong"), rows[0]))
            lines += [line(" " * 14, row) for row in rows[1:]]
        lines += [line(), line(("Try", "head"))]
        for held, goal in zip(self.progress.held, self.lesson.goals, strict=True):
            sign, role = ("[x]", "good") if held else ("[ ]", "")
            lines.append(
                line((f"  {sign} ", role), self._said(goal.text), (f"  {goal.key}", "dim"))
            )
        sign, role = ("[x]", "good") if self.progress.answered else ("[ ]", "")
        lines.append(line((f"  {sign} ", role), "answer the question", ("  a", "dim")))
        if self.progress.finished:
            lines += [line(), line(("finished", "good"))]
        return lines

    def _said(self, text: Said) -> str:
        """A text of the lesson in the reader's language."""
        return text.within(self.query_one("#read", Panel).speech.language)

    def _code(self, session: Session, step: int, width: int) -> Sequence[Line]:
        moment = self.state.moment if self.state is not None else None
        waiting = moment.waiting if moment is not None and moment.step == step else ()
        servers = [one for one in waiting if dict(session.lanes()).get(one.host) == "server"]
        if not servers:
            return [line(("nobody waits at this step", "dim"))]
        one = servers[0]
        found = [line((f"{one.host} {one.handler}: {PurePath(one.path).name}", "strong"))]
        for number in range(one.line - AROUND, one.line + AROUND + 1):
            text = linecache.getline(one.path, number).rstrip()
            here = number == one.line
            sign = "┊" if here else " "
            found.append(
                line(
                    (f"{number:>4} {sign} ", "warn" if here else "dim"),
                    (text.expandtabs(4), "strong" if here else ""),
                )
            )
        return found

    # -- keys -----------------------------------------------------------------------------------

    def action_hint(self) -> None:
        """A hint."""
        self.post_message(Wanted("say", self._said(self.lesson.written.hint), "warn"))

    def action_lesson_cut(self) -> None:
        """What the lesson is about."""
        if self.state is None:
            return
        deed = self.lesson.deed(self.state.session, self.state.step)
        if deed is None:
            self.post_message(Wanted("say", "there is nothing to do here in this lesson", "warn"))
        else:
            self.post_message(BranchAsked(deed))

    def action_lesson_answer(self) -> None:
        """The question."""
        question = self.lesson.question
        if not all(self.progress.held):
            self.post_message(Wanted("say", "first reach the goals above", "warn"))
            return
        entries = [
            Entry("", self._said(one), "", place) for place, one in enumerate(question.answers)
        ]
        self.app.push_screen(Menu(self._said(question.text), entries), self._answered)

    def _answered(self, place: int | None) -> None:
        if place is None:
            return
        right = self.progress.answer(place)
        said = "right" if right else "not quite: look again"
        self.post_message(Wanted("say", said, "good" if right else "warn"))
        if self.state is not None:
            self.show(self.state)

    def action_lesson_restart(self) -> None:
        """Begin again."""
        self.begin(self.lesson)

    def action_lesson_next(self) -> None:
        """The next lesson, after the last the first."""
        self.begin(lessons()[(self._place() + 1) % len(lessons())])

    def begin(self, lesson: Lesson) -> None:
        """Another lesson."""
        self.progress = self._asked = Progress(lesson)
        self.post_message(Wanted("lesson", lesson))

    def on_pane_chosen(self, message: Pane.Chosen) -> None:
        message.stop()
