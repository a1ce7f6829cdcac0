"""One run of a scenario, from the empty world to the verdict.

``prepare`` builds it, a driver runs it until ``Run.over``, ``finish`` judges it.
"""

from __future__ import annotations

from collections.abc import Callable

import attrs

from sim.core.event import Acted
from sim.core.invariant import Monitor
from sim.core.trace import Header, Trace
from sim.scenario.playing.checks import check_never
from sim.scenario.playing.director import Director
from sim.scenario.playing.ear import Said
from sim.scenario.playing.expectation import seconds
from sim.scenario.playing.preconditions import check_playable
from sim.scenario.playing.puppet import PuppetSends
from sim.scenario.playing.result import ExtraFrame, Failure, Result
from sim.scenario.playing.stage import Stage
from sim.scenario.playing.strikes import Striker
from sim.scenario.playing.walk import Shared, Walk
from sim.scenario.playing.wording import nearest_name
from sim.scenario.syntax import Scenario
from sim.world.helm import PATIENCE_US, Helm
from sim.world.world import World

StageFactory = Callable[[Scenario, World, frozenset[str]], Stage]
Steer = Callable[[Scenario, World, Stage], Helm | None]


@attrs.define(eq=False)
class Run:
    """A prepared run. Drive it with ``until=run.over`` and then call :func:`finish`.

    ``shared`` is what all readings of its diagram know: which branches happened, among others.
    """

    scenario: Scenario
    world: World
    stage: Stage
    director: Director
    monitor: Monitor
    without: frozenset[str]
    helm: Helm | None = None
    shared: Shared = attrs.field(factory=Shared)

    def over(self) -> bool:
        """The driver's stop condition; wakes who waits for a state."""
        return self.director.poll()


def steer_by_file(scenario: Scenario, world: World, stage: Stage) -> Helm | None:
    """The steps that the file itself lists (``@late``, ``@strike``)."""
    steps = scenario.settings.steps
    return Helm(world, Striker(world, stage), steps) if steps else None


def rules_off(scenario: Scenario, without: frozenset[str]) -> frozenset[str]:
    """What the file and the caller switch off together; the last ``@rule`` of a name counts."""
    switched = {switch.rule: switch.on for switch in scenario.settings.rules}
    return without | {name for name, on in switched.items() if not on}


def prepare(
    scenario: Scenario,
    make_stage: StageFactory,
    *,
    seed: int,
    without: frozenset[str] = frozenset(),
    preempt: bool = False,
    steer: Steer = steer_by_file,
    dropped: frozenset[int] = frozenset(),
) -> Run:
    """Build the world, the people and the director. Raises UsageError for unknown rules.

    ``steer`` puts a helm into the world, ``dropped`` are lines that nobody reads.
    """
    check_playable(scenario)
    world = World(seed, preempt=preempt)
    off = rules_off(scenario, without)
    stage = make_stage(scenario, world, off)
    director = Director(scenario, world, stage)
    director.dropped = dropped | scenario.settings.omitted
    stage.build()
    helm = steer(scenario, world, stage)
    if helm is not None:
        stage.expect_delays(PATIENCE_US)
    monitor = Monitor(stage.invariants())
    monitor.attach(world.watch)
    director.lookout.begin()
    shared = Shared()
    walk = Walk(director, stage, director.findings, shared)
    walk.thread = director.spawn(walk.whole(), 0)
    stage.start()
    return Run(scenario, world, stage, director, monitor, off, helm, shared)


def header_of(run: Run, driver: str) -> Header:
    """What the trace file says before its events."""
    scenario = run.scenario
    return Header(
        scenario=scenario.name,
        protocol=scenario.protocol,
        seed=run.world.seed,
        driver=driver,
        without=tuple(sorted(run.without)),
        source=scenario.source_text,
        hosts=run.stage.host_kinds(),
    )


def finish(run: Run, driver: str) -> Result:
    """Judge what happened. An interrupted run is judged as far as it went."""
    director, world = run.director, run.world
    findings = director.findings
    if director.over:
        run.monitor.finish(len(world.events) - 1)
    else:
        _interrupted(run)
    extra = _extra_frames(run)
    failures = list(findings.failures)
    if run.scenario.strict:
        failures += [
            Failure(0, "@strict: only frames that the diagram names", f"step {e.step}: {e.frame}")
            for e in extra
        ]
    trace = Trace(header_of(run, driver), world.events)
    return Result(
        scenario=run.scenario.name,
        seed=world.seed,
        digest=trace.digest(),
        steps=len(world.events),
        virtual_s=world.now / 1_000_000,
        failures=tuple(failures),
        violations=tuple(run.monitor.violations),
        expected_violations=run.scenario.violates,
        extra=extra,
        messages=run.stage.messages(),
        trace=trace,
        names=tuple(run.stage.names.all()),
    )


def _interrupted(run: Run) -> None:
    """What must never show can be judged at any time; what must come true at last, cannot."""
    findings = run.director.findings
    for never in findings.nevers.values():
        check_never(findings.fail, run.stage, never)
    happened = f"the run was interrupted at {seconds(run.world.now)}"
    findings.fail(run.director.line, "the diagram is played to its end", happened)


def _extra_frames(run: Run) -> tuple[ExtraFrame, ...]:
    """Frames that no arrow of the diagram took, in order of sending.

    What an act of the diagram makes a puppet say, the diagram names with that.
    """
    director, names, wording = run.director, run.stage.names, run.stage.wording
    scripted = {
        event.n
        for event in run.world.events
        if isinstance(event, Acted) and isinstance(event.act, PuppetSends)
    }
    return tuple(
        ExtraFrame(
            event.n, f"{event.sender} → {event.receiver}: {nearest_name(event.frame, wording)}"
        )
        for event in director.lookout.frames
        if not director.lookout.is_named(event)
        and not (isinstance(event, Said) and event.is_plain)
        and event.cause not in scripted
        and not any(loop.covers(event, names, wording) for loop in director.findings.repeats)
    )
