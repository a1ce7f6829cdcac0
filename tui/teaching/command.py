"""What ``hooktwin learn`` and ``hooktwin quiz`` do."""

from __future__ import annotations

from pathlib import Path

import attrs

from sim.cli import outcome
from sim.cli.run_files import check_rules
from sim.cli.terminal import console, print_json, say
from sim.cli.writing import check_writable, refuse_existing, write_text
from tui.language import Speech, from_locale
from tui.teaching import keeping
from tui.teaching.learn import Left, Teacher
from tui.teaching.looking import LONG
from tui.teaching.questions import questions
from tui.teaching.quiz import Quiz
from tui.teaching.shelf import Lesson, find, lessons
from tui.teaching.talk import NothingMore, Talk, of_streams


@attrs.frozen
class Learning:
    """The command line of ``learn``."""

    lesson: str | None = None
    language: str = ""
    progress: Path | None = None
    write: Path | None = None


@attrs.frozen
class Quizzing:
    """The command line of ``quiz``."""

    what: str
    language: str = ""
    seed: int = 1
    count: int = 10
    without: tuple[str, ...] = ()
    prints: bool = False
    as_json: bool = False


def learn(wish: Learning) -> int:
    """List the lessons, or teach one; the exit code. Raises UsageError."""
    speech = Speech(wish.language or from_locale())
    usual = keeping.usual_place()
    done = keeping.finished(wish.progress) if wish.progress else keeping.remembered(usual)
    talk = of_streams(speech, console().width)
    if wish.lesson is None:
        _list(talk, done)
        return outcome.OK
    lesson = find(wish.lesson)
    if wish.write is not None:
        check_writable(wish.write)
        refuse_existing(wish.write)
        write_text(wish.write, lesson.template())
        return outcome.OK
    if wish.progress is not None:
        check_writable(wish.progress)
    teacher = Teacher(lesson, talk)
    try:
        teacher.teach()
    except (Left, NothingMore, KeyboardInterrupt) as ended:
        _tell_left(teacher)
        if isinstance(ended, KeyboardInterrupt):
            raise
        return outcome.OK if isinstance(ended, Left) else outcome.FAILED
    _keep(wish.progress, usual, lesson)
    _tell_next(talk, lesson.name)
    return outcome.OK


def _keep(named: Path | None, usual: Path | None, lesson: Lesson) -> None:
    """In the file that was named; else in the usual place, where only our own lessons stand."""
    if named is not None:
        keeping.keep(named, lesson.id)
        say(f"hooktwin: kept in {named}")
    elif lesson in lessons() and not keeping.remember(usual, lesson.id):
        where = usual or "no state folder"
        say(f"hooktwin: cannot remember it as finished: {where}; --progress FILE names another")


def quiz(wish: Quizzing) -> int:
    """Ask about a run; the exit code. Raises UsageError for what is none."""
    from tui.app import session_of

    check_rules(wish.without)
    session = session_of(wish.what, None, wish.without)
    if session.count <= LONG:
        session.finish()
    speech = Speech(wish.language or from_locale())
    asks = questions(session, wish.count, seed=wish.seed, language=speech.language)
    if wish.as_json:
        print_json([one.to_json() for one in asks])
        return outcome.OK
    talk = of_streams(speech, console().width)
    held = Quiz(session, asks, talk)
    if not asks:
        talk.say("this run is too short to ask about")
        return outcome.OK
    if wish.prints:
        held.print()
        return outcome.OK
    return _hold(held)


def _hold(held: Quiz) -> int:
    """Ask; the score is told however it ends."""
    code = outcome.OK
    try:
        held.hold()
    except NothingMore:
        held.talk.say()
        held.talk.say("the input has ended")
        code = outcome.FAILED
    finally:
        held.score()
    return code


def _list(talk: Talk, done: tuple[str, ...]) -> None:
    talk.say("Lessons: hooktwin learn NUMBER, or choose one in hooktwin tui")
    for number, lesson in enumerate(lessons(), 1):
        tick = "[x]" if lesson.id in done else "[ ]"
        talk.item(f"{tick} {number:>2}  {lesson.id:<9}", lesson.title.within(talk.language))


def _tell_left(teacher: Teacher) -> None:
    """How far somebody came."""
    places = teacher.progress.places
    over = sum(map(teacher.progress.over, places))
    teacher.talk.say()
    teacher.talk.said("left: {n} of {m} parts done", n=over, m=len(places))


def _tell_next(talk: Talk, name: str) -> None:
    names = [one.name for one in lessons()]
    if name in names and name != names[-1]:
        follows = lessons()[names.index(name) + 1]
        title = follows.title.within(talk.language)
        number = names.index(name) + 2
        talk.said("next: hooktwin learn {number}  {title}", number=number, title=title)
