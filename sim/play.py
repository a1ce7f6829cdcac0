"""Running scenarios: the facade that the command line, the TUI and tests use.

``play`` takes a scenario, its path or its name, and gives a Result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext, suppress
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from sim.core.errors import UsageError
from sim.core.rule import table_of
from sim.drivers.collecting import paused_gc
from sim.drivers.interrupt import between_steps
from sim.drivers.step import StepDriver
from sim.protocols.played import PLAYED, played
from sim.protocols.register import DEFAULT_PROTOCOL, protocol
from sim.scenario.load import load_scenario
from sim.scenario.playing.play import (
    Run,
    Steer,
    finish,
    prepare,
    steer_by_file,
)
from sim.scenario.playing.result import Result as Result
from sim.scenario.playing.stage import Stage
from sim.scenario.syntax import Scenario
from sim.scenario.vocabulary import Vocabulary
from sim.world.world import World

DRIVERS = ("trio", "step", "live")


class Driver(Protocol):
    """Whatever can run a world."""

    def run(self, until: Callable[[], bool] = ..., *, limit_us: int | None = None) -> None:
        """Until ``until()`` says so, or nothing is left."""


@cache
def vocabularies() -> dict[str, Vocabulary]:
    """What the parser may know of each protocol's words."""
    return {
        record.name: Vocabulary(
            frames=record.words,
            rules=[rule.name for rule in table_of(record.rules)],
            features=record.features,
            invariants=[invariant.name for invariant in record.invariants],
        )
        for record in map(played, PLAYED)
    }


def load(path_or_name: str | Path) -> Scenario:
    """Read and parse a scenario with the words of its protocol.

    Raises ScenarioError with line, column and the allowed words.
    """
    return load_scenario(path_or_name, vocabularies())


def _hook_stage() -> type[Stage]:
    from sim.scenario.stages.hook import HookStage

    return HookStage


def _relay_stage() -> type[Stage]:
    from sim.scenario.stages.relay import RelayStage

    return RelayStage


def _question_stage() -> type[Stage]:
    from sim.scenario.stages.question import QuestionStage

    return QuestionStage


STAGES: Mapping[str, Callable[[], type[Stage]]] = {
    "hook": _hook_stage,
    "relay": _relay_stage,
    "question": _question_stage,
}


def stage_for(scenario: Scenario) -> type[Stage]:
    """The stage of the scenario's protocol. Raises UsageError when there is none yet."""
    try:
        return STAGES[scenario.protocol]()
    except KeyError:
        known = ", ".join(STAGES)
        raise UsageError(
            f"{scenario.path}: protocol {scenario.protocol!r} cannot be played; known: {known}"
        ) from None


def surroundings(scenario: Scenario) -> Any:
    """What the folds of its runs are told before the first event; None: nothing."""
    return stage_for(scenario).surroundings(scenario)


def make_driver(
    name: str, world: World, *, speed: float = 20.0, speaks: str = DEFAULT_PROTOCOL
) -> Driver:
    """A driver by its name.

    ``speed``: virtual seconds per real second, ``speaks``: whose frames its sockets carry;
    both live only.
    """
    if name == "step":
        return StepDriver(world)
    if name == "trio":
        from sim.drivers.trio_turnstile import TrioDriver

        return TrioDriver(world)
    if name == "live":
        from sim.drivers.codec import JsonCodec
        from sim.drivers.live import LiveDriver

        spoken = protocol(speaks)
        return LiveDriver(world, JsonCodec(spoken.parse, spoken.type_key), speed=speed)
    raise UsageError(f"unknown driver {name!r}; known: {', '.join(DRIVERS)}")


def open_run(
    scenario: Scenario,
    *,
    seed: int | None = None,
    without: Iterable[str] = (),
    preempt: bool = False,
    steer: Steer = steer_by_file,
    dropped: frozenset[int] = frozenset(),
) -> Run:
    """A run that has not begun. The file's ``@seed`` counts unless ``seed`` is given.

    ``steer`` and ``dropped``: see :func:`sim.scenario.playing.play.prepare`.
    """
    if seed is None:
        seed = scenario.settings.seed if scenario.settings.seed is not None else 1
    return prepare(
        scenario,
        stage_for(scenario),
        seed=seed,
        without=frozenset(without),
        preempt=preempt,
        steer=steer,
        dropped=dropped,
    )


def play(
    scenario: Scenario | str | Path,
    *,
    seed: int | None = None,
    without: Iterable[str] = (),
    driver: str = "trio",
    speed: float = 20.0,
    watch: Callable[[Run], Any] | None = None,
) -> Result:
    """Run a scenario (parsed, or by path or name) and judge it.

    ``watch`` gets the run before it starts (to show progress). KeyboardInterrupt
    ends the run early; what happened until then is judged all the same.
    """
    if not isinstance(scenario, Scenario):
        scenario = load(scenario)
    with nullcontext() if driver == "live" else paused_gc():
        run = open_run(scenario, seed=seed, without=without)
        try:
            engine = make_driver(driver, run.world, speed=speed, speaks=scenario.protocol)
            if watch is not None:
                watch(run)
            with suppress(KeyboardInterrupt):
                if driver == "live":
                    engine.run(run.over)
                else:
                    _run_in_steps(engine, run)
            return finish(run, driver)
        finally:
            run.world.close()


def _run_in_steps(engine: Driver, run: Run) -> None:
    """In virtual time every step is a good place to be interrupted at."""
    with between_steps() as ask:

        def over() -> bool:
            ask()
            return run.over()

        engine.run(over)
