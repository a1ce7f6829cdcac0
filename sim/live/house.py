"""A world with a twin server, in which the desktops are outside programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs

from sim.core.op import Frame
from sim.core.trace import Header
from sim.drivers.codec import JsonCodec
from sim.drivers.wall import WallDriver
from sim.live.gateway import Gateway, Seat, Tell
from sim.live.judging import Finding, Findings
from sim.live.recording import Recording
from sim.live.snares import Snares
from sim.live.stage import CHANNELS, OpenStage, open_house
from sim.live.tail import Tail
from sim.live.wallclock import show_real_time
from sim.play import vocabularies
from sim.protocols.hook import parse_hook_message
from sim.protocols.hook.acts import Adopt
from sim.scenario.parse import parse_scenario
from sim.scenario.playing.director import Director
from sim.scenario.playing.play import rules_off
from sim.scenario.playing.strikes import Striker
from sim.scenario.playing.walk import Shared, Walk
from sim.scenario.syntax import Scenario
from sim.world import fault
from sim.world.helm import Helm
from sim.world.world import World


@attrs.frozen
class Plan:
    """What is to be served: channels without a scenario, or a scenario with its own."""

    channels: tuple[str, ...] = CHANNELS
    scenario: Scenario | None = None
    record: Path | None = None
    speed: float = 1.0
    seed: int = 1
    without: frozenset[str] = frozenset()


class House:
    """Everything of one ``serve`` but its sockets' doors.

    ``director`` plays the diagram, from the first desktop on; without one it is None.
    """

    def __init__(self, plan: Plan, tell: Tell) -> None:
        self.plan = plan
        self.tell = tell
        scenario = plan.scenario
        text = open_house(plan.channels)
        self.scenario = scenario or parse_scenario(text, "serve", vocabularies())
        self.world = world = World(plan.seed)
        off = rules_off(self.scenario, plan.without)
        self.stage = stage = OpenStage(self.scenario, world, off)
        self.recording: Recording | None = None
        self.tail = Tail(sink=self._record)
        world.events = self.tail
        self.director = Director(self.scenario, world, stage) if scenario else None
        stage.build()
        show_real_time(world)
        self._steer()
        if plan.record is not None:
            self.recording = Recording(plan.record, self._header(off))
        self.findings = Findings(world, stage.protocol, stage.invariants(), "desktop", self._found)
        if self.director is not None:
            self.director.lookout.begin()
        self.snares = Snares(world)
        self.driver = WallDriver(world, plan.speed)
        self.gateway = Gateway(self.driver, JsonCodec(parse_hook_message), tell)
        self.gateway.on_frame = self._introduced
        self._host_of: dict[str, str] = {}
        self._taken: dict[str, str] = {}
        self._adopted: dict[tuple[str, str], None] = {}
        self.has_begun = False

    def _steer(self) -> None:
        steps = self.scenario.settings.steps
        if steps:
            Helm(self.world, Striker(self.world, self.stage), steps)

    def _header(self, off: frozenset[str]) -> Header:
        return Header(
            scenario=self.scenario.name,
            protocol=self.scenario.protocol,
            seed=self.world.seed,
            driver="live",
            without=tuple(sorted(off)),
            source=self.scenario.source_text,
            hosts=self.stage.host_kinds(),
        )

    def _record(self, event: Any) -> None:
        if self.recording is None:
            return
        had = self.recording.problem
        self.recording.write(event)
        if self.recording.problem and not had:
            self.tell(self.recording.problem)

    def _found(self, finding: Finding) -> None:
        self.tell(finding.line())

    # -- running -----------------------------------------------------------------------

    def boot(self) -> None:
        """Start every host that the diagram does not create itself."""
        self.stage.start()

    def over(self) -> bool:
        """The stop condition of a played diagram."""
        return self.director is not None and self.director.poll()

    @property
    def server(self) -> str:
        """The name of the twin server."""
        return self.stage.cast.server

    @property
    def lanes(self) -> tuple[str, ...]:
        """The lanes that desktops may connect on."""
        return self.stage.cast.lanes()

    def _begin(self) -> None:
        """The first desktop is here: the diagram begins."""
        director = self.director
        if director is None or self.has_begun:
            return
        self.has_begun = True
        walk = Walk(director, self.stage, director.findings, Shared())
        walk.thread = director.spawn(walk.whole(), 0)

    # -- who is who ----------------------------------------------------------------------

    def host_for(self, device: str) -> str:
        """The host that stands for a device ("": it has not said which it is).

        A host whose process the diagram has ended, or not started yet, starts.
        """
        name = self._host_of.get(device) if device else None
        if name is None:
            free = (one for one in self.stage.cast.outsiders() if one not in self._taken)
            name = next(free, None) or self._admitted()
            self._taken[name] = device
            if device:
                self._host_of[device] = name
        host = self.world.hosts[name]
        if not host.up:
            if host.epoch:
                fault.restart(self.world, name)
            else:
                self.world.boot(name)
            self.world.cause = -1
        self._begin()
        return name

    def _admitted(self) -> str:
        name = self.stage.cast.admit()
        show_real_time(self.world)
        return name

    def left(self, name: str) -> None:
        """A connection of this host is over; who never said its name leaves no trace of itself."""
        if self._taken.get(name) == "" and not any(self.world.links_of(name)):
            del self._taken[name]

    def _introduced(self, seat: Seat, frame: Frame) -> None:
        """A hello: the people of that desktop are bound to this device, before it is heard."""
        if frame.type != "hello" or seat.end is None or not isinstance(frame.wire, dict):
            return
        payload = frame.wire.get("payload")
        device = payload.get("deviceId") if isinstance(payload, dict) else None
        if not isinstance(device, str) or not device:
            return
        name = seat.end.host
        if not self._taken.get(name):
            self._taken[name] = device
            self._host_of.setdefault(device, name)
        self._adopt(name, device)

    def _adopt(self, name: str, device: str) -> None:
        if (name, device) in self._adopted or self._host_of.get(device) != name:
            return
        self._adopted[name, device] = None
        cast = self.stage.cast
        for account in cast.accounts_of(name):
            cast.bindings.setdefault((account.lane, account.person), device)
            self.world.act(self.server, Adopt(account.lane, account.person, device))
