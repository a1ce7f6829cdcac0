"""What ``hooktwin learn`` and ``hooktwin quiz`` do."""

from __future__ import annotations

from pathlib import Path

import attrs

from sim.cli import outcome
from sim.cli.terminal import console, say
from sim.cli.writing import check_writable, write_text
from tui.language import Speech, from_locale
from tui.teaching import keeping
from tui.teaching.learn import Left, Teacher
from tui.teaching.shelf import find, lessons
from tui.teaching.talk import NothingMore, Talk, of_streams


@attrs.frozen
class Learning:
    """The command line of ``learn``."""

    lesson: str | None = None
    language: str = ""
    progress: Path | None = None
    write: Path | None = None


def learn(wish: Learning) -> int:
    """List the lessons, or teach one; the exit code. Raises UsageError."""
    speech = Speech(wish.language or from_locale())
    done = keeping.finished(wish.progress)
    talk = of_streams(speech, console().width)
    if wish.lesson is None:
        _list(talk, done)
        return outcome.OK
    lesson = find(wish.lesson)
    if wish.write is not None:
        check_writable(wish.write)
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
    if wish.progress is not None:
        keeping.keep(wish.progress, lesson.id)
        say(f"hooktwin: kept in {wish.progress}")
    _tell_next(talk, lesson.name)
    return outcome.OK


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
