"""The outcomes of a recording's calls, done to the same calls of the twins."""

from __future__ import annotations

from typing import Any

from sim.protocols.question.constants import LISTENER
from sim.world.http_fault import HttpFaults
from tests.protocols.question.golden_recording import (
    LISTENERS,
    Recording,
    method_of,
    outcome_of,
    word_of,
)

MS = 1_000
Key = tuple[str, str]


LONG_MS = 300
"""What takes longer was waiting for updates."""


class AsLate:
    """The way back of OpenCode's answers: as long as in the recording."""

    def __init__(self, script: Script) -> None:
        self._script = script

    def draw(self) -> int:
        return self._script.answers.pop(0) if self._script.answers else MS


class Script(HttpFaults):
    """Decides by caller and kind of call, in their order; getUpdates goes by the clock, since
    the twin polls more often (DQ-14), toasts go by the press that they answer.

    ``starts``: when the twin's listeners began their calls of OpenCode's API (µs).
    ``poll``: the getUpdates that began last. ``broken``: when a getUpdates that had been
    waiting came to nothing, and how.
    """

    __slots__ = ("_outcomes", "_polls", "_spans", "_toasts", "answers", "broken", "poll", "starts")

    def __init__(self, recording: Recording) -> None:
        super().__init__()
        self.starts: list[int] = []
        self.answers: list[int] = []
        self.poll: Any = None
        self.broken: list[tuple[int, str]] = []
        self._spans: dict[Key, list[int]] = {}
        self._outcomes: dict[Key, list[str]] = {}
        self._toasts: dict[str, list[str]] = {}
        self._polls: list[tuple[int, str]] = []
        for call in recording.calls("opencode", *LISTENERS):
            key = (LISTENER, word_of(call))
            self._outcomes.setdefault(key, []).append(outcome_of(recording, call))
            self._spans.setdefault(key, []).append(call["done_ms"] - call["at_ms"])
        for call in recording.calls("telegram"):
            self._add_telegram(recording, call)

    def _add_telegram(self, recording: Recording, call: dict[str, Any]) -> None:
        method, outcome = method_of(call), outcome_of(recording, call)
        caller = LISTENER if call["from"] in LISTENERS else call["from"]
        if method == "answerCallbackQuery":
            query = call["request"]["body"]["callback_query_id"]
            self._toasts.setdefault(query, []).append(outcome)
        elif method == "getUpdates":
            two = any(line["from"] == LISTENERS[1] for line in recording.lines)
            if outcome and not (outcome == "409" and two):
                waited = call["done_ms"] - call["at_ms"] > LONG_MS
                of = (call["done_ms"] if waited else call["at_ms"], outcome)
                (self.broken if waited else self._polls).append(of)
        elif method != "getMe":
            shown = outcome or self._until_shown(recording, call)
            self._outcomes.setdefault((caller, method), []).append(shown)

    @staticmethod
    def _until_shown(recording: Recording, call: dict[str, Any]) -> str:
        """A message that the hook sends stands in the chat before the hook learns of it."""
        if call["from"] != "hook":
            return ""
        shown = next(
            (m["at_ms"] for m in recording.events("message") if m["at_ms"] >= call["at_ms"]), 0
        )
        return f"{max(1, shown - call['at_ms'] - 1) * MS}us"

    def take(self, call: Any) -> str:
        request = call.op.request
        caller = LISTENER if call.caller in LISTENERS else call.caller
        if call.op.to == "opencode":
            return self._of_opencode(call, caller)
        method = request.path.rpartition("/")[2]
        if method == "getUpdates":
            self.poll = call
            now_ms = call.activity.host.world.now / MS
            if self._polls and now_ms >= self._polls[0][0] - 300:
                return self._polls.pop(0)[1]
            return ""
        if method == "answerCallbackQuery":
            return self._next(self._toasts.get(request.body["callback_query_id"]))
        return self._next(self._outcomes.get((caller, method)))

    def _of_opencode(self, call: Any, caller: str) -> str:
        request = call.op.request
        parts = request.path.split("/")
        key = (caller, f"{request.method} {parts[3] if len(parts) > 3 else parts[1]}")
        outcome = self._next(self._outcomes.get(key))
        if caller == LISTENER:
            self.starts.append(call.activity.host.world.now)
            spans = self._spans.get(key)
            if outcome not in ("lost", "unanswered"):  # those never set out on the way back
                self.answers.append(max(1, (spans.pop(0) if spans else 2) - 1) * MS)
        return outcome

    @staticmethod
    def _next(outcomes: list[str] | None) -> str:
        return outcomes.pop(0) if outcomes else ""
