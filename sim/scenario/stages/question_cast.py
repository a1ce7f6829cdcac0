"""Who stands in a question world: OpenCode with its hook, the store, listeners, Telegram.

Host names are the diagram's ids; what it leaves out gets its kind as its name. There may
be several listeners and people; everything else stands there once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sim.channel.api import ChannelFault
from sim.core.actor import Actor, Port
from sim.core.http import HttpRequest
from sim.hosts.bot_api import bot_api_host
from sim.hosts.hook import hook_host
from sim.hosts.listener import listener_host
from sim.hosts.opencode import opencode_host
from sim.hosts.person import Person
from sim.hosts.store import store_host
from sim.protocols.question.constants import HOOK, LISTENER, OPENCODE, STORE, TELEGRAM
from sim.protocols.question.hook.plan import HookPlan
from sim.protocols.question.listener.plan import ListenerPlan
from sim.protocols.question.opencode.plan import OpenCodePlan
from sim.protocols.question.rules import QuestionRules
from sim.protocols.question.store.plan import PendingPlan, StoreFilePlan
from sim.protocols.question.telegram.plan import TOKEN, BotAccount, BotApiPlan
from sim.protocols.question.words import (
    GROUP_TEXTS,
    METHODS,
    POLL_CONFLICT,
    SAME,
    STRICT_EDITS,
)
from sim.scenario.playing.stage import Direction
from sim.scenario.stages.casting import Casting
from sim.scenario.stages.question_puppets import READ_METHODS, QuestionPuppet
from sim.scenario.syntax import Scenario
from sim.world.world import World

API_LATENCY_US: Final = (80_000, 250_000)
DISK_LATENCY_US: Final = (20, 200)
LOCAL_LATENCY_US: Final = (1_000, 5_000)
"""Between processes of one machine."""
OTHER_BOT: Final = BotAccount("token-B", "napsta_bot")
"""Somebody else's bot in the same group: what is said to it is no answer (§7)."""


class Cast(Casting):
    """The hosts of one run."""

    KINDS = (OPENCODE, HOOK, STORE, LISTENER, TELEGRAM)

    def __init__(self, scenario: Scenario, world: World, rules: QuestionRules) -> None:
        super().__init__(scenario, world)
        self.rules = rules
        self.opencode = self.all_of(OPENCODE)[0]
        self.hook = self.all_of(HOOK)[0]
        self.store = self.all_of(STORE)[0]
        self.telegram = self.all_of(TELEGRAM)[0]
        self.listeners = self.all_of(LISTENER)
        self.persons = self.all_of("person")
        self.path = StoreFilePlan().path
        self.directory = OpenCodePlan().directory
        self._off = {one.feature for one in scenario.settings.features if not one.on}

    def has(self, feature: str) -> bool:
        """Whether a side does this in the whole run."""
        return feature not in self._off

    def _put(
        self,
        name: str,
        kind: str,
        twin: Callable[[Port], Actor],
        latency: tuple[int, int] | None = None,
    ) -> None:
        """A twin, or a puppet where the diagram says so."""
        made = QuestionPuppet if self.is_puppet(name) else twin
        self.world.add_host(name, kind, made, latency=latency)

    def build(self) -> None:
        """Add all hosts, in the order of starting, and set the latencies."""
        pending = PendingPlan(store=self.store)
        world = self.world
        world.add_host(self.store, STORE, store_host(StoreFilePlan()), latency=DISK_LATENCY_US)
        self._put(self.telegram, TELEGRAM, bot_api_host(self.telegram_plan()), API_LATENCY_US)
        for name in self.persons:
            world.add_host(name, "person", lambda port: Person(port, self.telegram))
            world.latencies[name, self.telegram] = (0, 0)
        self._add_opencode(pending)
        for name in self.listeners:
            plan = ListenerPlan(
                telegram=self.telegram, opencode=self.opencode, pending=pending, rules=self.rules
            )
            self._put(name, LISTENER, listener_host(plan))
        self._set_machine()
        self._set_latencies()

    def _set_machine(self) -> None:
        """OpenCode, its hook, the listeners and the disk are one machine."""
        local = (self.opencode, self.hook, *self.listeners)
        for name in local:
            for other in local:
                self.world.latencies[name, other] = LOCAL_LATENCY_US
            self.world.latencies[name, self.store] = DISK_LATENCY_US
            self.world.latencies[self.store, name] = DISK_LATENCY_US
        # The plugin lives in OpenCode's own process.
        self._no_latency(self.opencode, self.hook)

    def _add_opencode(self, pending: PendingPlan) -> None:
        hook = HookPlan(
            telegram=self.telegram, opencode=self.opencode, pending=pending, rules=self.rules
        )
        opencode = OpenCodePlan(hook=self.hook, rules=self.rules)
        self._put(self.hook, HOOK, hook_host(hook))
        self._put(self.opencode, OPENCODE, opencode_host(opencode))

    def telegram_plan(self) -> BotApiPlan:
        """Telegram as the head of the file wants it."""
        bot = BotAccount() if self.has(GROUP_TEXTS) else BotAccount(privacy="on")
        return BotApiPlan(
            bots=(bot, OTHER_BOT),
            people=tuple(self.persons),
            strict=self.has(STRICT_EDITS),
            conflicts=self.has(POLL_CONFLICT),
        )

    def http_word(self, request: str) -> str:
        """What the world calls a request that a diagram names."""
        if request in METHODS:
            verb = "GET" if request in READ_METHODS else "POST"
            return HttpRequest(verb, f"/bot{TOKEN}/{request}").word
        method, _, path = SAME.get(request, request).partition(" ")
        return HttpRequest(method, path.replace("{requestID}", "1")).word

    def channel_fault(self, op: str, outcome: str, for_us: int, always: bool) -> Direction:
        """How the Bot API answers."""
        return Direction(self.telegram, ChannelFault(op, outcome, for_us, always))

    def person_of(self, source: str) -> str:
        """Who acts in an arrow out of this lifeline."""
        return source if source in self.persons else self.persons[0]
