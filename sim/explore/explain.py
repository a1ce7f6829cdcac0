"""Why a schedule fails: the causal chain of the broken step, and the closest run that passes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs

from sim.core.event import Event
from sim.core.trace import Trace
from sim.explore.schedule import Case, Schedule, open_schedule
from sim.explore.trial import Outcome, Try, attempt, judged, play_out
from sim.explore.wording import fault, happens
from sim.scenario.playing.play import Run, header_of
from sim.scenario.playing.stage import Stage
from sim.scenario.playing.strikes import Striker
from sim.scenario.syntax import Scenario
from sim.world.helm import LATE, UNTIL, Helm, Step
from sim.world.world import World

MOST_TRIED = 60


def trace_of(case: Case, schedule: Schedule) -> Trace:
    """The whole run of a schedule, up to the step that breaks an invariant."""
    run = _played(case, schedule)
    return Trace(header_of(run, "step"), run.world.events)


def line_of(case: Case, schedule: Schedule, chain: Sequence[int]) -> int:
    """The line of the diagram that a broken step belongs to; 0 where none is known.

    The arrow that took the last event of its causal ``chain`` that any arrow took; else
    the line to which the diagram had come when it broke.
    """
    director = _played(case, schedule).director
    for n in reversed(chain):
        for expectation in director.lookout.took(n):
            return expectation.arrow.line
    return director.line


def _played(case: Case, schedule: Schedule) -> Run:
    """A schedule's run, up to the step that breaks an invariant."""
    made: list[Helm] = []

    def steer(_: Scenario, world: World, stage: Stage) -> Helm:
        made.append(Helm(world, Striker(world, stage), schedule.steps))
        return made[0]

    run = open_schedule(case, schedule, steer)
    play_out(run, made[0])
    run.world.close()
    return run


def causes(case: Case, schedule: Schedule, step: int) -> tuple[int, ...]:
    """The events that led to ``step``, the root first, ``step`` itself last."""
    events = trace_of(case, schedule).events
    chain: list[int] = []
    n = min(step, len(events) - 1)
    while 0 <= n < len(events) and n not in chain:
        chain.append(n)
        n = _cause(events[n])
    return tuple(reversed(chain))


def _cause(event: Event) -> int:
    """A delivery follows from its sending even where nothing else caused it."""
    sent = getattr(event, "sent", -1)
    return event.cause if event.cause >= 0 else sent


def closest_pass(case: Case, schedule: Schedule, invariant: str) -> str:
    """One sentence about the nearest schedule that does not break the invariant.

    "" when none of those nearby passes.
    """
    for tries, (changed, sentence) in enumerate(_neighbours(case, schedule)):
        if tries == MOST_TRIED:
            return ""
        if not _breaks(judged(case, changed), invariant):
            return f"passes if {sentence}"
    return ""


def _breaks(outcome: Outcome, invariant: str) -> bool:
    return any(one.invariant == invariant for one in outcome.violations)


def _neighbours(case: Case, schedule: Schedule) -> Iterator[tuple[Schedule, str]]:
    """Schedules with one thing in another order, latest first, and what they do otherwise."""
    outcome = attempt(case, Try(0, schedule, expand=True), keep_variations=True)
    for step in reversed(schedule.steps):
        less = attrs.evolve(schedule, steps=tuple(s for s in schedule.steps if s is not step))
        if not step.is_fault:
            yield less, _in_time(step)
        else:
            yield from _later(schedule, step, outcome)
    orders = [v for v in outcome.variations if len(v) == 1 and v[0].do.startswith(UNTIL)]
    for (step,) in sorted(orders, key=lambda v: -outcome.places.get(v[0].at, 0)):
        other = attrs.evolve(schedule, steps=(*schedule.steps, step))
        yield other, f"{happens(step.do[len(UNTIL) :])} before {happens(step.at)}"
    for step in reversed(schedule.steps):
        if step.is_fault:
            less = attrs.evolve(schedule, steps=tuple(s for s in schedule.steps if s is not step))
            yield less, f"there is no {fault(step.do).removeprefix('the ')}"


def _in_time(step: Step) -> str:
    if step.do.startswith(LATE):
        return f"{happens(step.at)} in time"
    return f"{happens(step.at)} before {happens(step.do[len(UNTIL) :])}"


def _later(schedule: Schedule, step: Step, outcome: Outcome) -> Iterator[tuple[Schedule, str]]:
    """The fault strikes after each of the next things instead."""
    names = sorted(outcome.places, key=outcome.places.__getitem__)
    at = outcome.places.get(step.at, -1)
    for name in names[at + 1 : at + 9]:
        moved = tuple(Step(name, s.do) if s is step else s for s in schedule.steps)
        yield (
            attrs.evolve(schedule, steps=moved),
            f"{happens(name)} before {fault(step.do)}",
        )
