"""One try: from the empty world to the verdict, on the step driver."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from sim.core.entropy import Stream
from sim.core.errors import LocalProtocolError, SimInternalError
from sim.core.invariant import Violation
from sim.drivers.step import StepDriver
from sim.explore.schedule import Case, Schedule, open_schedule
from sim.explore.situations import Situations
from sim.explore.track import Track
from sim.explore.variations import Variation, variations
from sim.explore.walks import PctWalk, TimingWalk, UniformWalk, Walk
from sim.scenario.playing.play import Run
from sim.scenario.playing.stage import Stage
from sim.scenario.playing.strikes import Striker
from sim.scenario.syntax import Scenario
from sim.world.helm import Helm, Step
from sim.world.world import World

WALKS: dict[str, type[Walk]] = {"uniform": UniformWalk, "pct": PctWalk, "timings": TimingWalk}
RAISES = "no-handler-raises"
# A try that is so much longer than the timed run goes in circles.
LONGEST = 20
SHORTEST = 2_000


@attrs.frozen
class Try:
    """What to try: a schedule to follow, or a walk (by its name) that draws its own.

    ``number`` is its place in the search. A walk follows ``schedule`` and adds to it.
    ``expand``: the outcome shall say what could be varied.
    """

    number: int
    schedule: Schedule
    walk: str = ""
    draws: int = 0
    strategy: str = ""
    expand: bool = False


@attrs.frozen
class Outcome:
    """What came of it.

    ``schedule`` has the named choices of the run, ``events`` is its length in events,
    ``happened`` in things that happened, ``situations`` what it covered. When asked:
    its ``fingerprint``, the ``variations`` of it that are worth a try, and the ``places``
    of all that happened, by name.
    """

    tried: Try
    schedule: Schedule
    violations: tuple[Violation, ...]
    events: int
    happened: int
    situations: frozenset[int]
    fingerprint: int = 0
    variations: tuple[Variation, ...] = ()
    places: dict[str, int] = attrs.field(factory=dict)

    @property
    def failed(self) -> bool:
        """Whether an invariant was broken."""
        return bool(self.violations)


def attempt(
    case: Case,
    tried: Try,
    *,
    length: int = 0,
    keep_variations: bool = False,
    watch: Callable[[Run], None] | None = None,
) -> Outcome:
    """Run one try. ``length``: how many things happen in the timed run, 0 if unknown.

    ``watch`` gets the run when it is over.
    """
    made: list[Helm] = []

    def steer(scenario: Scenario, world: World, stage: Stage) -> Helm:
        made.append(_helm(case, tried, world, stage, length))
        return made[0]

    run = open_schedule(case, tried.schedule, steer)
    helm = made[0]
    track = Track(helm) if tried.expand else None
    situations = Situations(run)
    violations = play_out(run, helm, max(LONGEST * length, SHORTEST))
    if isinstance(helm, Walk):
        helm.finish()
    if watch is not None:
        watch(run)
    steps = tuple(helm.followed)
    schedule = attrs.evolve(tried.schedule, steps=steps) if tried.walk else tried.schedule
    events = len(run.world.events)
    fingerprint = 0 if track is None else track.fingerprint()
    varied: tuple[Variation, ...] = ()
    places: dict[str, int] = {}
    if track is not None and (keep_variations or not violations):
        varied = tuple(variations(case, track, run, schedule))
        places = {one.key: n for n, one in enumerate(track.happened)} if keep_variations else {}
    run.world.close()
    facts = (tried, schedule, violations, events, helm.count, situations.seen())
    return Outcome(*facts, fingerprint, varied, places)


def _helm(case: Case, tried: Try, world: World, stage: Stage, length: int) -> Helm:
    strike = Striker(world, stage)
    if not tried.walk:
        return Helm(world, strike, tried.schedule.steps)
    stream = Stream(tried.draws, f"walk {tried.walk}")
    kind = WALKS[tried.walk]
    ops = stream.between(0, 1) == 1
    return kind(
        world, strike, stage.channels(), case.faults, stream,
        steps=tried.schedule.steps, length=length or 100, ops=ops,
    )  # fmt: skip


def play_out(run: Run, helm: Helm, most: int = SHORTEST) -> tuple[Violation, ...]:
    """Until an invariant breaks, or the diagram and its aftermath are over.

    ``most``: how much may happen before the run is given up.
    """
    monitor, over = run.monitor, run.over
    violations = monitor.violations

    def done() -> bool:
        return over() or bool(violations) or helm.count > most

    try:
        StepDriver(run.world).run(done)
        if run.director.over and not violations:
            monitor.finish(len(run.world.events) - 1)
    except (LocalProtocolError, SimInternalError, ArithmeticError, LookupError,
            TypeError, ValueError, AttributeError, AssertionError) as error:  # fmt: skip
        text = f"{type(error).__name__}: {error}"
        notes = "; ".join(getattr(error, "__notes__", ()))
        return (Violation(RAISES, len(run.world.events), f"{text} ({notes})" if notes else text),)
    return tuple(violations)


def judged(case: Case, schedule: Schedule) -> Outcome:
    """Follow a schedule and judge it."""
    return attempt(case, Try(0, schedule))


def still_fails(case: Case, schedule: Schedule, invariant: str) -> Outcome | None:
    """The outcome, if this schedule breaks the invariant (first); else None."""
    outcome = judged(case, schedule)
    first = outcome.violations[:1]
    return outcome if first and first[0].invariant == invariant else None


def plain(case: Case) -> Schedule:
    """The timed run, with the steps that the file itself lists."""
    return Schedule(case.seed, case.scenario.settings.steps)


__all__ = ["RAISES", "Outcome", "Step", "Try", "attempt", "judged", "plain", "still_fails"]
