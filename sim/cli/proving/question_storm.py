"""A storm around a question bridge: agents, people, the network and the disk, all at once.

OpenCode has two projects and three sessions; Alice and Bob press and write; L2 is a second
listener on the same bot and store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar, Final

import attrs

from sim.cli.proving.gale import SECOND_US, Gale
from sim.cli.proving.making import Make, host_of, plain
from sim.cli.proving.question_deeds import FIRST, SECOND, Deeds
from sim.core.rule import switch_off
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
    """See :class:`Gale`."""

    view: QuestionView
    CRASHING: ClassVar[tuple[str, ...]] = (FIRST, FIRST, OPENCODE)
    LAST: ClassVar[str] = STORE

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
        private = frozenset({TOKEN} if weather.private else ())
        super().__init__(World(seed), weather, QuestionView(Surroundings(private=private)))
        self._add_hosts(make, switch_off(QuestionRules, frozenset(off)))
        self.deeds = Deeds(self.world, self.draw, self.view, slow=weather.slow)
        self.judge(invariants_for(self.view, judged))

    def _add_hosts(self, make: Make, rules: QuestionRules) -> None:
        world = self.world
        bot = BotAccount(privacy="on" if self.weather.private else "off")
        store, api = StoreFilePlan(), BotApiPlan(bots=(bot,), groups=(ELSEWHERE,))
        where = ELSEWHERE if self.weather.elsewhere else CHAT
        world.add_host(STORE, STORE, host_of(make, StoreFile, store), latency=(20, 200))
        world.add_host(TELEGRAM, TELEGRAM, host_of(make, BotApi, api), latency=(20_000, 250_000))
        world.add_host(HOOK, HOOK, host_of(make, Hook, HookPlan(rules=rules, chat=where)))
        plan = OpenCodePlan(hook=HOOK, rules=rules)
        world.add_host(OPENCODE, OPENCODE, host_of(make, OpenCode, plan))
        names = (FIRST, SECOND) if self.weather.second else (FIRST,)
        for name in names:
            world.add_host(name, LISTENER, host_of(make, Listener, ListenerPlan(rules=rules)))
        for name in LOCAL:
            for other in LOCAL:
                world.latencies[name, other] = (1_000, 5_000)
            world.latencies[name, STORE] = world.latencies[STORE, name] = (20, 200)

    def shares(self) -> Iterable[tuple[int, Callable[[], None]]]:
        weather, deeds = self.weather, self.deeds
        return (
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
        )

    def calm(self) -> None:
        self.deeds.clear_up()
        super().calm()

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
