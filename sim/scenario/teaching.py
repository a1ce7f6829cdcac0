"""Reads the directives that make a scenario a lesson: ``@lesson``, ``@text``, ``@goal`` …"""

from __future__ import annotations

from typing import TypeVar, get_args

from attrs import Factory, define

from sim.scenario.arguments import Arguments
from sim.scenario.directives import CARD_STATES, REQUEST_STATES, read_frame_type
from sim.scenario.lesson import Goal, GoalKind, Lane, Lesson, Question, Said, Way
from sim.scenario.source import Span

T = TypeVar("T", bound=str)
LESSON_USAGES = {
    "lesson": '@lesson "title" ["标题"]',
    "lanes": "@lanes KIND …",
    "text": '@text "paragraph" ["段落"]',
    "word": '@word WORD "meaning" ["意思"]',
    "goal": '@goal KEY reached|waits|shown|cut|broken|clean|generation … "text" ["目标"]',
    "try": "@try cut [fin|rst|silent]",
    "question": '@question "text" ["问题"]',
    "wrong": '@wrong "answer" ["错的"]',
    "right": '@right "answer" ["对的"]',
    "hint": '@hint "text" ["提示"]',
}
_LANES: tuple[Lane, ...] = get_args(Lane)
_KINDS: tuple[GoalKind, ...] = get_args(GoalKind)
_WAYS: tuple[Way, ...] = get_args(Way)
_HOSTS = ("server", "desktop")
LONGEST_KEY = 6


@define
class Teaching:
    """What the lesson directives of a file add up to."""

    begun: Arguments | None = None
    title: Said | None = None
    read: list[Said] = Factory(list)
    words: list[tuple[str, Said]] = Factory(list)
    goals: list[Goal] = Factory(list)
    question: Said | None = None
    answers: list[Said] = Factory(list)
    right: int | None = None
    hint: Said | None = None
    lanes: tuple[Lane, ...] = ()
    way: Way | None = None

    def lesson(self) -> Lesson | None:
        """The lesson, None for a file without one. Raises ScenarioError for half of one."""
        if self.begun is None:
            return None
        missing = [f"@{word}" for word, there in self._needed().items() if not there]
        title, question, right, hint = self.title, self.question, self.right, self.hint
        if missing or title is None or question is None or right is None or hint is None:
            told = f"this lesson has no {missing[0]}; it needs " + ", ".join(
                f"@{word}" for word in self._needed()
            )
            raise self.begun.word.fail(told, missing, at=-1)
        asked = Question(question, tuple(self.answers), right)
        return Lesson(
            title,
            tuple(self.read),
            tuple(self.words),
            tuple(self.goals),
            asked,
            hint,
            self.lanes or ("slack", "server", "desktop"),
            self.way,
        )

    def _needed(self) -> dict[str, bool]:
        """Without these a lesson teaches nothing, or cannot be finished."""
        return {
            "text": bool(self.read),
            "goal": bool(self.goals),
            "question": self.question is not None,
            "right": self.right is not None,
            "wrong": len(self.answers) > 1,
            "hint": self.hint is not None,
        }


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
            so_far.goals.append(_goal(args))
        case "try":
            _once(args, so_far.way is None)
            so_far.way = _way(args)
        case _:
            _asked(args, so_far)
    args.done()


def _asked(args: Arguments, so_far: Teaching) -> None:
    """The question, its answers, and the hint."""
    match args.word.text:
        case "question":
            _once(args, so_far.question is None)
            so_far.question = _said(args)
        case "hint":
            _once(args, so_far.hint is None)
            so_far.hint = _said(args)
        case word:
            if word == "right":
                _once(args, so_far.right is None)
                so_far.right = len(so_far.answers)
            so_far.answers.append(_said(args))


def _once(args: Arguments, is_first: bool) -> None:
    if not is_first:
        raise args.word.fail(f"@{args.word.text} stands twice in this file", at=-1)


def _said(args: Arguments) -> Said:
    at = args.rest[0] if args.rest else args.end
    text = args.string()
    if not text.strip():
        raise at.fail("a text that says nothing", ('"text"',))
    return Said(text, args.maybe_string())


def _lanes(args: Arguments) -> tuple[Lane, ...]:
    found: list[Lane] = []
    while args.rest or not found:
        found.append(_one_of(args, "kind of lifeline", _LANES))
    return tuple(found)


def _way(args: Arguments) -> Way:
    args.choice("thing to do", ("cut",))
    return _one_of(args, "way to cut", _WAYS) if args.rest else "rst"


def _one_of(args: Arguments, what: str, known: tuple[T, ...]) -> T:
    wanted = args.choice(what, known)
    return next(one for one in known if one == wanted)


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
