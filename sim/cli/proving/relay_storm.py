"""A storm around a relay: controllers, nodes, a stranger, and everything that can go wrong.

All draws come from one seed. A and A2 are two programs of one identity, B is another's;
node N has many tabs, M few. Z has no token and says that it is N. A storm has a stretch
of weather, then everything comes back, and a long calm lets the rest settle.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final

import attrs

from sim.cli.proving.draw import Draw
from sim.cli.proving.gale import SECOND_US, Gale
from sim.cli.proving.relay_deeds import Deeds
from sim.core.actor import Actor, Port
from sim.core.event import Noted
from sim.core.invariant import Monitor
from sim.drivers.step import StepDriver
from sim.protocols.relay.acts import Connect, RefuseCancels, SlowDown, SwitchPings
from sim.protocols.relay.constants import CONTROLLER, NODE, RELAY
from sim.protocols.relay.controller import Controller, ControllerPlan
from sim.protocols.relay.invariants import invariants_for
from sim.protocols.relay.node import Node, NodePlan
from sim.protocols.relay.oracles.envelope import FramesPassTheParser
from sim.protocols.relay.relay.endpoint import Relay
from sim.protocols.relay.relay.plan import Limits, RelayPlan
from sim.protocols.relay.relay.sessions import Grant
from sim.protocols.relay.rules import RelayRules
from sim.protocols.relay.view import RelayView
from sim.world import fault
from sim.world.world import World

TWINS: Final = frozenset({RELAY, CONTROLLER, NODE})
CONTROLLERS: Final = {"A": "ctl_a", "A2": "ctl_a", "B": "ctl_b"}
NODES: Final = {"N": "node_n", "M": "node_m"}
STRANGER: Final = "Z"
TABS: Final = {
    "tab_x": "https://example.com/",
    "tab_y": "https://example.com/",
    "tab_z": "https://chat.example/room/quay",
}

Make = Callable[[type[Actor], Port, Any], Actor]


def plain(twin: Any, port: Port, facts: Any) -> Actor:
    """The shipped twin."""
    made: Actor = twin(port, facts)
    return made


@attrs.frozen
class Weather:
    """How often (per 1,000 deeds) something goes wrong, and how long it lasts.

    ``wrong``: a peer says what it must not; ``frozen``: one falls silent. ``tabs`` and
    ``waiting`` are the relay's limits; ``listening`` and ``keyed``: see :class:`Deeds`.
    """

    deeds: int = 150
    seconds: int = 100
    cut: int = 30
    crash: int = 12
    frame: int = 40
    sleep: int = 0
    skew: int = 8
    frozen: int = 12
    comings: int = 30
    wrong: int = 130
    nodes: int = 160
    tabs: int = 3
    waiting: int = 5
    listening: int = 10
    keyed: int = 5


WEATHERS: Final = (
    Weather(),
    Weather(wrong=400),
    Weather(listening=60, cut=10, crash=4, nodes=300),
    Weather(comings=120, cut=60, crash=30),
    Weather(keyed=60, crash=30, cut=40),
    Weather(deeds=250, seconds=60, frozen=4),
    Weather(frozen=60, deeds=80, seconds=150, comings=4),
    Weather(cut=0, crash=0, frame=0, skew=0, frozen=0, comings=0, wrong=0),
    Weather(deeds=60, seconds=120, sleep=40),
)


class RelayStorm(Gale):
    """One storm, from the first connection to the verdict."""

    CRASHING: ClassVar[tuple[str, ...]] = ("R", "N", "M", "A", "B")
    SLEEPING: ClassVar[tuple[str, ...]] = ("A", "N", "R")

    def __init__(
        self,
        seed: int,
        *,
        off: tuple[str, ...] = (),
        weather: Weather | None = None,
        make: Make = plain,
        judged: frozenset[str] = TWINS,
    ) -> None:
        super().__init__(World(seed), Draw(seed))
        self.weather = weather or WEATHERS[seed % len(WEATHERS)]
        rules = attrs.evolve(RelayRules(), **{one.replace("-", "_"): False for one in off})
        self.plan = self._plan(rules)
        self.view = RelayView(self.plan)
        for kind in self.view.kinds:
            self.world.watch(kind, self.view.on)
        self._add_hosts(make, rules)
        self.deeds = Deeds(
            self.world, self.draw, self.view, self.weather.listening, self.weather.keyed
        )
        invariants = invariants_for(self.view, judged)
        for invariant in invariants:
            if isinstance(invariant, FramesPassTheParser):
                invariant.EVERY = 1
        self.monitor = Monitor(invariants)
        self.monitor.attach(self.world.watch)

    def _plan(self, rules: RelayRules) -> RelayPlan:
        """What the relay knows: a token each, and limits that are reached."""
        peers = {**CONTROLLERS, **NODES}
        grants = {
            f"token-{who}": Grant(NODE if who in NODES else CONTROLLER, identity)
            for who, identity in peers.items()
        }
        refresh = {f"refresh-{who}": grants[f"token-{who}"] for who in peers}
        limits = Limits(tab_queue=self.weather.tabs, controller_queue=self.weather.waiting)
        return RelayPlan(grants, refresh, rules, limits)

    def _add_hosts(self, make: Make, rules: RelayRules) -> None:
        world = self.world
        world.add_host("R", RELAY, lambda port: make(Relay, port, self.plan))
        for who in (*NODES, STRANGER):
            owned = tuple((tab, url, "ctl_b") for tab, url in TABS.items())
            node = NodePlan(
                node_id=NODES.get(who, NODES["N"]), token=f"token-{who}", rules=rules,
                refresh_token=f"refresh-{who}", tabs=owned if who == "N" else (),
            )  # fmt: skip
            world.add_host(who, NODE, _made(make, Node, node))
            for tab, url, owner in node.tabs:
                self.view.node(who).seed(tab, url, owner)
            self.view.node(who).knows_all = who in NODES
        for who in CONTROLLERS:
            controller = ControllerPlan(
                token=f"token-{who}", refresh_token=f"refresh-{who}", rules=rules,
                nodes=tuple(NODES.values()),
            )  # fmt: skip
            world.add_host(who, CONTROLLER, _made(make, Controller, controller))

    def run(self) -> Monitor:
        """Play it to the end."""
        world, driver = self.world, StepDriver(self.world)
        for name in world.hosts:
            world.boot(name)
        driver.run(limit_us=2 * SECOND_US)
        end = self.weather.seconds * SECOND_US
        for n in range(self.weather.deeds):
            world.at(2 * SECOND_US + self.draw.below(end), f"storm {n}", self._act)
        driver.run(limit_us=world.now + end + SECOND_US)
        self._calm()
        driver.run(limit_us=world.now + 100 * SECOND_US)
        world.record(Noted(world.next_n(), world.now, -1, "R", "the end", None))
        self.monitor.finish(len(world.events) - 1)
        world.close()
        return self.monitor

    def broken(self) -> dict[str, str]:
        """Broken invariants with their sentences."""
        return {v.invariant: f"step {v.step}: {v.text}" for v in self.monitor.violations}

    def _act(self) -> None:
        weather, deeds = self.weather, self.deeds
        roll = self.draw.below(1000)
        for share, act in (
            (weather.cut, self.cut),
            (weather.crash, self.crash),
            (weather.frame, self.frame),
            (weather.sleep, self.sleep),
            (weather.skew, self._skew),
            (weather.frozen, deeds.falls_silent),
            (weather.comings, deeds.comes_or_goes),
            (weather.wrong, deeds.says_something_wrong),
            (weather.nodes, deeds.node),
            (1000, deeds.controller),
        ):
            roll -= share
            if roll < 0:
                act()
                return

    def _skew(self) -> None:
        """A clock jumps, and jumps back."""
        name = self.draw.choice(["A", "B", "N", "R"])
        by_us = self.draw.choice([-90, -50, 50, 90]) * SECOND_US
        fault.skew(self.world, name, by_us)
        after = self.world.now + self.draw.below(5 * SECOND_US)
        self.world.at(after, f"unskew {name} {self.world.now}", lambda: self._unskew(name, -by_us))

    def _unskew(self, name: str, by_us: int) -> None:
        fault.skew(self.world, name, by_us)

    def _calm(self) -> None:
        self.clear_up()
        for who in (*NODES, *CONTROLLERS):
            self.world.act(who, SwitchPings(True))
            self.world.act(who, Connect())
        for who in NODES:
            self.world.act(who, SlowDown(0))
            self.world.act(who, RefuseCancels(False))


def _made(make: Make, twin: Any, plan: Any) -> Callable[[Port], Actor]:
    return lambda port: make(twin, port, plan)
