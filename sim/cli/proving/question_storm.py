"""A storm around a question bridge: agents, people, the network and the disk, all at once.

All draws come from one seed. OpenCode has two projects and three sessions; Alice and Bob
press and write; L2 is a second listener on the same bot and store. A storm has a stretch
of weather, then everything comes back, and a long calm lets the rest settle.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final

import attrs

from sim.cli.proving.draw import Draw
from sim.cli.proving.gale import SECOND_US, Gale
from sim.cli.proving.question_deeds import FIRST, SECOND, Deeds
from sim.core.actor import Actor, Port
from sim.core.event import Noted
from sim.core.invariant import Monitor
from sim.drivers.step import StepDriver
from sim.protocols.question.constants import HOOK, KINDS, LISTENER, OPENCODE, STORE, TELEGRAM
from sim.protocols.question.hook.plan import HookPlan
from sim.protocols.question.hook.twin import Hook
from sim.protocols.question.invariants import invariants_for
from sim.protocols.question.listener.actor import Listener
from sim.protocols.question.listener.plan import ListenerPlan
from sim.protocols.question.opencode.plan import OpenCodePlan
from sim.protocols.question.opencode.twin import OpenCode
from sim.protocols.question.rules import QuestionRules
from sim.protocols.question.store.file import StoreFile
from sim.protocols.question.store.plan import StoreFilePlan
from sim.protocols.question.telegram.actor import BotApi
from sim.protocols.question.telegram.plan import CHAT, TOKEN, BotAccount, BotApiPlan
from sim.protocols.question.view import QuestionView, Surroundings
from sim.world import fault
from sim.world.world import World

TWINS: Final = frozenset(KINDS)
ELSEWHERE: Final = "-4200000999"
LOCAL: Final = (OPENCODE, HOOK, FIRST, SECOND)

Make = Callable[[type[Actor], Port, Any], Actor]


def plain(twin: Any, port: Port, facts: Any) -> Actor:
    """The shipped twin."""
    made: Actor = twin(port, facts)
    return made


@attrs.frozen
class Weather:
    """How often (per 1,000 deeds) each kind of thing happens, and how long it lasts.

    ``after_s``: how long the calm is. ``second``: there are two listeners. ``private``:
    the bot reads no texts; ``elsewhere``: the hook writes into another group; ``slow``:
    what goes wrong with calls is that they take minutes. The rest of the deeds are presses
    and texts.
    """

    deeds: int = 60
    seconds: int = 90
    after_s: int = 100
    ask: int = 260
    tool: int = 15
    desk: int = 50
    http: int = 110
    crash: int = 15
    disk: int = 15
    old: int = 60
    skew: int = 0
    odd: int = 60
    texts: int = 330
    second: bool = False
    private: bool = False
    elsewhere: bool = False
    slow: bool = False


WEATHERS: Final = (
    Weather(),
    Weather(http=0, crash=0, disk=0, desk=20, old=30),
    Weather(http=300, ask=200),
    Weather(texts=600, http=40, crash=0, disk=0),
    Weather(second=True, crash=50),
    Weather(disk=90, crash=40),
    Weather(old=200, desk=20, http=120),
    Weather(odd=300, http=30),
    Weather(deeds=40, seconds=60, after_s=2_000),
    Weather(private=True),
    Weather(skew=30, old=100),
)


class QuestionStorm(Gale):
    """One storm, from the first question to the verdict."""

    CRASHING: ClassVar[tuple[str, ...]] = (FIRST, FIRST, OPENCODE)

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
        rules = attrs.evolve(QuestionRules(), **{one.replace("-", "_"): False for one in off})
        private = frozenset({TOKEN} if self.weather.private else ())
        self.view = QuestionView(Surroundings(private=private))
        for kind in self.view.kinds:
            self.world.watch(kind, self.view.on)
        self._add_hosts(make, rules)
        self.deeds = Deeds(self.world, self.draw, self.view, slow=self.weather.slow)
        self.monitor = Monitor(invariants_for(self.view, judged))
        self.monitor.attach(self.world.watch)

    def _add_hosts(self, make: Make, rules: QuestionRules) -> None:
        world = self.world
        bot = BotAccount(privacy="on" if self.weather.private else "off")
        store, api = StoreFilePlan(), BotApiPlan(bots=(bot,), groups=(ELSEWHERE,))
        where = ELSEWHERE if self.weather.elsewhere else CHAT
        world.add_host(STORE, STORE, _made(make, StoreFile, store), latency=(20, 200))
        world.add_host(TELEGRAM, TELEGRAM, _made(make, BotApi, api), latency=(20_000, 250_000))
        world.add_host(HOOK, HOOK, _made(make, Hook, HookPlan(rules=rules, chat=where)))
        plan = OpenCodePlan(hook=HOOK, rules=rules)
        world.add_host(OPENCODE, OPENCODE, _made(make, OpenCode, plan))
        names = (FIRST, SECOND) if self.weather.second else (FIRST,)
        for name in names:
            world.add_host(name, LISTENER, _made(make, Listener, ListenerPlan(rules=rules)))
        for name in LOCAL:
            for other in LOCAL:
                world.latencies[name, other] = (1_000, 5_000)
            world.latencies[name, STORE] = world.latencies[STORE, name] = (20, 200)

    def run(self) -> Monitor:
        """Play it to the end."""
        world, driver, weather = self.world, StepDriver(self.world), self.weather
        for name in world.hosts:
            world.boot(name)
        driver.run(limit_us=2 * SECOND_US)
        end = weather.seconds * SECOND_US
        for n in range(weather.deeds):
            world.at(2 * SECOND_US + self.draw.below(end), f"storm {n}", self._act)
        driver.run(limit_us=world.now + end + SECOND_US)
        self.deeds.clear_up()
        self.clear_up()
        driver.run(limit_us=world.now + weather.after_s * SECOND_US)
        world.record(Noted(world.next_n(), world.now, -1, STORE, "the end", None))
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
            (weather.ask, deeds.asks),
            (weather.tool, deeds.runs_a_tool),
            (weather.desk, deeds.at_the_desk),
            (weather.http, deeds.network),
            (weather.crash, self.crash),
            (weather.disk, deeds.disk),
            (weather.old, deeds.time_flies),
            (weather.skew, self._skew),
            (weather.odd, deeds.oddly),
            (weather.texts, deeds.writes),
            (1000, deeds.presses),
        ):
            roll -= share
            if roll < 0:
                act()
                return

    def crash(self) -> None:
        """A process dies; OpenCode takes its plugin along."""
        super().crash()
        if not self.world.hosts[OPENCODE].up and self.world.hosts[HOOK].up:
            fault.crash(self.world, HOOK)
            self.world.at(self.world.now + SECOND_US, f"hook {self.world.now}", self._hook_is_back)

    def _hook_is_back(self) -> None:
        self.restart(OPENCODE)
        self.restart(HOOK)

    def _skew(self) -> None:
        """The machine's clock is corrected."""
        by_us = self.draw.choice([-5, -1, 1, 5]) * SECOND_US
        for name in (STORE, *LOCAL):
            if name in self.world.hosts:
                fault.skew(self.world, name, by_us)


def _made(make: Make, twin: Any, plan: Any) -> Callable[[Port], Actor]:
    return lambda port: make(twin, port, plan)
