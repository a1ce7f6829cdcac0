"""One schedule played to its end by any driver, and judged as the search judges."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from sim.core.errors import LocalProtocolError, SimInternalError
from sim.core.invariant import Violation
from sim.drivers.collecting import paused_gc
from sim.drivers.interrupt import between_steps
from sim.explore.schedule import Case, Schedule, open_schedule
from sim.explore.trial import RAISES
from sim.play import make_driver
from sim.scenario.playing.play import Run, finish
from sim.scenario.playing.result import Result
from sim.scenario.playing.stage import Stage
from sim.scenario.playing.strikes import Striker
from sim.scenario.syntax import Scenario
from sim.world.helm import Helm
from sim.world.world import World

LONGEST = 100_000
"""Things that may happen before a run is given up: it goes in circles."""

RAISED = (
    LocalProtocolError, SimInternalError, ArithmeticError, LookupError, TypeError, ValueError,
    AttributeError, AssertionError,
)  # fmt: skip


@attrs.frozen
class Played:
    """The run's result, of which only broken invariants count.

    ``found_at_end``: the first of them is about something that never came true.
    ``interrupted``: by Ctrl-C.
    """

    result: Result
    found_at_end: bool = False
    interrupted: bool = False

    @property
    def fails(self) -> bool:
        """Whether an invariant is broken."""
        return bool(self.result.violations)


def play_schedule(case: Case, schedule: Schedule, driver: str = "step") -> Played:
    """Play it. Arrows that stay unmet are no failures: in a search the diagram only directs."""
    made: list[Helm] = []

    def steer(_: Scenario, world: World, stage: Stage) -> Helm:
        made.append(Helm(world, Striker(world, stage), schedule.steps))
        return made[0]

    with paused_gc():
        run = open_schedule(case, schedule, steer)
        try:
            raised, interrupted = _drive(run, driver, lambda: made[0].count > LONGEST)
            at_once = bool(run.monitor.violations) or raised is not None
            result = finish(run, driver)
        finally:
            run.world.close()
    first = () if raised is None else (raised,)
    broken = (*result.violations, *first)
    judged = attrs.evolve(result, failures=(), extra=(), expected_violations=(), violations=broken)
    return Played(judged, bool(broken) and not at_once, interrupted)


def _drive(run: Run, driver: str, circles: Callable[[], bool]) -> tuple[Violation | None, bool]:
    """What a handler raised, if one did; whether somebody pressed Ctrl-C."""
    try:
        with between_steps() as ask:

            def over() -> bool:
                ask()
                return run.over() or circles()

            make_driver(driver, run.world).run(over)
    except KeyboardInterrupt:
        return None, True
    except RAISED as error:
        notes = "; ".join(getattr(error, "__notes__", ()))
        text = f"{type(error).__name__}: {error}{f' ({notes})' if notes else ''}"
        return Violation(RAISES, len(run.world.events), text), False
    return None, False
