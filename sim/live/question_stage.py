"""Scenarios of the question protocol in which the hook, the listener, or both are real programs."""

from __future__ import annotations

from typing import ClassVar

import attrs

from sim.hosts.bot_api import bot_api_host
from sim.hosts.hook import hook_host
from sim.hosts.listener import listener_host
from sim.hosts.opencode import opencode_host
from sim.hosts.person import Person
from sim.hosts.store import store_host
from sim.live.disk import RealDisk, owner_of
from sim.live.outsider import Outsider, done_there
from sim.live.served import TWINS
from sim.protocols.question.constants import (
    HOOK,
    LISTENER,
    OPENCODE,
    STORE,
    TELEGRAM,
    VISITOR,
)
from sim.protocols.question.hook.plan import HookPlan
from sim.protocols.question.listener.plan import ListenerPlan
from sim.protocols.question.opencode.plan import OpenCodePlan
from sim.protocols.question.rules import QuestionRules
from sim.protocols.question.store.plan import PendingPlan, StoreFilePlan
from sim.scenario.playing.stage import Direction, NotYet
from sim.scenario.stages.question import QuestionStage
from sim.scenario.stages.question_cast import Cast
from sim.scenario.syntax import Act, Arrow, Scenario
from sim.world.host import ActorFactory
from sim.world.world import World

KEPT_VERSIONS = 20

OPEN_HOUSE = """sequenceDiagram
    %% Hook and listener are programs outside, unless they are asked for as twins.
    actor Alice
    actor Bob
    participant telegram as Telegram
    participant opencode as OpenCode
    participant hook as hermes-hook.js
    participant store as pending-store.js
    participant listener as permission-listener.js
    Note over Alice,listener: whatever happens
"""


@attrs.frozen
class Surroundings:
    """What is served. ``twins`` are those of TWINS that are simulated; ``plugin``: whether
    OpenCode tells an outside hook of its tools. ``directory`` is OpenCode's project,
    ``store`` the real file that hook and listener share ("": a simulated one)."""

    directory: str
    twins: frozenset[str] = frozenset()
    plugin: bool = False
    store: str = ""


class OpenQuestionCast(Cast):
    """OpenCode, Telegram and people; hook and listener as the surroundings say."""

    around: Surroundings

    def __init__(self, scenario: Scenario, world: World, rules: QuestionRules) -> None:
        super().__init__(scenario, world, rules)
        self.path = self.around.store or self.path

    def build(self) -> None:
        world = self.world
        disk = RealDisk if self.around.store else store_host(StoreFilePlan())
        world.add_host(self.store, STORE, disk)
        world.add_host(self.telegram, TELEGRAM, bot_api_host(self.telegram_plan()))
        for name in self.persons:
            world.add_host(name, "person", lambda port: Person(port, self.telegram))
        world.add_host(self.hook, HOOK, self._hook())
        opencode = OpenCodePlan(
            hook=self.hook if self._has_hook() else "",
            directory=self.around.directory,
            rules=self.rules,
        )
        world.add_host(self.opencode, OPENCODE, opencode_host(opencode))
        for name in self.listeners:
            world.add_host(name, LISTENER, self._listener(name))
        # What crosses a socket has had its latency.
        for one in world.hosts:
            for other in world.hosts:
                world.latencies[one, other] = (0, 0)
        self._set_latencies()

    def _has_hook(self) -> bool:
        return self.around.plugin or HOOK in self.around.twins

    def _pending(self, name: str) -> PendingPlan:
        owner = owner_of(name) if self.around.store else ""
        return PendingPlan(store=self.store, path=self.path, owner=owner)

    def _hook(self) -> ActorFactory:
        if HOOK not in self.around.twins:
            return Outsider
        pending = self._pending(self.hook)
        return hook_host(
            HookPlan(
                telegram=self.telegram, opencode=self.opencode, pending=pending, rules=self.rules
            )
        )

    def _listener(self, name: str) -> ActorFactory:
        if LISTENER not in self.around.twins:
            return Outsider
        pending = self._pending(name)
        return listener_host(
            ListenerPlan(
                telegram=self.telegram, opencode=self.opencode, pending=pending, rules=self.rules
            )
        )

    def outsiders(self) -> list[str]:
        """The hosts that stand for real programs."""
        hooks = [] if HOOK in self.around.twins else [self.hook]
        return hooks + ([] if LISTENER in self.around.twins else self.listeners)

    def twin_kinds(self) -> frozenset[str]:
        """Outside programs are judged by what they send, not as twins are; what is in a
        store that they share with nobody here is not known."""
        kinds = {OPENCODE, TELEGRAM} | self.around.twins
        return frozenset(kinds | {STORE} if self.around.twins == frozenset(TWINS) else kinds)


class OpenQuestionStage(QuestionStage):
    """A stage on which real programs play."""

    CAST: ClassVar[type[Cast]] = OpenQuestionCast
    cast: OpenQuestionCast

    def __init__(self, scenario: Scenario, world: World, without: frozenset[str]) -> None:
        super().__init__(scenario, world, without)
        # Of what the bot wrote, only the newest looks: a live run has no end.
        self.history.keep = KEPT_VERSIONS
        self.view.told = attrs.evolve(self.view.told, visitors=frozenset({VISITOR}))

    def person_does(self, arrow: Arrow, act: Act) -> Direction | NotYet:
        return done_there(super().person_does(arrow, act), act, self.cast.outsiders())


def stage_in(around: Surroundings) -> type[OpenQuestionStage]:
    """The stage of a session in these surroundings."""

    class SurroundedCast(OpenQuestionCast):
        pass

    class SurroundedStage(OpenQuestionStage):
        CAST = SurroundedCast

    SurroundedCast.around = around
    return SurroundedStage
