"""How far somebody is in a lesson: predict, run, break it, fix it, say why.

A part is over when its goals have held; nobody gets to the next one before.
Prediction and reason are answers; in between the runs decide.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import attrs

from sim.scenario.lesson import Change, Goal, Part, Question
from sim.scenario.syntax import FeatureSwitch, RuleSwitch, Scenario
from tui.session import Deed, Session
from tui.teaching.goals import holds
from tui.teaching.shelf import Lesson

Place = Literal["predict", "run", "break", "fix", "why", "done"]
PLACES: tuple[Place, ...] = ("predict", "run", "break", "fix", "why")
_PARTS: tuple[Part, ...] = ("run", "break", "fix")


def changed(scenario: Scenario, change: Change) -> Scenario:
    """The scenario with a change on top of what it says itself."""
    old, at = scenario.settings, (change.line, change.column)
    named = dict(change.rules)
    rules = [one for one in old.rules if one.rule not in named]
    features = [
        one
        for one in old.features
        if not any(one.host == host and one.feature == name for host, name, _ in change.features)
    ]
    rules += [RuleSwitch(*at, name, on) for name, on in change.rules]
    features += [FeatureSwitch(*at, host, name, on) for host, name, on in change.features]
    steps = (*old.steps, *change.steps)
    settings = attrs.evolve(old, rules=tuple(rules), features=tuple(features), steps=steps)
    return attrs.evolve(scenario, settings=settings)


def off(scenario: Scenario) -> frozenset[str]:
    """The rules that a scenario switches off itself."""
    return frozenset(one.rule for one in scenario.settings.rules if not one.on)


@attrs.define(eq=False)
class Progress:
    """``guess`` is the answer to the prediction, ``held`` the goals, ``scenario`` what is
    played now; ``tried`` is the change that made it, ``broken`` the run that broke, with the
    ``deeds`` of the reader in it."""

    lesson: Lesson
    held: list[bool] = attrs.field(factory=list)
    guess: int | None = None
    answered: bool = False
    scenario: Scenario = attrs.field(init=False)
    tried: Change | None = attrs.field(init=False, default=None)
    broken: Scenario | None = attrs.field(init=False, default=None)
    deeds: tuple[Deed, ...] = attrs.field(init=False, default=())

    def __attrs_post_init__(self) -> None:
        self.held = [False] * len(self.lesson.goals)
        self.scenario = self.lesson.scenario

    # -- where somebody is -------------------------------------------------------------------

    @property
    def places(self) -> tuple[Place, ...]:
        """The parts that this lesson has."""
        there: dict[Place, object] = {
            "predict": self.lesson.written.prediction,
            "why": self.lesson.question,
            **{part: list(self._goals(part)) for part in _PARTS},
        }
        return tuple(place for place in PLACES if there[place])

    @property
    def place(self) -> Place:
        """The part that is not over yet."""
        return next((place for place in self.places if not self.over(place)), "done")

    def over(self, place: Place) -> bool:
        """Whether a part is done."""
        if place == "predict":
            return self.lesson.written.prediction is None or self.guess is not None
        if place == "why":
            return self.answered
        return all(self.held[n] for n, goal in enumerate(self.lesson.goals) if goal.part == place)

    def _goals(self, part: Part) -> Iterable[Goal]:
        return (goal for goal in self.lesson.goals if goal.part == part)

    @property
    def goal(self) -> Goal | None:
        """The first goal that has not held."""
        left = (g for g, held in zip(self.lesson.goals, self.held, strict=True) if not held)
        return next(left, None)

    @property
    def finished(self) -> bool:
        return self.place == "done"

    # -- questions ---------------------------------------------------------------------------

    @property
    def question(self) -> Question | None:
        """What is to be answered now, None where a run must show something first."""
        if self.place == "predict":
            return self.lesson.written.prediction
        return self.lesson.question if self.place == "why" else None

    def answer(self, place: int) -> bool:
        """Take an answer to the present question; whether it is right.

        A prediction is taken as it is: the run will tell. A reason must be right.
        """
        asked = self.question
        right = asked is not None and place == asked.right
        if self.place == "predict":
            self.guess = place
        elif asked is not None:
            self.answered = right
        return right

    # -- changes -----------------------------------------------------------------------------

    @property
    def choices(self) -> tuple[Change, ...]:
        """What may be tried now."""
        match self.place:
            case "break":
                return self.lesson.written.breaks
            case "fix":
                return self.lesson.written.fixes
        return ()

    def choose(self, change: Change, own: Scenario | None = None) -> Scenario:
        """Try a change; what to play now. ``own`` is the reader's file where it is about one."""
        base = self.lesson.scenario
        if self.place == "fix":
            base = self.broken or base
        self.tried = change
        self.scenario = own if own is not None else changed(base, change)
        return self.scenario

    # -- runs --------------------------------------------------------------------------------

    def fits(self, session: Session) -> bool:
        """Whether this is a run of the lesson as it stands now."""
        played = self.scenario
        return session.name == played.name and frozenset(session.without) == off(played)

    def look(self, session: Session, step: int) -> None:
        """Tick what holds now; a goal only after the one before it."""
        if self.place == "predict":
            return
        for place, goal in enumerate(self.lesson.goals):
            if self.held[place]:
                continue
            if not (self._is_about(goal.part, session) and holds(goal, session, step)):
                return
            self.held[place] = True
            if goal.part == "break":
                self.broken = session.scenario
                self.deeds = session.deeds

    def _is_about(self, part: Part, session: Session) -> bool:
        """Whether a run was changed as the goals of a part want it."""
        match part:
            case "break":
                return self._is_changed(session)
            case "fix":
                return self.tried in self.lesson.written.fixes
        return True

    def _is_changed(self, session: Session) -> bool:
        """By a choice, by hand, or by a search."""
        other = session.scenario != self.lesson.scenario
        return self.tried is not None or other or bool(session.deeds)
