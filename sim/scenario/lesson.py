"""What a scenario says to a newcomer: the nodes of ``@lesson`` and its kin.

They change nothing about the run. ``teaching`` reads them; the screen with the
lessons shows them and asks the run whether a goal holds.
"""

from __future__ import annotations

from typing import Literal

from attrs import frozen

GoalKind = Literal["reached", "waits", "shown", "cut", "broken", "clean", "generation"]
Lane = Literal["person", "slack", "telegram", "x", "server", "desktop"]
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
    host waits for, ``number`` which arrival or which generation, from 1.
    """

    line: int
    column: int
    key: str
    kind: GoalKind
    text: Said
    what: str = ""
    call: str = ""
    number: int = 1


@frozen
class Question:
    """Asked when all goals have held; ``right`` is the place of the right answer, from 0."""

    text: Said
    answers: tuple[Said, ...]
    right: int


@frozen
class Lesson:
    """All of them; ``words`` are (word, meaning). ``way``: how x cuts the connection."""

    title: Said
    read: tuple[Said, ...]
    words: tuple[tuple[str, Said], ...]
    goals: tuple[Goal, ...]
    question: Question
    hint: Said
    lanes: tuple[Lane, ...] = ("slack", "server", "desktop")
    way: Way | None = None
