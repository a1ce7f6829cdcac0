"""Reads the directives that make a scenario a lesson: ``@lesson``, ``@text``, ``@goal`` …"""

from __future__ import annotations

from typing import TypeVar, get_args

import attrs
from attrs import Factory, define

from sim.scenario.arguments import Arguments
from sim.scenario.directives import CARD_STATES, REQUEST_STATES, read_frame_type
from sim.scenario.kinds import CHANNEL_KINDS, KINDS
from sim.scenario.lesson import Change, Goal, GoalKind, Lesson, Part, Question, Said, Way
from sim.scenario.source import Span
from sim.scenario.switches import read_after, read_switch
from sim.world.helm import Step

T = TypeVar("T", bound=str)
_CHANGE = '"text" ["文字"] -rule|+rule|strike "…" after "…"|feature HOST -name|own'
LESSON_USAGES = {
    "lesson": '@lesson "title" ["标题"]',
    "lanes": "@lanes KIND …",
    "text": '@text "paragraph" ["段落"]',
    "word": '@word WORD "meaning" ["意思"]',
    "predict": '@predict "text" ["问题"]',
    "goal": '@goal KEY reached|waits|shown|cut|broken|clean|generation … "text" ["目标"]',
    "try": "@try cut [fin|rst|silent]",
    "break": f"@break {_CHANGE}",
    "fix": f"@fix {_CHANGE}",
    "question": '@question "text" ["问题"]',
    "wrong": '@wrong "answer" ["错的"]',
    "right": '@right "answer" ["对的"]',
    "hint": '@hint "text" ["提示"]',
    "because": '@because "text" ["原因"]',
}
_KINDS: tuple[GoalKind, ...] = get_args(GoalKind)
_WAYS: tuple[Way, ...] = get_args(Way)
_HOSTS = tuple(kind for kind in KINDS if kind not in (*CHANNEL_KINDS, "person"))
_CHANGES = ("-rule", "+rule", "strike", "feature", "own")
LONGEST_KEY = 6


@define
class Asked:
    """A question as far as it has been read."""

    text: Said | None = None
    answers: list[Said] = Factory(list)
    right: int | None = None

    def question(self) -> Question | None:
        """None as long as something is missing."""
        if self.text is None or self.right is None or len(self.answers) < 2:
            return None
        return Question(self.text, tuple(self.answers), self.right)


@define
class Teaching:
    """What the lesson directives of a file add up to."""

    begun: Arguments | None = None
    title: Said | None = None
    read: list[Said] = Factory(list)
    words: list[tuple[str, Said]] = Factory(list)
    goals: list[Goal] = Factory(list)
    prediction: Asked | None = None
    why: Asked = Factory(Asked)
    hint: Said | None = None
    because: Said | None = None
    lanes: tuple[str, ...] = ()
    way: Way | None = None
    breaks: list[Change] = Factory(list)
    fixes: list[Change] = Factory(list)
    answered: Asked | None = None
    """Whose answers are being read."""

    @property
    def part(self) -> Part:
        """To which part of the lesson a goal belongs that stands here."""
        return "fix" if self.fixes else "break" if self.breaks else "run"

    def lesson(self) -> Lesson | None:
        """The lesson, None for a file without one. Raises ScenarioError for half of one."""
        if self.begun is None:
            return None
        missing = [f"@{word}" for word, there in self._needed().items() if not there]
        title, question, hint = self.title, self.why.question(), self.hint
        if missing or title is None or question is None or hint is None:
            told = f"this lesson has no {missing[0]}; it needs " + ", ".join(
                f"@{word}" for word in self._needed()
            )
            raise self.begun.word.fail(told, missing, at=-1)
        return Lesson(
            title,
            tuple(self.read),
            tuple(self.words),
            tuple(self.goals),
            question,
            hint,
            self.lanes,
            self.way,
            self._predicted(),
            tuple(self.breaks),
            tuple(self.fixes),
            self.because,
        )

    def _needed(self) -> dict[str, bool]:
        """Without these a lesson teaches nothing, or cannot be finished."""
        parts = [goal.part for goal in self.goals]
        needed = {
            "text": bool(self.read),
            "goal": bool(self.goals),
            "question": self.why.text is not None,
            "right": self.why.right is not None,
            "wrong": len(self.why.answers) > 1,
            "hint": self.hint is not None,
        }
        if self.breaks:
            needed["goal behind @break"] = "break" in parts
        if self.fixes:
            needed["goal behind @fix"] = "fix" in parts
        return needed

    def _predicted(self) -> Question | None:
        """What is asked first. Raises ScenarioError for a question without its answers."""
        if self.prediction is None:
            return None
        found = self.prediction.question()
        if found is None:
            assert self.begun is not None
            told = "@predict needs one @right and a @wrong below it"
            raise self.begun.word.fail(told, ("@right", "@wrong"), at=-1)
        return found


