"""What every live session has: a world on the wall clock, its recording, its findings."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Generic, TypeVar

import attrs

from sim.core.event import Event
from sim.core.invariant import Invariant
from sim.core.trace import Header
from sim.drivers.codec import JsonCodec
from sim.drivers.wall import WallDriver
from sim.live.gateway import Gateway, Tell
from sim.live.judging import Finding, Findings
from sim.live.misses import Misses
from sim.live.outsider import Outsider
from sim.live.recording import Recording
from sim.live.secrets import Secrets
from sim.live.tail import Tail
from sim.live.wallclock import show_real_time
from sim.protocols import register
from sim.scenario.playing.checks import check_never
from sim.scenario.playing.director import Director
from sim.scenario.playing.play import rules_off
from sim.scenario.playing.result import Failure
from sim.scenario.playing.stage import Stage
from sim.scenario.playing.strikes import Striker
from sim.scenario.playing.walk import Shared, Walk
from sim.scenario.syntax import Scenario
from sim.world.helm import Helm
from sim.world.world import World


@attrs.frozen
class Running:
    """How a session runs, whatever it is. ``secrets`` are neither recorded nor told."""

    record: Path | None = None
    speed: float = 1.0
    seed: int = 1
    without: frozenset[str] = frozenset()
    secrets: Secrets = attrs.Factory(Secrets)


StageT = TypeVar("StageT", bound=Stage)


class Session(Generic[StageT]):
    """A world with outside programs. Make the hosts in ``make_stage``.

    ``director`` plays a diagram once :meth:`begin` is called; None: there is none.
    Raises UsageError when the recording cannot be made.
    """

    OUTSIDE: tuple[str, ...] = ()
    """Kinds of host that are judged by their frames alone."""
    HAS_FRAMES: ClassVar[bool] = True
    """Whether what real programs say are frames, by which they are judged."""
    COUNTED: ClassVar[str] = "frame"
    """What crosses the session's sockets."""

    def __init__(
        self,
        scenario: Scenario,
        stage_type: type[StageT],
        running: Running,
        tell: Tell,
        *,
        plays: bool,
    ) -> None:
        self.scenario = scenario
        self.secrets = running.secrets
        self._tell_as_it_is = tell
        self.tell = tell = running.secrets.telling(tell)
        self.world = world = World(running.seed)
        off = rules_off(scenario, running.without)
        self.stage = stage = stage_type(scenario, world, off)
        self.recording: Recording | None = None
        self.tail = Tail(sink=self._record)
        world.events = self.tail
        self.director = Director(scenario, world, stage) if plays else None
        stage.build()
        show_real_time(world)
        if scenario.settings.steps:
            Helm(world, Striker(world, stage), scenario.settings.steps)
        if running.record is not None:
            self.recording = Recording(running.record, self._header(off), self.secrets)
        self.findings = self._findings()
        if self.director is not None:
            self.director.dropped = scenario.settings.omitted | self.unread()
            self.director.lookout.is_outside = self.is_outside
            self.director.lookout.begin()
            self.misses = Misses(world, self.director.lookout, tell)
        self.driver = WallDriver(world, running.speed)
        self.gateway = Gateway(
            self.driver, JsonCodec(register.protocol(stage.protocol).parse), tell
        )
        self.has_begun = False

    def _findings(self) -> Findings:
        return Findings(
            self.world,
            self.stage.protocol,
            self.twins(),
            frozenset(self.OUTSIDE),
            self.found,
            by_frames=self.HAS_FRAMES,
        )

    # -- what differs ------------------------------------------------------------------

    def twins(self) -> list[Invariant]:
        """The oracles of the hosts that are simulated."""
        return []

    def is_outside(self, host: str) -> bool:
        """Whether a real program stands behind a host."""
        return isinstance(self.world.hosts[host].actor, Outsider)

    def unread(self) -> frozenset[int]:
        """Lines of the diagram that nobody can see or do from here."""
        return frozenset()

    # -- recording ---------------------------------------------------------------------

    def _header(self, off: frozenset[str]) -> Header:
        return Header(
            scenario=self.scenario.name,
            protocol=self.scenario.protocol,
            seed=self.world.seed,
            driver="live",
            without=tuple(sorted(off)),
            source=self.scenario.source_text,
            hosts=self.stage.host_kinds(),
            outside=self.OUTSIDE,
        )

    def _record(self, event: Event) -> None:
        if self.recording is None:
            return
        had = self.recording.problem
        self.recording.write(event)
        if self.recording.problem and not had:
            self.tell(self.recording.problem)

    def found(self, finding: Finding) -> None:
        """A rule was broken; its name and sentence are ours, and hide nothing."""
        text = self.secrets.hide(finding.text)
        self._tell_as_it_is(attrs.evolve(finding, text=text).line())

    # -- running -----------------------------------------------------------------------

    def boot(self) -> None:
        """Start every host that the diagram does not create itself."""
        self.stage.start()

    def begin(self) -> None:
        """The diagram begins, unless it has."""
        director = self.director
        if director is None or self.has_begun:
            return
        self.has_begun = True
        walk = Walk(director, self.stage, director.findings, Shared())
        walk.thread = director.spawn(walk.whole(), 0)

    def over(self) -> bool:
        """The stop condition: the diagram has been played."""
        if self.director is None:
            return False
        self.misses.look()
        return self.director.poll()

    def failures(self) -> tuple[Failure, ...]:
        """Lines of the diagram that did not come true; judged as far as it went."""
        director = self.director
        if director is None:
            return ()
        if not director.over:
            for never in director.findings.nevers.values():
                check_never(director.findings.fail, self.stage, never)
            told = "the run was interrupted" if self.has_begun else "nobody has connected"
            director.findings.fail(director.line, "the diagram is played to its end", told)
        return tuple(director.findings.failures)

    def end(self) -> None:
        """Nothing more happens; what did is in the recording."""
        self.world.carrier = None
        self.world.close()
        if self.recording is not None:
            self.recording.close()
