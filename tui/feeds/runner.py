"""Runs that a person starts: TrioDriver in a thread, progress while it goes, an end on request.

What a person did to a run (its deeds) happens behind everything else of that
instant, where a scenario's ``@fault`` and ``@act`` would stand: so a run can be
saved as a scenario and gives the same digest again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sim.core.errors import UsageError
from sim.play import make_driver, open_run
from sim.scenario.playing.play import Run, finish
from sim.scenario.syntax import Scenario
from sim.world.fault_choice import strike
from tui.session import Deed, Session

PATIENCE_US = 600 * 1_000_000
"""Virtual time that a run may go on after the last deed, when its diagram is over."""

TELL_EVERY = 200


class Cancelled(Exception):
    """Somebody did not want to wait for the end of a run."""


class Deeds:
    """Does to a run what a person did, each as soon as its step has happened."""

    def __init__(self, run: Run, deeds: Iterable[Deed]) -> None:
        self.run = run
        self.left = sorted(deeds, key=lambda deed: deed.step)
        self.limit_us = 0

    def over(self) -> bool:
        """The stop condition of the driver."""
        world = self.run.world
        while self.left and len(world.events) > self.left[0].step:
            self._plan(self.left.pop(0))
        over = self.run.over()
        if self.left:
            # The diagram may end before the deed's step: what is pending goes on.
            return over and world.next_item() is None
        return over and (world.settled() or world.now >= self.limit_us)

    def _plan(self, deed: Deed) -> None:
        world = self.run.world
        self.limit_us = world.now + PATIENCE_US
        world.at(world.now, f"deed {deed.label}", lambda: self._do(deed))

    def _do(self, deed: Deed) -> None:
        world = self.run.world
        world.cause = -1
        if deed.fault:
            if not strike(world, deed.fault):
                raise UsageError(f"{deed.fault}: not possible after step {deed.step}")
        else:
            act = self.run.stage.read_act(deed.host, deed.act)
            world.act(deed.host, act)


def run_session(
    scenario: Scenario,
    *,
    seed: int | None = None,
    without: Iterable[str] = (),
    deeds: tuple[Deed, ...] = (),
    parent: Session | None = None,
    driver: str = "trio",
    told: Callable[[int], None] = lambda steps: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Session:
    """Run a scenario to its end. Call it in a thread; both callbacks are called there.

    Raises UsageError for what cannot be run, Cancelled when somebody wished so.
    """
    run = open_run(scenario, seed=seed, without=without)
    doing = Deeds(run, deeds)
    last = 0

    def over() -> bool:
        nonlocal last
        if cancelled():
            raise Cancelled
        if len(run.world.events) >= last + TELL_EVERY:
            last = len(run.world.events)
            told(last)
        return doing.over()

    try:
        make_driver(driver, run.world).run(over)
        result = finish(run, driver)
    finally:
        run.world.close()
    return Session.of_result(scenario, result, deeds, parent)
