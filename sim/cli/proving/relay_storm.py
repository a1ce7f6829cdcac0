"""A storm around a relay: controllers, nodes, a stranger, and everything that can go wrong.

A and A2 are two programs of one identity, B is another's; node N has many tabs, M few.
Z has no token and says that it is N.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar, Final

import attrs

from sim.cli.proving.gale import SECOND_US, Gale
from sim.cli.proving.making import Make, host_of, plain
from sim.cli.proving.relay_deeds import Deeds
from sim.core.rule import switch_off
from sim.protocols.relay.acts import Connect, RefuseCancels, SlowDown, SwitchPings
from sim.protocols.relay.constants import CONTROLLER, NODE, RELAY
from sim.protocols.relay.controller import Controller, ControllerPlan
from sim.protocols.relay.invariants import invariants_for
from sim.protocols.relay.node import Node, NodePlan
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


@attrs.frozen
class Weather:
    """How often (per 1,000 deeds) something goes wrong, and how long it lasts.

    ``after_s``: how long the calm is. ``wrong``: a peer says what it must not; ``frozen``: one
    falls silent. ``tabs`` and ``waiting`` are the relay's limits; ``listening`` and ``keyed``:
    see :class:`Deeds`.
    """

    deeds: int = 150
    seconds: int = 100
    after_s: int = 100
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
    """See :class:`Gale`."""

    view: RelayView
    CRASHING: ClassVar[tuple[str, ...]] = ("R", "N", "M", "A", "B")
    SLEEPING: ClassVar[tuple[str, ...]] = ("A", "N", "R")
    LAST: ClassVar[str] = "R"

    def __init__(
        self,
        seed: int,
        *,
        off: tuple[str, ...] = (),
        weather: Weather | None = None,
        make: Make = plain,
        judged: frozenset[str] = TWINS,
    ) -> None:
        weather = weather or WEATHERS[seed % len(WEATHERS)]
        rules = switch_off(RelayRules, frozenset(off))
        plan = _plan(rules, weather)
        super().__init__(World(seed), weather, RelayView(plan))
        self._add_hosts(make, rules, plan)
        self.deeds = Deeds(self.world, self.draw, self.view, weather.listening, weather.keyed)
        self.judge(invariants_for(self.view, judged))

    def _add_hosts(self, make: Make, rules: RelayRules, plan: RelayPlan) -> None:
        world = self.world
        world.add_host("R", RELAY, host_of(make, Relay, plan))
        for who in (*NODES, STRANGER):
            owned = tuple((tab, url, "ctl_b") for tab, url in TABS.items())
            node = NodePlan(
                node_id=NODES.get(who, NODES["N"]), token=f"token-{who}", rules=rules,
                refresh_token=f"refresh-{who}", tabs=owned if who == "N" else (),
            )  # fmt: skip
            world.add_host(who, NODE, host_of(make, Node, node))
            for tab, url, owner in node.tabs:
                self.view.node(who).seed(tab, url, owner)
            self.view.node(who).knows_all = who in NODES
        for who in CONTROLLERS:
            controller = ControllerPlan(
                token=f"token-{who}", refresh_token=f"refresh-{who}", rules=rules,
                nodes=tuple(NODES.values()),
            )  # fmt: skip
            world.add_host(who, CONTROLLER, host_of(make, Controller, controller))

    def shares(self) -> Iterable[tuple[int, Callable[[], None]]]:
        weather, deeds = self.weather, self.deeds
        return (
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
        )

    def _skew(self) -> None:
        """A clock jumps, and jumps back."""
        name = self.draw.choice(["A", "B", "N", "R"])
        by_us = self.draw.choice([-90, -50, 50, 90]) * SECOND_US
        fault.skew(self.world, name, by_us)
        after = self.world.now + self.draw.below(5 * SECOND_US)
        self.world.at(after, f"unskew {name} {self.world.now}", lambda: self._unskew(name, -by_us))

    def _unskew(self, name: str, by_us: int) -> None:
        fault.skew(self.world, name, by_us)

    def calm(self) -> None:
        super().calm()
        for who in (*NODES, *CONTROLLERS):
            self.world.act(who, SwitchPings(True))
            self.world.act(who, Connect())
        for who in NODES:
            self.world.act(who, SlowDown(0))
            self.world.act(who, RefuseCancels(False))


def _plan(rules: RelayRules, weather: Weather) -> RelayPlan:
    """What the relay knows: a token each, and limits that are reached."""
    peers = {**CONTROLLERS, **NODES}
    grants = {
        f"token-{who}": Grant(NODE if who in NODES else CONTROLLER, identity)
        for who, identity in peers.items()
    }
    refresh = {f"refresh-{who}": grants[f"token-{who}"] for who in peers}
    limits = Limits(tab_queue=weather.tabs, controller_queue=weather.waiting)
    return RelayPlan(grants, refresh, rules, limits)
