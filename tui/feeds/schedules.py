"""Branches that need no deed: another order of what is planned, or the rest at random.

Both are steps of a schedule, written into the head of the scenario (``@late``), so
that the branch is a scenario like any other.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import attrs

from sim.core.entropy import Stream
from sim.core.errors import UsageError
from sim.drivers.step import StepDriver
from sim.explore.schedule import Case, Schedule
from sim.explore.trial import LONGEST, SHORTEST
from sim.explore.walks import UniformWalk
from sim.explore.written import written
from sim.play import open_run, vocabularies
from sim.scenario.parse import parse_scenario
from sim.scenario.playing.play import Run
from sim.scenario.playing.stage import Stage
from sim.scenario.playing.strikes import Striker
from sim.scenario.syntax import Scenario
from sim.scenario.transcribe import transcribe
from sim.world.fault import Budget
from sim.world.helm import START, Helm, Step
from sim.world.item import Item
from sim.world.world import World
from tui.feeds.runner import Cancelled, Deeds
from tui.session import Session

_LINE = re.compile(r"\bline \d+")
DEVIATES = 0.5
"""How often a run that goes on at random lets something else than the earliest happen."""


@attrs.frozen
class Order:
    """Another order after ``step``: ``steps`` say what goes later."""

    step: int
    label: str
    steps: tuple[Step, ...]


@attrs.frozen
class Rest:
    """After ``step`` whatever a seed draws."""

    step: int
    seed: int

    @property
    def label(self) -> str:
        return f"at random from step {self.step}, seed {self.seed}"


@attrs.frozen
class Endings:
    """A search for everything that may follow on ``step``."""

    step: int


def steps_of(session: Session) -> tuple[Step, ...]:
    """What the scenario of a session lets happen at another place already."""
    return session.scenario.settings.steps if session.scenario is not None else ()


def rescheduled(session: Session, steps: tuple[Step, ...], title: str) -> Scenario:
    """The scenario of a session with these steps in its head. Raises UsageError without one."""
    text = written_again(session, steps, title)
    return parse_scenario(text, f"{session.name}.mmd", vocabularies())


def written_again(session: Session, steps: tuple[Step, ...], title: str) -> str:
    """The text of :func:`rescheduled`."""
    scenario = session.scenario
    if scenario is None:
        raise UsageError("this trace has no scenario: it cannot be run in another order")
    header = session.trace.header
    case = Case.of(scenario, without=header.without, seed=header.seed)
    return written(case, Schedule(header.seed, steps), title, whole=True)


def transcribed(session: Session) -> str:
    """What a session did, as a scenario, whatever a person did to it and in whatever order.

    What directed lines did stands there with its time; that they went later needs no
    step any more. Raises UsageError for a session that has no run.
    """
    if session.result is None:
        raise UsageError("this run has no result: it cannot be written as a scenario")
    text = transcribe(session.result.trace)
    steps = tuple(one for one in steps_of(session) if not _LINE.search(f"{one.at} {one.do}"))
    if not steps:
        return text
    header = session.trace.header
    scenario = parse_scenario(text, f"{session.name}.mmd", vocabularies())
    case = Case.of(scenario, without=header.without, seed=header.seed)
    return written(case, Schedule(header.seed, steps), f"A run of {session.name}.", whole=True)


def steered(scenario: Scenario, world: World, stage: Stage) -> Helm:
    """A helm that follows the file and decides nothing: it knows the names of things."""
    return Helm(world, Striker(world, stage), scenario.settings.steps)


def happened_before(scenario: Scenario, step: int, **wishes: Any) -> frozenset[str]:
    """The names of what has happened when a step is there, but for the last of them."""
    run = open_run(scenario, steer=steered, **wishes)
    try:
        StepDriver(run.world).run(lambda: run.over() or len(run.world.events) > step)
        assert run.helm is not None
        return frozenset((START, *run.helm.happened)) - {run.helm.last}
    finally:
        run.world.close()


def at_random(session: Session, rest: Rest, cancelled: Callable[[], bool]) -> tuple[Step, ...]:
    """The steps of a run that goes on at random. Raises Cancelled, and UsageError."""
    scenario = session.scenario
    if scenario is None:
        raise UsageError("this trace has no scenario: it cannot go on at random")
    header = session.trace.header
    made: list[RestWalk] = []

    def steer(scenario: Scenario, world: World, stage: Stage) -> Helm:
        made.append(RestWalk(rest, scenario, world, stage, session.count))
        return made[0]

    run = open_run(scenario, seed=header.seed, without=header.without, steer=steer)
    try:
        _play(run, made[0], session, rest, cancelled)
    finally:
        run.world.close()
    return tuple(made[0].followed)


def _play(
    run: Run, walk: RestWalk, session: Session, rest: Rest, cancelled: Callable[[], bool]
) -> None:
    doing = Deeds(run, (deed for deed in session.deeds if deed.step <= rest.step))
    most = max(LONGEST * session.count, SHORTEST)

    def over() -> bool:
        if cancelled():
            raise Cancelled
        return doing.over() or walk.count > most

    StepDriver(run.world).run(over)
    walk.finish()


class RestWalk(UniformWalk):
    """Leaves everything as it was up to a step, and what a person did to the run, too."""

    def __init__(
        self, rest: Rest, scenario: Scenario, world: World, stage: Stage, length: int
    ) -> None:
        super().__init__(
            world, Striker(world, stage), stage.channels(), Budget(),
            Stream(rest.seed, f"rest of {rest.step}"),
            steps=scenario.settings.steps, length=length, ops=False,
        )  # fmt: skip
        self.after = rest.step
        self.deviates = DEVIATES

    def choose(self, front: Item) -> Item:
        if len(self.world.events) <= self.after or any(map(_is_deed, self.world.planned())):
            return front
        return super().choose(front)


def _is_deed(item: Item) -> bool:
    return item.name().startswith("deed ")
