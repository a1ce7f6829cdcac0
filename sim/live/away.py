"""Twin desktops against a server that is outside: who stands in that world.

The channels and the people on them are the real server's: nothing of them can
be seen or done from here, so a diagram's lines about them are not read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from sim.core.actor import Port
from sim.live.outsider import Outsider
from sim.protocols.hook.desktop import Desktop, DesktopConfig
from sim.protocols.hook.desktop.settings import LANE_FEATURES
from sim.scenario import directive_nodes as nodes
from sim.scenario.playing.stage import Direction, NotYet
from sim.scenario.stages.hook import HookStage
from sim.scenario.stages.hook_cast import Cast, HookManners
from sim.scenario.syntax import Act, Arrow, ChannelCall, FreeText, Scenario
from sim.scenario.tree import statements_in
from sim.world.world import World

SERVER = "S"
TITLES = {"slack": "Slack", "telegram": "Telegram", "x": "X"}


def names_of(count: int) -> list[str]:
    """``D``, ``D2``, ``D3`` …"""
    return ["D", *(f"D{n}" for n in range(2, count + 1))][:count]


def fleet(channels: Iterable[str], count: int) -> str:
    """The scenario of so many desktops at a strange server's."""
    lines = [f"    participant {name} as {TITLES[name]}" for name in channels]
    lines += [f"    participant {SERVER} as hook server"]
    lines += [f"    participant {name} as desktop" for name in names_of(count)]
    head = ["sequenceDiagram", "    %% The server, and the channels behind it, are outside."]
    return "\n".join([*head, *lines, f"    Note over {SERVER},D: whatever happens", ""])


class AwayCast(Cast):
    """Desktops that are twins, a server that is not; no channels, no people."""

    def build(self, manners: HookManners) -> None:
        """Add the server's place and the desktops."""
        self.world.add_host(self.server, "server", Outsider)
        for name in self.desktops:
            self._add_desktop(name, manners)
            self._no_latency(name, self.server)

    def _add_desktop(self, name: str, manners: HookManners) -> None:
        lanes = self.lanes()
        config = DesktopConfig(
            device_id=f"hooktwin-{self.world.seed}-{name}",
            device_name=name,
            server=self.server,
            lanes=lanes,
            features={lane: self.features_of(name, LANE_FEATURES[lane]) for lane in lanes},
            rules=self.rules,
        )

        def twin(port: Port) -> Desktop:
            return Desktop(port, config)

        self._add(name, "desktop", manners, twin)

    def twin_kinds(self) -> frozenset[str]:
        """Of the real server only the frames are known, so of the desktops no more either."""
        return frozenset()


class AwayStage(HookStage):
    """A stage for desktops only."""

    CAST: ClassVar[type[Cast]] = AwayCast

    def __init__(self, scenario: Scenario, world: World, without: frozenset[str]) -> None:
        super().__init__(scenario, world, without)
        self.view.history.keep = 1

    def person_does(self, arrow: Arrow, act: Act) -> Direction | NotYet:
        """At a desktop, as always; in a channel nobody of ours can do anything."""
        direction = super().person_does(arrow, act)
        if isinstance(direction, Direction) and direction.host not in self.world.hosts:
            return NotYet(f"{direction.host} is at the real server")
        return direction


def out_of_sight(scenario: Scenario) -> Iterator[int]:
    """Lines about channels, people on them, and the server's own life."""
    kinds = {one.id: one.kind for one in scenario.participants}
    for one in statements_in(scenario.body):
        if _is_out_of_sight(one, kinds):
            yield one.line


def _is_out_of_sight(one: Any, kinds: dict[str, str]) -> bool:
    match one:
        case Arrow(content=ChannelCall() | FreeText()):
            return True
        case Arrow(source=source, target=target, content=Act()):
            return "desktop" not in (kinds.get(source), kinds.get(target))
        case nodes.Expect() | nodes.Final() | nodes.Never() | nodes.ChannelFault():
            return True
        case nodes.Count(what=what):
            return what != "frame"
        case nodes.FeatureChange(host=host) | nodes.Crash(host=host) | nodes.Restart(host=host):
            return kinds.get(host) != "desktop"
        case nodes.Act(host=host):
            return kinds.get(host) != "desktop"
    return False
