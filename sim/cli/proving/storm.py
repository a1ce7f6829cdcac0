"""A storm: two people, two desktops, one server, Slack, and everything that can go wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

import attrs
import msgspec

from sim.channel.api import ChannelFault, Press, Remove, Say
from sim.channel.services import SERVICES
from sim.cli.proving.gale import SECOND_US, Gale
from sim.cli.proving.making import Make, host_of, plain
from sim.cli.proving.storm_walk import Walk
from sim.core.actor import Actor, Port
from sim.core.rule import switch_off
from sim.drivers.step import StepDriver
from sim.hosts.person import Person
from sim.hosts.slack import Slack
from sim.protocols.hook.acts import (
    AgentAsks,
    AgentEnds,
    AgentProgresses,
    AnswerCard,
    ChangeFeature,
    ChangeWorkspaces,
    Retry,
    TypeText,
)
from sim.protocols.hook.desktop import Desktop, DesktopConfig
from sim.protocols.hook.invariants import invariants_for
from sim.protocols.hook.rules import HookRules
from sim.protocols.hook.server import Limits, Server, ServerPlan
from sim.protocols.hook.view import HookView
from sim.world.world import World

PEOPLE = {"Alice": "D1", "Bob": "D2"}
TWINS = frozenset({"server", "desktop", *SERVICES})
OUTCOMES = (
    "rate_limited", "server_error", "message_not_found", "edit_refused", "unknown", "latency",
    "down",
)  # fmt: skip


def _person(channels: tuple[str, ...]) -> Callable[[Port], Actor]:
    return lambda port: Person(port, *channels)


@attrs.frozen
class Weather:
    """How often (per 1,000 deeds) something goes wrong, and how long it lasts.

    ``absent_s``: how long a desktop may stay away before its tasks are given up.
    """

    deeds: int = 60
    seconds: int = 120
    cut: int = 60
    crash: int = 30
    frame: int = 80
    channel: int = 60
    sleep: int = 10
    people: int = 200
    unruly: int = 60
    absent_s: int = 900


class Storm(Gale):
    """See :class:`Gale`."""

    view: HookView
    CRASHING = ("S", "D1", "D2")
    SLEEPING = ("D1", "D2", "S")
    CHANNELS: ClassVar[Mapping[str, str]] = {"IM": "slack"}

    def __init__(
        self,
        seed: int,
        *,
        off: tuple[str, ...] = (),
        weather: Weather | None = None,
        make: Make = plain,
        restore: bool = False,
        features: tuple[str, ...] = ("turn-reopen-v1",),
        preempt: bool = False,
        judged: frozenset[str] = TWINS,
    ) -> None:
        super().__init__(World(seed, preempt=preempt), weather or Weather(), HookView())
        self.said = 0
        rules = switch_off(HookRules, frozenset(off))
        self.add_channels()
        plan = self.plan(rules, restore, features)
        self.world.add_host("S", "server", host_of(make, Server, plan))
        for person, desktop in PEOPLE.items():
            config = self.config(desktop, rules)
            self.world.add_host(person, "person", _person(tuple(self.CHANNELS)))
            self.world.add_host(desktop, "desktop", host_of(make, Desktop, config))
        self.judge(invariants_for(self.view, judged))

    def add_channels(self) -> None:
        """The chat services."""
        self.world.add_host("IM", "slack", lambda port: Slack(port, "S"), latency=(80_000, 250_000))

    def plan(self, rules: HookRules, restore: bool, features: tuple[str, ...]) -> ServerPlan:
        """What the server knows from the start."""
        return ServerPlan(
            channels={"IM": "slack"},
            bindings={("slack", person): f"d-{desktop}" for person, desktop in PEOPLE.items()},
            rules=rules,
            restore_on_close=restore,
            features=features,
            limits=Limits(absent_us=self.weather.absent_s * SECOND_US),
        )

    def config(self, desktop: str, rules: HookRules) -> DesktopConfig:
        """How a desktop is set up."""
        folders = ("chat", "web")
        return DesktopConfig(f"d-{desktop}", workspaces=folders, rules=rules, server="S")

    def settle(self, driver: StepDriver | Walk) -> None:
        """Mostly the agents finish their work."""
        finishing = self.draw.random() < 0.8
        for _ in range(12):
            driver.run(limit_us=self.world.now + 6 * SECOND_US)
            if finishing:
                self._finish()
        driver.run(limit_us=self.world.now + 200 * SECOND_US)

    # -- the weather -----------------------------------------------------------------

    def shares(self) -> Iterable[tuple[int, Callable[[], None]]]:
        weather = self.weather
        return (
            (weather.cut, self.cut),
            (weather.crash, self.crash),
            (weather.frame, self.frame),
            (weather.channel, self._channel),
            (weather.sleep, self.sleep),
            (weather.people, self._people),
            (weather.unruly, self._unruly),
            (1000, self._agent),
        )

    def _channel(self) -> None:
        op = self.draw.choice(["post", "edit", "edit", "edit", "*"])
        outcome = self.draw.choice(OUTCOMES)
        for_us = self.draw.below(8 * SECOND_US)
        self.world.act("IM", ChannelFault(op, outcome, for_us, self.draw.random() < 0.2))

    def _people(self) -> None:
        person = self.draw.choice(list(PEOPLE))
        mine = [
            (r.thread, r.chat)
            for r in self.view.requests.values()
            if r.person == person and r.thread is not None
        ]
        thread = self.draw.choice(mine)[0] if mine and self.draw.random() < 0.5 else None
        self.said += 1
        roll = self.draw.below(100)
        if roll < 60:
            text = f"question {self.said}"
        elif roll < 75:
            text = "/stop"
        elif roll < 80:
            text = "/new"
        else:
            self._press(person)
            return
        self.world.act(person, Say("", text, thread))

    def _press(self, person: str) -> None:
        cards = [
            (message.id, button.id)
            for card in self.view.cards
            if (message := self.view.card_of(card)) is not None
            for version in message.versions[:1]
            for button in version.buttons
        ]
        if cards:
            shown, button = self.draw.choice(cards)
            self.world.act(person, Press("", shown, button))

    def _unruly(self) -> None:
        desktop = self.draw.choice(list(PEOPLE.values()))
        roll = self.draw.below(100)
        if roll < 30:
            aliases = self.draw.choice([("web",), (), ("web", "docs")])
            self.world.act(desktop, ChangeWorkspaces(aliases))
        elif roll < 60:
            self.world.act(desktop, TypeText("by the way"))
        elif roll < 70:
            feature = ChangeFeature("multi-team", self.draw.random() < 0.5)
            self.world.act(desktop, feature)
        elif roll < 90:
            messages = [m for m in self.view.history.messages.values() if m.by_bot]
            if messages:
                message = self.draw.choice(messages)
                self.world.act("Alice", Remove("", message.id))
        else:
            self.world.act(desktop, AnswerCard("perm:allow"))

    def _agent(self) -> None:
        desktop = self.draw.choice(list(PEOPLE.values()))
        self.said += 1
        acts: list[Any] = [
            AgentProgresses(f"snapshot {self.said}"),
            AgentProgresses(f"snapshot {self.said} " + "long " * self.draw.choice([1, 900])),
            AgentAsks(),
            AgentEnds(text=f"answer {self.said}"),
            AgentEnds(status="error", error=f"failure {self.said}"),
            Retry(),
        ]
        weights = [4, 1, 2, 2, 4, 5]
        act = self.draw.weighed(acts, weights)
        running = [r for r, v in self.view.requests.items() if v.acked and not v.ended]
        if running and not isinstance(act, Retry) and self.draw.random() < 0.4:
            act = msgspec.structs.replace(act, request=self.draw.choice(running))
        self.world.act(desktop, act)

    # -- the calm ---------------------------------------------------------------------

    def calm(self) -> None:
        for channel in self.CHANNELS:
            for op in ("post", "edit", "delete", "react", "*"):
                self.world.act(channel, ChannelFault(op, "latency", 0))
        super().calm()

    def _finish(self) -> None:
        for desktop in PEOPLE.values():
            self.said += 1
            self.world.act(desktop, AgentEnds(text=f"answer {self.said}"))