def read_lesson(args: Arguments, so_far: Teaching, is_over: bool) -> None:
    """Take a directive whose word is in ``LESSON_USAGES`` into the lesson."""
    word = args.word.text
    if is_over:
        told = f"@{word} belongs in the head, before the first arrow or action"
        raise args.word.fail(told, at=-1)
    if word != "lesson" and so_far.begun is None:
        raise args.word.fail(f"@{word} belongs to a lesson", ('@lesson "title"',), at=-1)
    match word:
        case "lesson":
            _once(args, so_far.begun is None)
            so_far.begun, so_far.title = args, _said(args)
        case "lanes":
            _once(args, not so_far.lanes)
            so_far.lanes = _lanes(args)
        case "text":
            so_far.read.append(_said(args))
        case "word":
            meant = args.take("a word", ("gap",)).text
            so_far.words.append((meant, _said(args)))
        case "goal":
            so_far.goals.append(attrs.evolve(_goal(args), part=so_far.part))
        case "try":
            _once(args, so_far.way is None)
            so_far.way = _way(args)
        case "break" | "fix":
            _changed(args, so_far)
        case _:
            _asked(args, so_far)
    args.done()


def _changed(args: Arguments, so_far: Teaching) -> None:
    """Something to try: first what breaks the run, then what mends it."""
    if args.word.text == "fix":
        if not so_far.breaks:
            raise args.word.fail("@fix stands behind @break", ("@break",), at=-1)
        so_far.fixes.append(_change(args))
    elif so_far.fixes:
        raise args.word.fail("@break stands before @fix", at=-1)
    else:
        so_far.breaks.append(_change(args))


def _asked(args: Arguments, so_far: Teaching) -> None:
    """The questions, their answers, the hint, and the reason."""
    match args.word.text:
        case "predict":
            _once(args, so_far.prediction is None)
            so_far.prediction = so_far.answered = Asked(_said(args))
        case "question":
            _once(args, so_far.why.text is None)
            so_far.why.text = _said(args)
            so_far.answered = so_far.why
        case "hint":
            _once(args, so_far.hint is None)
            so_far.hint = _said(args)
        case "because":
            _once(args, so_far.because is None)
            so_far.because = _said(args)
        case word:
            asked = so_far.answered or so_far.why
            if word == "right":
                if asked.right is not None:
                    raise args.word.fail("@right stands twice for this question", at=-1)
                asked.right = len(asked.answers)
            asked.answers.append(_said(args))


def _once(args: Arguments, is_first: bool) -> None:
    if not is_first:
        raise args.word.fail(f"@{args.word.text} stands twice in this file", at=-1)


def _said(args: Arguments) -> Said:
    at = args.rest[0] if args.rest else args.end
    text = args.string()
    if not text.strip():
        raise at.fail("a text that says nothing", ('"text"',))
    return Said(text, args.string() if args.peek()[:1] == '"' else None)


def _lanes(args: Arguments) -> tuple[str, ...]:
    found: list[str] = []
    while args.rest or not found:
        found.append(args.choice("kind of lifeline", KINDS))
    return tuple(found)


def _way(args: Arguments) -> Way:
    args.choice("thing to do", ("cut",))
    return _one_of(args, "way to cut", _WAYS) if args.rest else "rst"


def _one_of(args: Arguments, what: str, known: tuple[T, ...]) -> T:
    wanted = args.choice(what, known)
    return next(one for one in known if one == wanted)


def _change(args: Arguments) -> Change:
    """``"text" "文字" -rule strike "…" after "…"``: at least one thing to change."""
    line, column, text = args.word.line, args.word.column - 1, _said(args)
    if args.skip("own"):
        return Change(line, column, text, own=True)
    rules: list[tuple[str, bool]] = []
    features: list[tuple[str, str, bool]] = []
    steps: list[Step] = []
    while args.rest or not (rules or features or steps):
        if args.skip("strike"):
            fault = args.string()
            steps.append(Step(read_after(args, "after"), fault))
        elif args.skip("feature"):
            host = args.host()
            features.append((host, *read_switch(args, "feature", args.scope.vocabulary.features)))
        elif args.peek()[:1] in ("-", "+"):
            rules.append(read_switch(args, "rule", args.scope.vocabulary.rules))
        else:
            told = f"what it changes is missing or not known: {args.usage}"
            raise args.fail_here(told, _CHANGES)
    return Change(line, column, text, tuple(rules), tuple(features), tuple(steps))


def _goal(args: Arguments) -> Goal:
    key = _key(args.take("a key", ("n", "]", "$", "x")))
    kind = _one_of(args, "kind of goal", _KINDS)
    what = call = ""
    number = 1
    if kind == "reached":
        what = read_frame_type(args)
        number = _number(args) if args.peek()[:1].isdigit() else 1
    elif kind == "waits":
        what = args.choice("kind of host", _HOSTS)
        call = "" if args.peek()[:1] == '"' else args.take("a call", ("edit", "post")).text
    elif kind == "shown":
        what = args.choice("state", (*REQUEST_STATES, *CARD_STATES))
    elif kind == "generation":
        number = _number(args)
    line, column = args.word.line, args.word.column - 1
    return Goal(line, column, key, kind, _said(args), what, call, number)


def _key(at: Span) -> str:
    if len(at.text) > LONGEST_KEY or at.text[:1] == '"':
        raise at.fail(f"{at.text[:40]!r} is no key", ("n", "]", "$", "x"))
    return at.text


def _number(args: Arguments) -> int:
    at = args.rest[0] if args.rest else args.end
    found = args.number()
    if found < 1:
        raise at.fail("it is counted from 1", ("1", "2"))
    return found
