"""Lesson: a text to read, a small diagram, things to try, and the code that waits."""

from __future__ import annotations

import linecache
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message

from sim.core.errors import UsageError
from sim.play import load
from sim.scenario.lesson import Change, Said
from sim.scenario.syntax import Scenario
from tui.drawing.lines import Line, line, wrap
from tui.keys import bindings
from tui.screens.menus import Ask, Entry, Menu
from tui.screens.view import BranchAsked, State, View, Wanted
from tui.session import Deed, Session
from tui.teaching.progress import Place, Progress
from tui.teaching.shelf import Lesson, lessons
from tui.teaching.verdict import HOLDS, verdict
from tui.widgets.diagram_view import DiagramView
from tui.widgets.pane import Pane
from tui.widgets.panels import Panel

AROUND = 5
PARTS: dict[Place, tuple[str, str]] = {
    "predict": ("Predict", "a"),
    "run": ("Run", ""),
    "break": ("Break it", "x"),
    "fix": ("Fix it", "x"),
    "why": ("Say why", "a"),
    "done": ("finished", ""),
}
HINTS: dict[Place, str] = {
    "predict": "first say what you think will happen: a",
    "run": "you cannot spoil anything: N goes back, R begins the lesson again",
    "break": "x shows what you may try; then go to the end, or to where it breaks",
    "fix": "x shows what may mend it; then go to the end: $",
    "why": "a asks you why",
}


