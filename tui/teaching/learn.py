"""A lesson in a terminal or a pipe: the same parts and goals as on the screen, in lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from sim.core import event as events
from sim.core.errors import HooktwinError, UsageError
from sim.play import load
from sim.scenario.lesson import Change, Question, Said
from sim.scenario.syntax import Scenario
from tui.feeds.runner import run_session
from tui.plain import sentence
from tui.session import Deed, Session
from tui.teaching.progress import Place, Progress
from tui.teaching.shelf import Lesson, lessons
from tui.teaching.talk import Talk
from tui.teaching.verdict import verdict

TITLES: dict[Place, str] = {
    "predict": "Predict", "run": "Run", "break": "Break it", "fix": "Fix it",
    "why": "Say why", "done": "finished",
}  # fmt: skip
KEYS: tuple[tuple[str, str], ...] = (
    ("enter", "one step on (n, too)"), ("N", "one step back"),
    ("g", "step on until the next goal holds"), ("]", "on to the next fault or finding"),
    ("$", "to the end of the run"), ("x", "do to the run what the lesson is about"),
    ("5", "search for a schedule that breaks"), ("h", "a hint"), ("r", "read it again"),
    ("R", "begin the lesson again"), ("?", "these keys"), ("q", "leave"),
)  # fmt: skip
WORD = 12
AROUND = 2
"""Steps that are told before the one that broke."""


class Left(HooktwinError):
    """The reader has had enough."""


class Teacher:
    """Teaches one lesson to its end; ``driver`` moves the hosts."""

    def __init__(self, lesson: Lesson, talk: Talk, *, driver: str = "trio") -> None:
        self.talk, self.driver = talk, driver
        self.lesson = lesson
        self.progress = Progress(lesson)
        self.session: Session
        self.step = 0
        self.acts: dict[str, Callable[[], object]] = {
            "": self.on, "n": self.on, "N": self.back, "g": self.to_goal, "]": self.to_mark,
            "$": self.to_end, "x": self.try_something, "5": self.search, "h": self.hint,
            "r": self.read, "R": self.begin, "?": self.keys,
        }  # fmt: skip

    def teach(self) -> None:
        """The whole lesson. Raises Left and NothingMore when the reader goes before its end."""
        self.begin()
        shown: Place | None = None
        while not self.progress.finished:
            place = self.progress.place
            if place != shown:
                self._announce(place)
                shown = place
            if self.progress.question is not None:
                self._question(self.progress.question)
            else:
                self._command()
        self._end()

    def begin(self) -> None:
        """The lesson from its start."""
        self.progress = Progress(self.lesson)
        self.play(self.lesson.scenario)
        self.read()

    # -- what is said --------------------------------------------------------------------------

    def own(self, text: Said) -> str:
        """A text of the lesson in the reader's language."""
        return text.within(self.talk.language)

    def read(self) -> None:
        """The texts of the lesson."""
        number = next((n for n, one in enumerate(lessons(), 1) if one.id == self.lesson.id), 0)
        head = f"{number}  " if number else ""
        self.talk.say()
        self.talk.say(f"{head}{self.own(self.lesson.title)}")
        for paragraph in self.lesson.written.read:
            self.talk.say()
            self.talk.say(self.own(paragraph))
        self.talk.say()
        for word, meaning in self.lesson.written.words:
            self.talk.item(word, self.own(meaning), WORD)

    def _announce(self, place: Place) -> None:
        places, talk = self.progress.places, self.talk
        talk.say()
        title = talk.speech(TITLES[place])
        talk.said("part {n} of {m}: {title}", n=places.index(place) + 1, m=len(places), title=title)
        if self.progress.question is not None:
            return
        for held, goal in zip(self.progress.held, self.lesson.goals, strict=True):
            if goal.part == place:
                talk.item("[x]" if held else "[ ]", self.own(goal.text))
        talk.say(
            "enter steps on, ? tells all keys" if place == "run" else "x shows what you may try"
        )

    def keys(self) -> None:
        """What can be typed."""
        for key, told in KEYS:
            self.talk.item(self.talk.speech(key), self.talk.speech(told), len(KEYS[0][0]))

    def hint(self) -> None:
        """The author's hint, and the goal that is next."""
        goal = self.progress.goal
        if goal is not None and self.progress.question is None:
            self.talk.item("[ ]", f"{self.own(goal.text)}  ({goal.key})")
        self.talk.say(self.own(self.lesson.written.hint), indent=2)

    # -- questions and commands ----------------------------------------------------------------

    def _question(self, asked: Question) -> None:
        place = self.progress.place
        chosen = self._choose(self.own(asked.text), [self.own(one) for one in asked.answers])
        if chosen is None:
            return
        right = self.progress.answer(chosen)
        if place == "predict":
            self.talk.say("we shall see: the run will tell")
        else:
            self.talk.say("right" if right else "not quite: look again (h gives a hint)")

    def _choose(self, text: str, choices: Sequence[str]) -> int | None:
        """Ask until one of these has been chosen by its number; None: something else was done."""
        talk = self.talk
        talk.say(text)
        for number, choice in enumerate(choices, 1):
            talk.item(str(number), choice)
        numbers = [str(n) for n in range(1, len(choices) + 1)]
        while True:
            told = self._told(f"1-{len(choices)}")
            if told in numbers:
                return int(told) - 1
            if told in ("h", "r", "R", "?"):
                self.acts[told]()
                if told == "R":
                    return None
            else:
                talk.unknown(told, (*numbers, "h", "r", "R", "?", "q"))

    def _told(self, prompt: str) -> str:
        told = self.talk.ask(prompt)
        if told == "q":
            raise Left("left")
        return told

    def _command(self) -> None:
        told = self._told(f"{self.step}/{self.session.last} ")
        act = self.acts.get(told)
        if act is None:
            self.talk.unknown(told, [key for key, _ in KEYS])
        else:
            act()

    # -- moving --------------------------------------------------------------------------------

    def play(self, scenario: Scenario, deeds: tuple[Deed, ...] = ()) -> None:
        """Make the run, and stand at its first step."""
        self.session = run_session(scenario, deeds=deeds, driver=self.driver)
        self.session.finish()
        self.step = next(self.session.diagram.forwards(0), 0)

    def tell(self) -> None:
        """This step in one sentence, and the goals that hold now."""
        self.talk.say(sentence(self.session, self.step, self.talk.speech))
        before = list(self.progress.held)
        self.progress.look(self.session, self.step)
        for was, now, goal in zip(before, self.progress.held, self.lesson.goals, strict=True):
            if now and not was:
                self.talk.item("[x]", self.own(goal.text))
        if self.progress.place != "run" and before != self.progress.held:
            self._compare()

    def _compare(self) -> None:
        """When the run has been seen: was the prediction right?"""
        asked, guess = self.lesson.written.prediction, self.progress.guess
        if asked is None or guess is None or self.progress.place != "break":
            return
        if guess == asked.right:
            self.talk.say("you predicted it: the run says so too")
        else:
            self.talk.say("you predicted something else; the run says:")
            self.talk.say(self.own(asked.answers[asked.right]), indent=2)

    def _ahead(self) -> Iterator[int]:
        return self.session.diagram.forwards(self.step + 1)

    def on(self) -> None:
        """One step on."""
        step = next(self._ahead(), None)
        if step is None:
            self._at_end()
        else:
            self.step = step
            self.tell()

    def back(self) -> None:
        """One step back."""
        self.step = next(self.session.diagram.backwards(self.step - 1), self.step)
        self.tell()

    def to_goal(self) -> None:
        """On until one more goal holds."""
        before = sum(self.progress.held)
        for step in self._ahead():
            self.step = step
            self.tell()
            if sum(self.progress.held) > before:
                return
        self._at_end()

    def to_mark(self) -> None:
        """On to the next fault or finding."""
        broken = {violation.step for violation in self.session.violations}
        for step in range(self.step + 1, self.session.count):
            if step in broken or isinstance(self.session.event(step), events.FaultInjected):
                self.step = step
                self.tell()
                return
        self._at_end()

    def to_end(self) -> None:
        """To the end of the run."""
        self.step = self.session.last
        self.tell()

    def _at_end(self) -> None:
        self.step = self.session.last
        self.progress.look(self.session, self.step)
        self.talk.say("the run is over: N goes back, R begins the lesson again")

    # -- doing ---------------------------------------------------------------------------------

    def try_something(self) -> None:
        """Break it, mend it, or cut a connection."""
        choices, goal = self.progress.choices, self.progress.goal
        if choices:
            self._try(choices)
            return
        cuts = goal is not None and goal.kind == "cut"
        deed = self.lesson.deed(self.session, self.step) if cuts else None
        if deed is None:
            self.talk.say("there is nothing to do here in this lesson")
            return
        step = self.step
        self.play(self.session.scenario or self.lesson.scenario, (deed,))
        self.talk.say(deed.label)
        self.step = step
        self.on()

    def _try(self, choices: Sequence[Change]) -> None:
        title = self.talk.speech(TITLES[self.progress.place])
        chosen = self._choose(title, [self.own(one.text) for one in choices])
        if chosen is None:
            return
        change = choices[chosen]
        fixes = self.progress.place == "fix"
        try:
            own = self._file() if change.own else None
            played = self.progress.choose(change, own)
            self.play(played, self.progress.deeds if fixes and own is None else ())
        except UsageError as error:
            self.talk.say(str(error))
            return
        self._judge()

    def _file(self) -> Scenario:
        """The reader's own scenario. Raises UsageError for what is none."""
        return load(Path(self._told(self.talk.speech("the path of its file"))))

    def _judge(self) -> None:
        """Say what came of a run, and stand where it shows."""
        session, talk = self.session, self.talk
        for step in range(session.count):
            if isinstance(session.event(step), events.FaultInjected):
                talk.say(sentence(session, step, talk.speech))
        for told in verdict(session, talk.speech):
            talk.say(told)
        if not session.violations and session.result is not None and session.result.ok:
            self.to_end()
            return
        steps = [violation.step for violation in session.violations]
        self.step = min((*steps, session.last))
        before = session.diagram.backwards(self.step - 1)
        for step in reversed([step for step, _ in zip(before, range(AROUND), strict=False)]):
            talk.say(sentence(session, step, talk.speech))
        self.tell()

    def search(self) -> None:
        """Look for a schedule that breaks, and open it."""
        from tui.feeds import searching

        if self.progress.place != "break":
            self.talk.say("there is nothing to do here in this lesson")
            return
        self.talk.say("searching other schedules; Ctrl-C ends it")
        case = searching.case_for(self.session)
        found = searching.search(case).found
        if not found:
            self.talk.say("the search found nothing")
            return
        finding = searching.examined(case, found[0])
        self.talk.say(f"{finding.invariant}: {finding.text}", indent=2)
        for one in finding.schedule.steps:
            self.talk.item("·", f"{one.at}: {one.do}")
        self.session = searching.session_of(case, finding.schedule, finding.invariant)
        self.session.finish()
        self._judge()

    def _end(self) -> None:
        because = self.lesson.written.because
        if because is not None:
            self.talk.say()
            self.talk.say(self.own(because))
        self.talk.say()
        self.talk.said("lesson finished: {title}", title=self.own(self.lesson.title))
