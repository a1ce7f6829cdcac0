"""What a scenario says to a newcomer: the nodes of ``@lesson`` and its kin.

They change nothing about the run. ``teaching`` reads them; whoever teaches (the
screen with the lessons, ``hooktwin learn``) shows them and asks the run whether a
goal holds.
"""

from __future__ import annotations

from typing import Literal

from attrs import frozen

from sim.world.helm import Step

GoalKind = Literal["reached", "waits", "shown", "cut", "broken", "clean", "generation"]
Part = Literal["run", "break", "fix"]
Way = Literal["fin", "rst", "silent"]


@frozen
class Said:
    """A text in English and, where the author wrote it, in Chinese."""

    en: str
    zh: str | None = None

    def within(self, language: str) -> str:
        """In this language (``en`` or ``zh``), else in English."""
        return self.zh if language == "zh" and self.zh else self.en


@frozen
class Goal:
    """``@goal n reached turn.end "see the end"``: ``key`` is what the reader presses.

    ``what`` is a frame type, a kind of host or a state, ``call`` the first word of what a
    host waits for, ``number`` which arrival or which generation, from 1. ``part``: whether
    the run shall show it as it is, once it has been broken, or once it has been mended.
    """

    line: int
    column: int
    key: str
    kind: GoalKind
    text: Said
    what: str = ""
    call: str = ""
    number: int = 1
    part: Part = "run"


@frozen
class Question:
    """Asked with answers to choose from; ``right`` is the place of the right one, from 0."""

    text: Said
    answers: tuple[Said, ...]
    right: int


@frozen
class Change:
    """``@break "…" -rule`` or ``@fix "…" +rule``: one of the things that the reader may try.

    ``rules`` are (name, on), ``features`` (host, name, on), ``steps`` the faults that
    strike. ``own``: the reader plays a file of their own.
    """

    line: int
    column: int
    text: Said
    rules: tuple[tuple[str, bool], ...] = ()
    features: tuple[tuple[str, str, bool], ...] = ()
    steps: tuple[Step, ...] = ()
    own: bool = False


@frozen
class Lesson:
    """All of them; ``words`` are (word, meaning). ``way``: how x cuts the connection.

    ``prediction`` is asked before the first step, ``question`` when all goals have held;
    ``because`` is said when it has been answered. ``breaks`` and ``fixes`` are what the
    reader may try to do to the run. No ``lanes``: all but the persons'.
    """

    title: Said
    read: tuple[Said, ...]
    words: tuple[tuple[str, Said], ...]
    goals: tuple[Goal, ...]
    question: Question
    hint: Said
    lanes: tuple[str, ...] = ()
    way: Way | None = None
    prediction: Question | None = None
    breaks: tuple[Change, ...] = ()
    fixes: tuple[Change, ...] = ()
    because: Said | None = None
