"""What a search tries: the timed run of a scenario with named changes.

A :class:`Case` is what stays the same during a search, a :class:`Schedule`
what one try changes. Both are plain values: they go to other processes, into
files and into tokens.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs

from sim.channel.services import SERVICES
from sim.core.errors import UsageError
from sim.play import open_run
from sim.scenario.playing.play import Run, Steer, rules_off
from sim.scenario.syntax import Latency, Scenario
from sim.world.fault import Budget
from sim.world.helm import Step

LINK_US = 50_000
CHANNEL_US = 165_000


@attrs.frozen
class Case:
    """A scenario, the rules that are off, the faults that may be added, the base seed."""

    scenario: Scenario
    without: frozenset[str] = frozenset()
    faults: Budget = attrs.field(factory=Budget)
    seed: int = 1

    @classmethod
    def of(
        cls,
        scenario: Scenario,
        *,
        without: Iterable[str] = (),
        faults: Budget | None = None,
        seed: int | None = None,
    ) -> Case:
        """The file's own settings count where the caller says nothing."""
        settings = scenario.settings
        if seed is None:
            seed = settings.seed if settings.seed is not None else 1
        off = rules_off(scenario, frozenset(without))
        return cls(scenario, off, settings.faults if faults is None else faults, seed)


@attrs.frozen
class Schedule:
    """One run of a case: its seed, its steps, the lines left out.

    ``flat``: every latency is the middle of its range, the seed draws none.
    """

    seed: int
    steps: tuple[Step, ...] = ()
    dropped: frozenset[int] = frozenset()
    flat: bool = False

    def to_json(self) -> dict[str, Any]:
        """The form that files of named choices have."""
        return {
            "seed": self.seed,
            "flat": self.flat,
            "dropped": sorted(self.dropped),
            "steps": [{"at": step.at, "do": step.do} for step in self.steps],
        }

    @classmethod
    def from_json(cls, plain: Any) -> Schedule:
        """Read it back. Raises UsageError naming the wrong member."""
        try:
            steps = tuple(Step(_text(s["at"]), _text(s["do"])) for s in plain["steps"])
            dropped = frozenset(_whole(line) for line in plain["dropped"])
            return cls(_whole(plain["seed"]), steps, dropped, plain["flat"] is True)
        except (KeyError, TypeError, ValueError) as error:
            raise UsageError(
                f"the schedule is damaged ({error!r}); it needs seed, flat, dropped "
                "and steps of {at, do}"
            ) from None


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{value!r} is no whole number")
    return value


def open_schedule(case: Case, schedule: Schedule, steer: Steer) -> Run:
    """The run of a schedule, not yet begun; ``steer`` gives it its helm."""
    scenario = flattened(case.scenario) if schedule.flat else case.scenario
    return open_run(
        scenario, seed=schedule.seed, without=case.without, steer=steer, dropped=schedule.dropped
    )


def flattened(scenario: Scenario) -> Scenario:
    """The same with every latency in the middle of its range."""
    settings = scenario.settings
    usual = [Latency(0, 0, "*", "*", LINK_US, LINK_US)]
    usual += [Latency(0, 0, "*", kind, CHANNEL_US, CHANNEL_US) for kind in SERVICES]
    own = [_middle(one) for one in settings.latencies]
    return attrs.evolve(scenario, settings=attrs.evolve(settings, latencies=(*usual, *own)))


def _middle(one: Latency) -> Latency:
    middle = (one.low_us + one.high_us) // 2
    return attrs.evolve(one, low_us=middle, high_us=middle)
