"""A Hypothesis state machine over a scenario's world.

Hypothesis decides what happens next: the n-th of what is enabled, a fault of
the budget, a handler that stops between two ops, or a stretch of the timed run.
The diagram directs people, agents and faults, as in a search; only broken
invariants fail. What Hypothesis finds it also shrinks, and the failure names
the choices, which ``hooktwin replay`` follows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

from sim.testing import extra  # isort: skip  # says what is missing, before Hypothesis is imported

from hypothesis import currently_in_test_context, note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from sim.core.errors import UsageError
from sim.core.invariant import Violation
from sim.drivers.step import StepDriver
from sim.explore.schedule import Case, Schedule, open_schedule
from sim.explore.store import to_json
from sim.explore.token import token_of
from sim.play import load
from sim.scenario.playing.stage import Stage
from sim.scenario.playing.strikes import Striker
from sim.scenario.syntax import Scenario
from sim.testing.hand import REACH_US, Hand
from sim.testing.mistakes import told_at_the_call
from sim.testing.naming import is_shipped
from sim.world.fault import Budget
from sim.world.world import World

__all__ = ["BrokenInvariantError", "WorldMachine", "extra", "machine_for"]

# What happens at most in the rest of a run: more, and it goes in circles.
MOST_HAPPENINGS = 20_000


class BrokenInvariantError(AssertionError):
    """An invariant broke; the text says how to see the run again."""

    def __init__(self, case: Case, schedule: Schedule, broken: Violation) -> None:
        super().__init__(case, schedule, broken)
        self.case, self.schedule, self.broken = case, schedule, broken

    def __str__(self) -> str:
        """Made when it is asked for: while Hypothesis shrinks, nobody reads it."""
        broken = self.broken
        told = f"{broken.invariant} broken at step {broken.step}: {broken.text}\n"
        token = token_of(self.case, self.schedule) if is_shipped(self.case.scenario) else None
        if token is not None:
            return told + f"reproduce with: hooktwin replay {token}"
        document = json.dumps(to_json(self.case, self.schedule, broken.invariant))
        return told + f"save this as failure.json; hooktwin replay failure.json\n{document}"


class WorldMachine(RuleBasedStateMachine):
    """One run of ``case``, decided step by step. Made by :func:`machine_for`.

    ``reach_us`` (µs): how much earlier than it is due a thing may happen.
    ``plays_to_the_end``: after the last rule the timed run goes on until the diagram
    is over, and what must come true at last is judged too.
    """

    case: ClassVar[Case]
    reach_us: ClassVar[int] = REACH_US
    plays_to_the_end: ClassVar[bool] = True

    def __init__(self) -> None:
        if not hasattr(type(self), "case"):
            raise UsageError(
                "WorldMachine itself plays nothing; make a machine with "
                'sim.testing.machine_for("typical")'
            )
        super().__init__()
        self.over = False
        self._failed = False
        made: list[Hand] = []

        def steer(scenario: Scenario, world: World, stage: Stage) -> Hand:
            steps, budget = scenario.settings.steps, self.case.faults
            made.append(
                Hand(
                    world, Striker(world, stage), stage.channels(), budget,
                    steps=steps, reach_us=self.reach_us,
                )
            )  # fmt: skip
            return made[0]

        self.twin = open_schedule(self.case, Schedule(self.case.seed), steer)
        self.hand = made[0]
        self._go_on(0)

    # -- what Hypothesis may do ------------------------------------------------------

    @precondition(lambda self: not self.over)
    @rule(nth=st.integers(0, 40))
    def take(self, nth: int) -> None:
        """The n-th of what is enabled happens next, counted round; 0 is the timed run's."""
        self.hand.wanted = nth
        self._go_on(1)
        _say(self.hand.last)

    @rule(count=st.integers(1, 60))
    def go_on(self, count: int) -> None:
        """The timed run goes on for so many things."""
        self._go_on(count)

    @precondition(lambda self: not self.over and self.hand.purse.total > 0)
    @rule(nth=st.integers(0, 200))
    def strike(self, nth: int) -> None:
        """The n-th of the faults that could strike now strikes, counted round."""
        names = self.hand.strikes_now()
        if names:
            name = names[nth % len(names)]
            self.hand.strike_now(name)
            self._go_on(0)
            _say(name)

    @precondition(lambda self: not self.over and self.hand.stops_at == 0)
    @rule(ops=st.integers(1, 25))
    def stop_a_handler(self, ops: int) -> None:
        """Who performs the n-th op from now stops after it; going on is then a choice."""
        self.hand.stops_at = ops

    # -- what must hold ----------------------------------------------------------------

    @invariant()
    def no_oracle_is_broken(self) -> None:
        """No invariant of the protocol is broken, but those that the diagram expects."""
        broken = self.broken()
        if broken:
            self._failed = True
            raise BrokenInvariantError(self.case, self.schedule(), broken[0])

    def broken(self) -> list[Violation]:
        """What broke so far, without what the file's ``@violates`` names."""
        expected = self.case.scenario.violates
        return [one for one in self.twin.monitor.violations if one.invariant not in expected]

    def schedule(self) -> Schedule:
        """What was decided so far, as named choices."""
        return Schedule(self.case.seed, self.hand.decided())

    def teardown(self) -> None:
        """Play to the end, judge what must come true at last, and throw the world away."""
        try:
            if self.plays_to_the_end and not self._failed:
                self._end()
        finally:
            self.twin.world.close()

    # -- moving ------------------------------------------------------------------------

    def _go_on(self, count: int) -> None:
        """Let ``count`` more things happen, and every handler come to its gap."""
        if self.over:
            return
        goal = self.hand.count + count
        step_over, violations = self.twin.over, self.twin.monitor.violations
        ended = stopped = False

        def until() -> bool:
            nonlocal ended, stopped
            ended = step_over() or bool(self.broken() if violations else False)
            stopped = ended or self.hand.count >= goal
            return stopped

        self._failed = True  # unless what follows comes back
        StepDriver(self.twin.world).run(until)
        self._failed = False
        self.over = ended or not stopped

    def _end(self) -> None:
        self.hand.stops_at = 0
        self._go_on(MOST_HAPPENINGS)
        if self.twin.director.over and not self.broken():
            self.twin.monitor.finish(len(self.twin.world.events) - 1)
        self.no_oracle_is_broken()


