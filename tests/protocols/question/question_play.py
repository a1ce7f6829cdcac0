"""A small world of the question bridge: a disk, processes that use it, hook and OpenCode."""

from __future__ import annotations

import itertools
import json
from typing import Any

from sim.core import op
from sim.core.actor import Actor
from sim.core.event import CallIssued, Noted, Saved
from sim.core.http import HttpRequest, HttpResponse
from sim.core.rule import switch_off
from sim.protocols.question.constants import STORE_FILE
from sim.protocols.question.hook.plan import HookPlan
from sim.protocols.question.hook.twin import Hook
from sim.protocols.question.opencode.plan import OpenCodePlan
from sim.protocols.question.opencode.twin import OpenCode
from sim.protocols.question.rules import QuestionRules
from sim.protocols.question.store.claims import Claims, Lease
from sim.protocols.question.store.entry import EntryOption, PendingQuestion
from sim.protocols.question.store.file import StoreFile
from sim.protocols.question.store.pending import PendingStore
from sim.protocols.question.store.plan import PendingPlan, StoreFilePlan
from tests.world.play import MS, Play

LOCK = STORE_FILE + ".lock"
LEASE = STORE_FILE + ".listener"
NEW = STORE_FILE + ".new"


def rules(*off: str) -> QuestionRules:
    return switch_off(QuestionRules, frozenset(off))


class Process(Actor):
    """A process that uses the store, as hook and listener do."""

    __slots__ = ("claims", "lease", "pending")

    def __init__(self, port: Any, on: QuestionRules) -> None:
        super().__init__(port)
        self.pending = PendingStore(self, PendingPlan(), on)
        self.claims = Claims(self.pending)
        self.lease = Lease(self.pending)


def question(**fields: Any) -> PendingQuestion:
    """An entry as a hook writes it."""
    usual: dict[str, Any] = {
        "type": "question",
        "sid": "ses_1",
        "call_id": "call_A",
        "directory": "/proj",
        "options": (EntryOption(label="A", value="A"), EntryOption(label="B", value="B")),
        "timestamp": 1_767_225_600_000,
    }
    return PendingQuestion(**{**usual, **fields})


class QuestionPlay(Play):
    """``store`` is there from the start; the others when a test asks for them.

    Every way takes 1 ms, that to the store 0.1 ms, unless a test says otherwise.
    """

    def __init__(self, *off: str, preempt: bool = False, seed: int = 1) -> None:
        super().__init__(seed, preempt=preempt)
        self.rules = rules(*off)
        self.sent: list[Any] = []
        self.answers: list[Any] = []
        self._add("store", lambda port: StoreFile(port, StoreFilePlan()))

    def _add(self, name: str, make: Any) -> None:
        self.world.add_host(name, name, make)
        self._near(name)
        self.world.boot(name)
        self.driver.drain()

    def _near(self, name: str) -> None:
        for other in self.world.hosts:
            ms = 0.1 if "store" in (name, other) else 1
            way = (int(ms * MS), int(ms * MS))
            self.world.latencies[name, other] = self.world.latencies[other, name] = way

    def outsider(self, name: str) -> None:
        """A host that does only what a test tells it."""
        self.host(name)
        self._near(name)

    # -- the cast

    def process(self, name: str) -> None:
        self._add(name, lambda port: Process(port, self.rules))

    def hook(self, **plan: Any) -> None:
        self._add("hook", lambda port: Hook(port, HookPlan(rules=self.rules, **plan)))

    def opencode(self, **plan: Any) -> None:
        self._add("opencode", lambda port: OpenCode(port, OpenCodePlan(rules=self.rules, **plan)))

    def telegram(self, *answers: Any) -> None:
        """Answers in this order, then usual ones; an int is a pause in ms before the usual."""
        self.answers = list(answers)

        async def on_call(actor: Actor, caller: str, request: Any) -> Any:
            self.sent.append(request)
            answer = self.answers.pop(0) if self.answers else None
            if isinstance(answer, int):
                await actor.perform(op.Sleep(answer * MS))
                answer = None
            result = {"message_id": 100 + len(self.sent)}
            return answer or HttpResponse(200, {"ok": True, "result": result})

        self.host("telegram", on_call=on_call)
        self._near("telegram")

    # -- what a process does

    def use(self, name: str, what: Any) -> list[Any]:
        """Let a process do ``await what(actor)``; the list gets the result, or the trouble."""

        async def safely(actor: Any) -> Any:
            try:
                return await what(actor)
            except Exception as trouble:
                return trouble

        return self.tell(name, safely)

    def done(self, name: str, what: Any) -> Any:
        """The same to its end."""
        result = self.use(name, what)
        while not result:
            self.step()
        return result[0]

    def act(self, host: str, act: Any, ms: float = 10) -> None:
        self.world.act(host, act)
        self.driver.drain()
        self.run_ms(ms)

    def run_ms(self, ms: float) -> None:
        self.driver.run(limit_us=self.world.now + int(ms * MS))

    def http(self, method: str, path: str, body: Any = None, **query: str) -> HttpResponse:
        """Ask OpenCode, as a listener or curl would."""
        if "curl" not in self.world.hosts:
            self.outsider("curl")
        request = HttpRequest(method, path, tuple(query.items()), body)
        answer = self.done("curl", lambda actor: actor.perform(op.Call("opencode", request)))
        assert isinstance(answer, HttpResponse)
        return answer

    def slow_disk(self, kind: type[Any], process: str, ms: int, nth: int = 1) -> None:
        """The answer to the nth operation of that kind takes so long; it is carried out."""
        way = self.world.route("store", process, reply=True)
        usual, seen = way.latency, itertools.count(1)

        def look(event: CallIssued) -> None:
            if event.caller == process and event.callee == "store":
                is_it = isinstance(event.request, kind) and next(seen) == nth
                way.latency = (ms * MS, ms * MS) if is_it else usual

        self.world.watch(CallIssued, look)

    # -- what came of it

    @property
    def now_ms(self) -> int:
        return self.world.hosts["store"].now_ms()

    def file(self, path: str = STORE_FILE) -> str | None:
        text: str | None = self.world.hosts["store"].store.get(path)
        return text

    def kept(self) -> dict[str, Any]:
        """The entries in the file."""
        found: dict[str, Any] = json.loads(self.file() or "{}")
        return found

    def files(self) -> list[str]:
        """All files there are."""
        return [path for path, _ in self.world.hosts["store"].store.items("/")]

    def put(self, **entries: Any) -> None:
        """The file has these entries."""
        told = {name: one.to_wire() for name, one in entries.items()}
        self.perform("store", op.Save(STORE_FILE, json.dumps(told)))

    def states(self) -> list[str]:
        """All contents that the file has had."""
        saved = (e for e in self.events(Saved) if e.host == "store")
        return [e.value for e in saved if e.key == STORE_FILE]

    def operations(self, caller: str) -> list[str]:
        """The kinds of what a process has asked of the disk."""
        asked = (e for e in self.events(CallIssued) if e.callee == "store" and e.caller == caller)
        return [type(e.request).__name__ for e in asked]

    def notes(self, what: str) -> list[Any]:
        return [e.data for e in self.events(Noted) if e.what == what]

    def logs(self) -> list[str]:
        return [note["text"] for note in self.notes("log")]
