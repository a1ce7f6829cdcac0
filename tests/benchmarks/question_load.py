"""A load of the question protocol: sessions that ask, one person who presses.

All twins are the shipped ones: OpenCode, its hook, the disk with the pending file, the
listener, Telegram. Sessions begin one after the other, ``gap_us`` apart, so that only so
many questions are open at a time: the file, and the list of OpenCode, hold all of them.
"""

from __future__ import annotations

from typing import Any

from sim.channel.api import Press
from sim.core.event import CallApplied, CallIssued, Noted
from sim.core.http import HttpRequest
from sim.core.invariant import Monitor
from sim.protocols.question import acts
from sim.protocols.question.constants import HOOK, KINDS, LISTENER, OPENCODE, STORE, TELEGRAM
from sim.protocols.question.hook.plan import HookPlan
from sim.protocols.question.hook.twin import Hook
from sim.protocols.question.invariants import invariants_for
from sim.protocols.question.listener.actor import Listener
from sim.protocols.question.listener.plan import ListenerPlan
from sim.protocols.question.opencode.plan import OpenCodePlan
from sim.protocols.question.opencode.twin import OpenCode
from sim.protocols.question.store.file import StoreFile
from sim.protocols.question.store.plan import StoreFilePlan
from sim.protocols.question.telegram.actor import BotApi
from sim.protocols.question.telegram.plan import BotApiPlan
from sim.protocols.question.view import QuestionView
from sim.world.world import World

SECOND = 1_000_000
LOCAL = (OPENCODE, HOOK, LISTENER)


class QuestionLoad:
    """A world with one bridge; ``sessions`` ask ``questions`` times each.

    ``messages`` counts requests and answers between hosts: over HTTP, to the hook, to the disk.
    """

    def __init__(
        self, sessions: int, questions: int, *, gap_us: int = 2 * SECOND, judged: bool = True
    ) -> None:
        self.world = world = World(1)
        self.sessions = sessions
        self.questions = questions
        self.gap_us = gap_us
        self.messages = 0
        self.done = 0
        self._left = {f"ses_{n}": questions for n in range(sessions)}
        world.add_host(STORE, STORE, lambda p: StoreFile(p, StoreFilePlan()), latency=(20, 200))
        world.add_host(
            TELEGRAM, TELEGRAM, lambda p: BotApi(p, BotApiPlan()), latency=(20_000, 250_000)
        )
        world.add_host(HOOK, HOOK, lambda p: Hook(p, HookPlan()))
        world.add_host(OPENCODE, OPENCODE, lambda p: OpenCode(p, OpenCodePlan(hook=HOOK)))
        world.add_host(LISTENER, LISTENER, lambda p: Listener(p, ListenerPlan()))
        for name in LOCAL:
            for other in LOCAL:
                world.latencies[name, other] = (1_000, 5_000)
            world.latencies[name, STORE] = world.latencies[STORE, name] = (20, 200)
        self.monitor = Monitor([])
        if judged:
            view = QuestionView()
            for kind in view.kinds:
                world.watch(kind, view.on)
            self.monitor = Monitor(invariants_for(view, frozenset(KINDS)))
            self.monitor.attach(world.watch)
        world.watch(CallIssued, self._count)
        world.watch(CallApplied, self._shown)
        world.watch(Noted, self._answered)

    def boot(self) -> None:
        """Start all hosts; the first session asks after two seconds."""
        for name in self.world.hosts:
            self.world.boot(name)
        for n, session in enumerate(self._left):
            self.world.at(2 * SECOND + n * self.gap_us, "ask", lambda s=session: self._ask(s))

    def over(self) -> bool:
        """All questions are answered."""
        return self.done == self.sessions * self.questions

    def _ask(self, session: str) -> None:
        self._left[session] -= 1
        self.world.act(OPENCODE, acts.Ask(session))

    def _count(self, event: CallIssued) -> None:
        self.messages += 1

    def _shown(self, event: CallApplied) -> None:
        self.messages += 1
        request = event.request
        if isinstance(request, HttpRequest) and request.path.endswith("/sendMessage"):
            reply: Any = event.reply
            press = Press("Alice", str(reply.body["result"]["message_id"]), "A")
            self._later(lambda: self.world.act(TELEGRAM, press))

    def _answered(self, event: Noted) -> None:
        if event.what == "question.replied":
            self.done += 1
            session = event.data["sessionID"]
            if self._left[session]:
                self._later(lambda: self._ask(session))

    def _later(self, do: Any) -> None:
        self.world.at(self.world.now + SECOND, "act", do)
