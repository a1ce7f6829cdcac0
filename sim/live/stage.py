"""Scenarios whose desktops are outside programs, and who is whose device.

A diagram names its desktops ``D``; a real one brings a deviceId that nobody knew.
The first that says hello is the first desktop of the diagram, and so on; further
ones get names and people of their own. A person whom the diagram binds to a
desktop is bound to the device that takes its place.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

import attrs

from sim.channel.services import SERVICES
from sim.hosts.person import Person
from sim.live.outsider import Outsider, done_there
from sim.protocols.hook.server import ServerPlan
from sim.scenario.playing.stage import Direction, NotYet
from sim.scenario.stages.hook import HookStage
from sim.scenario.stages.hook_cast import Cast, HookManners, device_of
from sim.scenario.syntax import Act, Arrow, FrameText, Scenario, Statement
from sim.world.world import World

CHANNELS = SERVICES
KEPT_VERSIONS = 20
TITLES = {"slack": "Slack", "telegram": "Telegram", "x": "X"}


def open_house(channels: Iterable[str]) -> str:
    """The scenario of a server that just waits for desktops: one person on these channels."""
    lines = [f"    participant {name} as {TITLES[name]}" for name in channels]
    first = next(iter(channels))
    return "\n".join(
        [
            "sequenceDiagram",
            "    %% Desktops connect from outside; people act over the control API.",
            "    actor P as Person",
            *lines,
            "    participant S as hook server",
            "    participant D as desktop",
            f"    Note over P,{first}: whatever happens",
            "",
        ]
    )


@attrs.frozen
class Account:
    """Somebody on a lane whose messages go to a desktop."""

    lane: str
    person: str


class OpenCast(Cast):
    """A cast whose desktops, unless they are puppets, come from outside."""

    def _plan(self) -> ServerPlan:
        plan = super()._plan()
        self.admitted = 1
        self.bindings: dict[tuple[str, str], str] = {}
        self.promised: dict[str, list[Account]] = {}
        for (lane, person), device in plan.bindings.items():
            if self._is_puppet(device):
                self.bindings[lane, person] = device
            else:
                self.promised.setdefault(device, []).append(Account(lane, person))
        # Filled while the server runs: an outside device is known by its first hello.
        return attrs.evolve(plan, bindings=self.bindings)

    def _is_puppet(self, device: str) -> bool:
        return any(device == device_of(one.id) for one in self.puppets())

    def outsiders(self) -> list[str]:
        """The drawn desktops whose places are to be taken."""
        puppets = [one.id for one in self.puppets()]
        return [name for name in self.desktops if name not in puppets]

    def accounts_of(self, desktop: str) -> list[Account]:
        """Who is to be bound to the device that takes this desktop's place."""
        return self.promised.get(device_of(desktop), [])

    def twin_kinds(self) -> frozenset[str]:
        """Outside programs are judged by what they send, not as twins are."""
        return super().twin_kinds() - {"desktop"}

    def _add_desktop(self, name: str, manners: HookManners) -> None:
        self._add(name, "desktop", manners, Outsider)
        if name in self.outsiders():
            self._no_latency(name, self.server)

    def admit(self) -> str:
        """One more desktop than the diagram has, with a person of its own; gives its name."""
        self.admitted += 1
        name, person = f"D{self.admitted}", f"P{self.admitted}"
        while name in self.world.hosts or person in self.world.hosts:
            self.admitted += 1
            name, person = f"D{self.admitted}", f"P{self.admitted}"
        channels = tuple(self.channels)
        clock = self.world.hosts[self.server].skew_us
        added = self.world.add_host(person, "person", lambda port: Person(port, *channels))
        added.skew_us = clock
        for target in self.channels:
            self.world.latencies[person, target] = (0, 0)
        self.world.boot(person)
        self.world.add_host(name, "desktop", Outsider).skew_us = clock
        self._no_latency(name, self.server)
        self.promised[device_of(name)] = [Account(lane, person) for lane in self.lanes()]
        return name


class OpenStage(HookStage):
    """A stage on which outside desktops play."""

    CAST: ClassVar[type[Cast]] = OpenCast
    cast: OpenCast

    def __init__(self, scenario: Scenario, world: World, without: frozenset[str]) -> None:
        super().__init__(scenario, world, without)
        # Of what the bot wrote, only the newest looks: a live run has no end.
        self.view.history.keep = KEPT_VERSIONS

    def prompts(
        self,
        arrow: Arrow,
        text: FrameText,
        following: Iterable[Statement],
        prompted: dict[int, None],
    ) -> list[Direction]:
        """Nobody here moves an outside program."""
        if arrow.source in self.cast.outsiders():
            return []
        return super().prompts(arrow, text, following, prompted)

    def person_does(self, arrow: Arrow, act: Act) -> Direction | NotYet:
        return done_there(super().person_does(arrow, act), act, self.cast.outsiders())