def trouble_with(path: str) -> str:
    """Why this file cannot be played; "" if it can."""
    try:
        load(Path(path))
    except UsageError as error:
        return str(error)
    return ""


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
        "Lessons for newcomers. Read, predict with a what will happen, step with n until the run "
        "has shown it, break it and mend it with x, and say why with a. A goal is ticked when it "
        "holds in the run. You cannot spoil anything: N goes back, R begins again, l goes to the "
        "next lesson."
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

    _asked: Scenario | None = None
    """What is being played: it is asked for once."""

    @property
    def lesson(self) -> Lesson:
        return self.progress.lesson

    def show(self, state: State) -> None:
        super().show(state)
        if not self.progress.fits(state.session):
            if self._asked is not self.progress.scenario:
                self._play()
            return
        self._asked = None
        self.progress.look(state.session, state.step)
        if self.progress.finished:
            self.post_message(Finished(self.lesson.id))
        diagram = self.query_one(DiagramView)
        diagram.only = self._lanes(state.session)
        diagram.show(state.session, state.step, fresh=diagram.session is not state.session)
        read = self.query_one("#read", Panel)
        read.session, read.step = state.session, state.step
        read.titled(
            f"lesson {self._place() + 1} of {len(lessons())}  {self._said(self.lesson.title)}"
        )
        read.changed()
        code = self.query_one("#code", Panel)
        code.show(state.session, state.step)

    def _play(self, deeds: tuple[Deed, ...] = ()) -> None:
        """Have the run made that the lesson is about now."""
        self._asked = self.progress.scenario
        self.post_message(Wanted("lesson", self._asked, deeds))

    def _lanes(self, session: Session) -> tuple[str, ...]:
        wanted = self.lesson.written.lanes
        return tuple(
            name
            for name, kind in session.lanes()
            if (kind in wanted if wanted else kind != "person")
        )

    def _place(self) -> int:
        """Among all lessons."""
        return [one.name for one in lessons()].index(self.lesson.name)

    def told(self) -> str:
        places = self.progress.places
        done = sum(self.progress.over(place) for place in places)
        told = self.query_one("#read", Panel).speech("part {n} of {m}")  # the bar has one text
        return told.format(n=min(done + 1, len(places)), m=len(places))

    def hint(self) -> str:
        if self.progress.finished:
            return "this lesson is finished: l goes to the next one"
        return HINTS.get(self.progress.place, "")

    # -- panels -------------------------------------------------------------------------------

    def _read(self, session: Session, step: int, width: int) -> Sequence[Line]:
        text: list[Line] = []
        for paragraph in self.lesson.written.read:
            text += [*map(line, wrap(self._said(paragraph), width)), line()]
        parts = [one for place in self.progress.places for one in self._part(place, width)]
        if self.progress.finished:
            return [*parts, line(), line(("finished", "good")), *self._because(width)]
        if self.progress.over("predict"):  # the text has been read: now the goals come first
            return [*parts, line(), *text, *self._words(width)]
        return [*text, *parts, line(), *self._words(width)]

    def _words(self, width: int) -> list[Line]:
        lines = [line(("Words", "head"))]
        for word, meaning in self.lesson.written.words:
            rows = wrap(self._said(meaning), width - 14)
            lines.append(line((f"  {word:<11} ", "strong"), rows[0]))
            lines += [line(" " * 14, row) for row in rows[1:]]
        return lines

    def _part(self, place: Place, width: int) -> list[Line]:
        """A part of the lesson; the present one in full."""
        over, here = self.progress.over(place), place == self.progress.place
        sign, role = ("[x] ", "good") if over else ("[ ] ", "head" if here else "dim")
        title, key = PARTS[place]
        lines = [line((sign, role), (title, "head" if here else role), (f"  {key}", "dim"))]
        if here and self.progress.question is not None:
            asked = self.progress.question
            lines += self._wrapped(self._said(asked.text), width)
            lines += self._numbered(asked.answers, width)
        elif here:
            for held, goal in zip(self.progress.held, self.lesson.goals, strict=True):
                if goal.part == place:
                    sign, role = ("[x]", "good") if held else ("[ ]", "")
                    text = f"{self._said(goal.text)}  {goal.key}"
                    rows = wrap(text, width - 8)
                    lines.append(line((f"    {sign} ", role), rows[0]))
                    lines += [line(" " * 8, row) for row in rows[1:]]
            lines += self._numbered([one.text for one in self.progress.choices], width)
            lines += self._tried(width)
        if place == "predict" and self.progress.guess is not None:
            lines += self._guessed(width)
        return lines

    def _numbered(self, texts: Sequence[Said], width: int) -> list[Line]:
        """What may be chosen, in full: a menu has one line for each."""
        lines: list[Line] = []
        for number, text in enumerate(texts, 1):
            rows = wrap(self._said(text), width - 6)
            lines.append(line((f"    {number} ", "dim"), rows[0]))
            lines += [line(" " * 6, row) for row in rows[1:]]
        return lines

    def _tried(self, width: int) -> list[Line]:
        """What the reader has just done to the run, and what came of it."""
        tried, state = self.progress.tried, self.state
        if tried is None or state is None:
            return []
        speech = self.query_one("#read", Panel).speech
        lines = [line(("    tried", "dim")), *self._wrapped(self._said(tried.text), width)]
        for told in verdict(state.session, speech):
            role = "good" if told == speech(HOLDS) else "bad"
            lines += [line("    ", (row, role)) for row in wrap(told, width - 4)]
        return lines

    def _guessed(self, width: int) -> list[Line]:
        """What was predicted; when the run has shown it, whether that was right."""
        asked, guess = self.lesson.written.prediction, self.progress.guess
        assert asked is not None and guess is not None  # noqa: PT018
        lines = self._wrapped(self._said(asked.answers[guess]), width)
        if not self.progress.over("run"):
            return lines
        if guess == asked.right:
            return [*lines, line(("    the run says so too", "good"))]
        right = self._wrapped(self._said(asked.answers[asked.right]), width)
        return [*lines, line(("    the run says otherwise", "warn")), *right]

    def _because(self, width: int) -> list[Line]:
        because = self.lesson.written.because
        return [] if because is None else [line(row) for row in wrap(self._said(because), width)]

    @staticmethod
    def _wrapped(text: str, width: int) -> list[Line]:
        return [line("    ", row) for row in wrap(text, width - 4)]

    def _said(self, text: Said) -> str:
        """A text of the lesson in the reader's language."""
        return text.within(self.query_one("#read", Panel).speech.language)

    def _code(self, session: Session, step: int, width: int) -> Sequence[Line]:
        moment = self.state.moment if self.state is not None else None
        waiting = moment.waiting if moment is not None and moment.step == step else ()
        centre, kinds = session.record.centre, dict(session.lanes())
        servers = [one for one in waiting if kinds.get(one.host) == centre]
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
        """What the lesson is about: cut, break, or mend."""
        if self.state is None:
            return
        goal, choices = self.progress.goal, self.progress.choices
        if choices:
            entries = self._entries([one.text for one in choices], choices)
            title = PARTS[self.progress.place][0]
            self.app.push_screen(Menu(title, entries), self._chosen)
            return
        wanted = goal is not None and goal.kind == "cut"
        deed = self.lesson.deed(self.state.session, self.state.step) if wanted else None
        if deed is None:
            self.post_message(Wanted("say", "there is nothing to do here in this lesson", "warn"))
        else:
            self.post_message(BranchAsked(deed))

    def _entries(self, texts: Sequence[Said], values: Sequence[object]) -> list[Entry]:
        pairs = enumerate(zip(texts, values, strict=True), 1)
        return [Entry(str(n), self._said(text), "", value) for n, (text, value) in pairs]

    def _chosen(self, change: Change | None) -> None:
        """Something to try: it is played, and its run decides."""
        if change is None:
            return
        looks = getattr(self.app, "looks", None)
        if change.own and getattr(looks, "restricted", False):
            told = "no files here: this screen is served to others"
            self.post_message(Wanted("say", told, "warn"))
        elif change.own:
            self.app.push_screen(
                Ask("a scenario of your own", "the path of its file", check=trouble_with),
                lambda path: self._own(change, path),
            )
        else:
            self._try(change, None)

    def _own(self, change: Change, path: str | None) -> None:
        if path:
            self._try(change, load(Path(path)))

    def _try(self, change: Change, own: Scenario | None) -> None:
        again = self.progress.place == "fix" and own is None
        self.progress.choose(change, own)
        self._play(self.progress.deeds if again else ())

    def action_lesson_answer(self) -> None:
        """The question."""
        question = self.progress.question
        if question is None:
            self.post_message(Wanted("say", "first reach the goals above", "warn"))
            return
        entries = self._entries(question.answers, range(len(question.answers)))
        self.app.push_screen(Menu(self._said(question.text), entries), self._answered)

    def _answered(self, place: int | None) -> None:
        if place is None:
            return
        predicts = self.progress.place == "predict"
        right = self.progress.answer(place)
        if predicts:
            self.post_message(Wanted("say", "now let the run tell: n steps on", "good"))
        else:
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
        self.progress = Progress(lesson)
        self._play()

    def on_pane_chosen(self, message: Pane.Chosen) -> None:
        message.stop()
