"""Lessons for newcomers: scenarios that say what to read and what to bring about.

They are the files ``lessons/NN-*.mmd`` beside the shipped scenarios, in the order of
their names; ``hooktwin explain @lesson`` says how one is written. A lesson is finished
when its goals hold, never by clicking through.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import attrs

from sim.cli.outcome import unknown
from sim.core.errors import UsageError
from sim.scenario import lesson as written
from sim.scenario.lesson import Goal, Question, Said
from sim.scenario.load import shipped_folder
from sim.scenario.syntax import Scenario
from sim.scenario.teaching import LESSON_USAGES
from tui.session import Deed, Session

FOLDER = "lessons"
_DIRECTIVE = re.compile(r"\s*%%\s*@([a-z]+)")


@attrs.frozen
class Lesson:
    """One lesson. ``id`` is the file's name without its number, ``name`` with it."""

    scenario: Scenario
    written: written.Lesson

    @property
    def name(self) -> str:
        return self.scenario.name

    @property
    def id(self) -> str:
        return self.name.lstrip("0123456789").lstrip("-") or self.name

    @property
    def title(self) -> Said:
        return self.written.title

    @property
    def goals(self) -> tuple[Goal, ...]:
        return self.written.goals

    @property
    def question(self) -> Question:
        return self.written.question

    def template(self) -> str:
        """The scenario without what makes it a lesson: to begin one's own with."""
        lines = self.scenario.source_text.splitlines(keepends=True)
        return "".join(one for one in lines if _word(one) not in LESSON_USAGES)

    def deed(self, session: Session, step: int) -> Deed | None:
        """What x does: it cuts the connection that is open at the cursor."""
        scene = session.scene(step) if self.written.way else None
        for name in () if scene is None else reversed(list(scene.links)):
            fault = f"cut {name} {self.written.way}"
            return Deed(step, fault, fault=fault)
        return None


@attrs.frozen
class Shelf:
    """All lessons in order; ``spoilt`` are (file, why) of those that cannot be read."""

    lessons: tuple[Lesson, ...]
    spoilt: tuple[tuple[Path, str], ...] = ()


@cache
def shelf(folder: Path | None = None) -> Shelf:
    """What stands in a folder of lessons; without one, the shipped lessons."""
    from sim.play import load

    found: list[Lesson] = []
    spoilt: list[tuple[Path, str]] = []
    for path in sorted((folder or shipped_folder() / FOLDER).glob("[0-9]*.mmd"), key=_place):
        try:
            scenario = load(path)
        except UsageError as error:
            spoilt.append((path, str(error)))
            continue
        if scenario.lesson is None:
            spoilt.append((path, f"{path}: no lesson: @lesson is missing"))
        else:
            found.append(Lesson(scenario, scenario.lesson))
    return Shelf(tuple(found), tuple(spoilt))


def lessons() -> tuple[Lesson, ...]:
    """The shipped lessons in order."""
    return shelf().lessons


def find(word: str) -> Lesson:
    """The lesson of a number, an id, a name or a file.

    Raises UsageError, naming those there are.
    """
    known = lessons()
    if word.isascii() and word.isdigit() and 0 < int(word[:6]) <= len(known):
        return known[int(word) - 1]
    for lesson in known:
        if word in (lesson.id, lesson.name):
            return lesson
    if word.lower().endswith(".mmd") or "/" in word:
        return _of_file(word)
    names = [one.id for one in known]
    raise unknown("lesson", word[:80], names, remedy=f"hooktwin learn lists all {len(known)}")


def _word(text: str) -> str:
    """The word of a line with a directive, "" for any other line."""
    found = _DIRECTIVE.match(text)
    return found[1] if found else ""


def _of_file(word: str) -> Lesson:
    """A lesson of the reader's own."""
    from sim.play import load

    scenario = load(Path(word))
    if scenario.lesson is None:
        raise UsageError(f"{word}: this scenario is no lesson: it has no @lesson")
    return Lesson(scenario, scenario.lesson)


def _place(path: Path) -> tuple[int, str]:
    """By number: 10 comes after 9, with and without a zero in front."""
    digits = path.name[: len(path.name) - len(path.name.lstrip("0123456789"))]
    return int(digits), path.name
