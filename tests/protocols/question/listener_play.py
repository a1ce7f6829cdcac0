"""The whole bridge: OpenCode, hook, store, Telegram's twin, and one listener or several."""

from __future__ import annotations

from typing import Any

from sim.channel.api import Press, Say
from sim.core.event import CallApplied, CallIssued
from sim.core.http import HttpRequest
from sim.protocols.question.acts import Ask
from sim.protocols.question.listener import Listener, ListenerPlan
from sim.protocols.question.telegram import BotApi, BotApiPlan
from sim.world import fault_choice
from tests.protocols.question.question_play import QuestionPlay

FAILED = "回传失败，请稍后重试"


class BridgePlay(QuestionPlay):
    """Every way takes 1 ms, that to the store 0.1 ms. ``listener`` starts polling at once."""

    def __init__(self, *off: str, seed: int = 1, telegram: Any = None, **plan: Any) -> None:
        super().__init__(*off, seed=seed)
        self._add("telegram", lambda port: BotApi(port, BotApiPlan(**(telegram or {}))))
        self.hook()
        self.opencode()
        self.listener(**plan)

    def listener(self, name: str = "listener", **plan: Any) -> None:
        made = ListenerPlan(rules=self.rules, **plan)
        self._add(name, lambda port: Listener(port, made))
        self.run_ms(20)

    # -- what agents and people do

    def ask(self, session: str = "ses_1", ms: float = 100, **ask: Any) -> str:
        """An agent asks; gives the uniqueId of its entry, "" where there is none."""
        before = set(self.kept())
        self.act("opencode", Ask(session, **ask), ms)
        return next((name for name in self.kept() if name not in before), "")

    def press(self, data: str, message: int = 0, person: str = "Alice", ms: float = 50) -> None:
        self.act("telegram", Press(person, str(message or ""), data), ms)

    def say(self, text: str, reply_to: int = 0, person: str = "Alice", ms: float = 50) -> None:
        self.act("telegram", Say(person, text, reply_to=str(reply_to or "")), ms)

    def fail(self, *words: str) -> None:
        """``listener>opencode GET:/question 500``: what becomes of the next such calls."""
        assert fault_choice.strike(self.world, "http " + " ".join(words))

    # -- what came of it

    def asked(self, *callers: str) -> list[str]:
        """The calls of OpenCode's API that reached the network, in short."""
        calls = [e for e in self.events(CallIssued) if e.callee == "opencode"]
        return [
            f"{e.request.method} {e.request.path.removeprefix('/question') or 'list'}"
            for e in calls
            if isinstance(e.request, HttpRequest) and (not callers or e.caller in callers)
        ]

    def times(self, word: str = "GET:/question") -> list[int]:
        """When such calls of OpenCode's API began (ms)."""
        calls = (e for e in self.events(CallIssued) if e.callee == "opencode")
        return [e.at // 1000 for e in calls if e.request.word == word]

    def shown(self, method: str, caller: str = "listener") -> list[Any]:
        """The bodies of the calls of one method that Telegram has taken or refused."""
        calls = (e for e in self.events(CallApplied) if e.callee == "telegram")
        return [
            e.request.body
            for e in calls
            if e.caller == caller
            and isinstance(e.request, HttpRequest)
            and e.request.path.endswith(f"/{method}")
        ]

    def toasts(self, caller: str = "listener") -> list[str]:
        return [body["text"] for body in self.shown("answerCallbackQuery", caller)]

    def messages(self, caller: str = "listener") -> list[str]:
        return [body["text"] for body in self.shown("sendMessage", caller)]

    def replies(self) -> list[tuple[str, str]]:
        """(requestID, value) of all replies that were applied by OpenCode."""
        calls = (e for e in self.events(CallApplied) if e.callee == "opencode")
        return [
            (e.request.path.split("/")[2], e.request.body["answers"][0][0])
            for e in calls
            if isinstance(e.request, HttpRequest) and e.request.path.endswith("/reply")
        ]

    def tool(self, request: str) -> str:
        """The last state of the tool that asked."""
        states = [note for note in self.notes("tool") if note.get("requestID") == request]
        return str(states[-1]["tool_state"])

    def polls(self, caller: str = "listener") -> list[tuple[int, str]]:
        """(when, offset) of every getUpdates."""
        calls = (e for e in self.events(CallIssued) if e.callee == "telegram")
        return [
            (e.at // 1000, e.request.asked("offset"))
            for e in calls
            if e.caller == caller and e.request.path.endswith("/getUpdates")
        ]
