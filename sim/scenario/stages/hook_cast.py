"""Who stands in a hook world: drawn lifelines and those that exist all the same.

Host names are the diagram's ids; a server, desktop, channel or person that the
diagram leaves out gets its kind as its name. The channels are those that are
drawn, or Slack; each is a lane of every desktop, and every person is on all of
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import attrs

from sim.channel.api import ChannelFault
from sim.channel.services import SERVICES
from sim.core.op import Frame
from sim.hosts.channel import Channel
from sim.hosts.person import Person
from sim.hosts.slack import Slack
from sim.hosts.telegram import Telegram
from sim.hosts.x import X
from sim.protocols.hook.acts import ChangeFeature
from sim.protocols.hook.desktop import Desktop, DesktopConfig
from sim.protocols.hook.desktop.settings import LANE_FEATURES
from sim.protocols.hook.rules import HookRules
from sim.protocols.hook.server import Server, ServerPlan
from sim.scenario.directive_nodes import Act as RecordedAct
from sim.scenario.playing.puppet import Puppet
from sim.scenario.playing.stage import Direction
from sim.scenario.stages.casting import Casting
from sim.scenario.stages.hook_compose import Composer
from sim.scenario.syntax import Act, Arrow, Scenario
from sim.scenario.tree import statements_in
from sim.world.world import World

API_LATENCY_US = (80_000, 250_000)


@attrs.frozen
class HookManners:
    """What a mannered puppet of the hook protocol does by itself."""

    composer: Composer

    def greeting(self, puppet: Puppet) -> Iterable[Frame]:
        return (self._frame(puppet, "hello"),)

    def answers(self, puppet: Puppet, frame: Frame) -> Iterable[Frame]:
        manners = puppet.habits
        if frame.type == "ping" and "pong" in manners:
            return (self._frame(puppet, "pong"),)
        if frame.type == "hello" and "handshake" in manners:
            return (self._frame(puppet, "welcome"),)
        return ()

    def greeted(self, frame: Frame) -> bool:
        return frame.type == "welcome"

    def told(self, puppet: Puppet, act: Any) -> None:
        if isinstance(act, ChangeFeature):
            self.composer.change_feature(puppet.port.name, act.feature, act.on)

    def _frame(self, puppet: Puppet, kind: str) -> Frame:
        host: Any = puppet.port
        payload = self.composer.payload(host, kind)
        if kind == "hello":
            self.composer.hellos.setdefault(host.name, payload)
        return self.composer.frame(host, kind, payload)


class Cast(Casting):
    """The hosts of one run."""

    KINDS = ("server", "desktop", *SERVICES)

    def __init__(self, scenario: Scenario, world: World, rules: HookRules) -> None:
        super().__init__(scenario, world)
        self.rules = rules
        self.server = self.all_of("server")[0]
        self.desktops = self.all_of("desktop")
        self.persons = self.all_of("person")
        drawn = {p.id: p.kind for p in scenario.participants if p.is_channel}
        self.channels = drawn or {"slack": "slack"}
        self.sign_ins = self._sign_ins()
        self.plan = self._plan()

    def _sign_ins(self) -> list[tuple[str, str, str | None]]:
        """(lane, person, team) of every binding that the diagram completes itself."""
        found = (self._sign_in(one) for one in statements_in(self.scenario.body))
        return [one for one in found if one is not None]

    def _sign_in(self, one: Any) -> tuple[str, str, str | None] | None:
        """The same of an arrow ``authorize``, or of what a record says was done."""
        match one:
            case Arrow(content=Act(verb="authorize", word=team)):
                return self.channels[self.channel_of(one)], self.person_of(one), team
            case RecordedAct(act=dict(act)) if act.get("is") == "authorize":
                if act.get("decline"):
                    return None
                where = str(act.get("channel") or next(iter(self.channels)))
                team = act.get("team")
                return self.channels.get(where, where), str(act.get("person")), team or None
        return None

    def channel_of(self, arrow: Arrow) -> str:
        """The channel that an arrow of a person is about; the first if it names none."""
        ends = (end for end in (arrow.target, arrow.source) if end in self.channels)
        return next(ends, next(iter(self.channels)))

    def person_of(self, arrow: Arrow) -> str:
        """Who acts in an arrow out of a person or a channel."""
        return arrow.source if arrow.source in self.persons else self.persons[0]

    def desktop_of(self, person: str) -> str:
        """The n-th person's is the n-th desktop, the last serves the rest."""
        return self.desktops[min(self.persons.index(person), len(self.desktops) - 1)]

    def within_reach(self, person: str) -> tuple[str, ...]:
        """A person's own desktop and those that are nobody's."""
        owned = [self.desktop_of(one) for one in self.persons]
        mine = self.desktop_of(person)
        return (mine, *(one for one in self.desktops if one not in owned))

    def lanes(self) -> tuple[str, ...]:
        """The lanes of every desktop: one per kind of channel."""
        return tuple(dict.fromkeys(self.channels.values()))

    def features_of(self, host: str, usual: tuple[str, ...]) -> tuple[str, ...]:
        """What a side announces at the start: the usual, changed by the file's head."""
        features = dict.fromkeys(usual)
        for switch in self.scenario.settings.features:
            if switch.host == host and switch.on:
                features[switch.feature] = None
            elif switch.host == host:
                features.pop(switch.feature, None)
        return tuple(features)

    def _plan(self) -> ServerPlan:
        bindings: dict[tuple[str, str], str] = {}
        signing_in = {(lane, person) for lane, person, _ in self.sign_ins}
        for person in self.persons:
            for lane in self.lanes():
                if (lane, person) not in signing_in:
                    bindings[lane, person] = device_of(self.desktop_of(person))
        usual = ServerPlan(channels={}, bindings={}).features
        return ServerPlan(
            channels=self.channels,
            bindings=bindings,
            features=self.features_of(self.server, usual),
            rules=self.rules,
        )

    def puppet_features(self) -> dict[str, tuple[str, ...]]:
        """What puppets announce: everything their side knows (all features)."""
        usual = tuple(dict.fromkeys(f for lane in self.lanes() for f in LANE_FEATURES[lane]))
        features = {d: self.features_of(d, usual) for d in self.desktops}
        features[self.server] = self.plan.features
        return features

    # -- building --------------------------------------------------------------------

    def build(self, manners: HookManners) -> None:
        """Add all hosts, in the order of starting, and set the latencies."""
        channels = tuple(self.channels)
        for name in self.channels:
            self._add_channel(name)
        for name in self.persons:
            self.world.add_host(name, "person", lambda port: Person(port, *channels))
            for target in self.channels:
                self.world.latencies[name, target] = (0, 0)
        self._add(self.server, "server", manners, lambda port: Server(port, self.plan))
        for name in self.desktops:
            self._add_desktop(name, manners)
        self._set_latencies()

    def _add_channel(self, name: str) -> None:
        kind = self.channels[name]
        teams = tuple(dict.fromkeys(team for _, _, team in self.sign_ins if team))
        twins: dict[str, Callable[..., Channel]] = {
            "slack": partial(Slack, teams=teams),
            "telegram": Telegram,
            "x": X,
        }
        made = partial(twins[kind], server=self.server, people=self.persons)
        self.world.add_host(name, kind, made, latency=API_LATENCY_US)

    def _add_desktop(self, name: str, manners: HookManners) -> None:
        config = DesktopConfig(
            device_id=device_of(name),
            device_name=name,
            server=self.server,
            lanes=self.lanes(),
            features={lane: self.features_of(name, LANE_FEATURES[lane]) for lane in self.lanes()},
            rules=self.rules,
        )
        self._add(name, "desktop", manners, lambda port: Desktop(port, config))

    # -- directing -------------------------------------------------------------------

    def channel_fault(
        self, channel: str, op: str, outcome: str, for_us: int, always: bool
    ) -> Direction:
        """How a channel answers; a card is a post to its API."""
        word = "post" if op == "card" else op
        return Direction(channel, ChannelFault(word, outcome, for_us, always))

    def feature(self, host: str, feature: str, on: bool) -> Direction:
        """Change what a side announces from its next handshake on."""
        return Direction(host, ChangeFeature(feature, on))


def device_of(desktop: str) -> str:
    """The deviceId of a desktop host."""
    return f"device-{desktop}"
