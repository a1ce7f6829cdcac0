"""Lessons for newcomers: scenarios that say what to read and what to bring about.

They are the files ``lessons/NN-*.mmd`` beside the shipped scenarios, in the order of
their names; ``hooktwin explain @lesson`` says how one is written. A lesson is finished
when its goals hold, never by clicking through. Goals ask the run and the cursor;
nothing here draws.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import attrs

from sim.channel.moments import MessageAt
from sim.core import event as events
from sim.core.errors import UsageError
from sim.scenario import lesson as written
from sim.scenario.lesson import Goal, Question, Said
from sim.scenario.load import shipped_folder
from sim.scenario.syntax import Scenario
from tui.session import Deed, Session

FOLDER = "lessons"


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

    def fits(self, session: Session) -> bool:
        """Whether this is a run of the lesson: its scenario, with its own rules."""
        off = {one.rule for one in self.scenario.settings.rules if not one.on}
        return session.name == self.name and set(session.without) == off

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


def _place(path: Path) -> tuple[int, str]:
    """By number: 10 comes after 9, with and without a zero in front."""
    digits = path.name[: len(path.name) - len(path.name.lstrip("0123456789"))]
    return int(digits), path.name


# -- goals ----------------------------------------------------------------------------------


def holds(goal: Goal, session: Session, step: int) -> bool:
    """Whether a goal holds with the cursor at this step."""
    return _HOLDS[goal.kind](goal, session, step)


def _reached(goal: Goal, session: Session, step: int) -> bool:
    """The cursor is at, or behind, the nth arrival of a frame of this type."""
    seen = 0
    for n in range(min(step + 1, session.count)):
        event = session.event(n)
        seen += isinstance(event, events.FrameDelivered) and event.type == goal.what
    return seen >= goal.number


def _waits(goal: Goal, session: Session, step: int) -> bool:
    """A handler of such a host is in an await gap at the cursor."""
    scene = session.scene(step)
    hosts = [name for name, one in session.lanes() if one == goal.what]
    return scene is not None and any(
        scene.calls[n].what.startswith(goal.call) for host in hosts for n in scene.waits(host)
    )


def _shown(goal: Goal, session: Session, step: int) -> bool:
    """Some message or card of a channel has this state at the cursor."""
    return session.know(step) and any(
        _state(one) == goal.what for one in session.chronicle.messages(step)
    )


def _state(one: MessageAt) -> str:
    """A card is open as long as it has buttons."""
    if one.message.role == "card":
        return "OPEN" if one.now.buttons else "CLOSED"
    return one.now.state


def _cut(goal: Goal, session: Session, step: int) -> bool:
    """The reader cut a connection of this run."""
    return any(deed.fault.startswith("cut") for deed in session.deeds)


def _broken(goal: Goal, session: Session, step: int) -> bool:
    """The cursor is where an invariant breaks, or behind."""
    return any(violation.step <= step for violation in session.violations)


def _clean(goal: Goal, session: Session, step: int) -> bool:
    """The cursor is at the end of a run in which nothing broke."""
    return step >= session.last and not session.violations


def _generation(goal: Goal, session: Session, step: int) -> bool:
    """A connection of this generation is open at the cursor."""
    scene = session.scene(step)
    return scene is not None and any(name.endswith(f"#{goal.number}") for name in scene.links)


_HOLDS: dict[written.GoalKind, Callable[[Goal, Session, int], bool]] = {
    "reached": _reached,
    "waits": _waits,
    "shown": _shown,
    "cut": _cut,
    "broken": _broken,
    "clean": _clean,
    "generation": _generation,
}


@attrs.define(eq=False)
class Progress:
    """How far somebody is in a lesson. Goals stay ticked once they held."""

    lesson: Lesson
    held: list[bool] = attrs.field(factory=list)
    answered: bool = False

    def __attrs_post_init__(self) -> None:
        self.held = [False] * len(self.lesson.goals)

    def look(self, session: Session, step: int) -> None:
        """Tick what holds now; a goal only after the one before it."""
        for place, goal in enumerate(self.lesson.goals):
            if self.held[place]:
                continue
            if not holds(goal, session, step):
                return
            self.held[place] = True

    @property
    def asks(self) -> bool:
        """Whether only the question is left."""
        return all(self.held) and not self.answered

    @property
    def finished(self) -> bool:
        return all(self.held) and self.answered

    def answer(self, place: int) -> bool:
        """Whether the answer is right."""
        self.answered = self.answered or place == self.lesson.question.right
        return place == self.lesson.question.right