def _say(name: str) -> None:
    """Name a choice below its line of the failing example; a machine may also be moved by hand."""
    if currently_in_test_context():
        note(f"    # {name}")


@told_at_the_call
def machine_for(
    scenario: Scenario | str | Path,
    *,
    without: str | Iterable[str] = (),
    faults: str | Budget | None = None,
    seed: int | None = None,
) -> type[WorldMachine]:
    """A machine over a scenario (parsed, or by path or name).

    ``without`` are rules that are off, ``faults`` the budget (``"cut:1,crash:1"``), by
    default the file's own ``@faults``; ``seed`` draws latencies and ids. Use it as
    ``TestRaces = machine_for("reopen-teardown", faults="cut:1").TestCase``. Raises UsageError for
    unknown names.
    """
    if not isinstance(scenario, Scenario):
        scenario = load(scenario)
    off = (without,) if isinstance(without, str) else tuple(without)
    budget = Budget.parse(faults) if isinstance(faults, str) else faults
    case = Case.of(scenario, without=off, faults=budget, seed=seed)
    # Rules are looked up when a stage is made: a mistake shall show here, not in a test.
    open_schedule(case, Schedule(case.seed), lambda *_: None).world.close()
    name = "".join(word.capitalize() for word in scenario.name.replace("_", "-").split("-"))
    return type(f"{name}Machine", (WorldMachine,), {"case": case, "__doc__": scenario.title})
