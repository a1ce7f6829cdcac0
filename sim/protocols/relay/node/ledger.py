"""Commands with an idempotencyKey run once (DR-21)."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import attrs

from sim.core.errors import SimInternalError
from sim.protocols.relay.constants import LEDGER_ENTRIES, LEDGER_MEMORY_MS
from sim.wire.equality import same_json
from sim.wire.linkage import JsonObject


@attrs.frozen
class Deed:
    """What makes two commands the same: action, tab and inner payload."""

    action: str
    tab: str | None
    payload: JsonObject

    def same_as(self, other: Deed) -> bool:
        """Whether both ask for the same; keys of payloads may stand in any order."""
        if (self.action, self.tab) != (other.action, other.tab):
            return False
        return same_json(self.payload, other.payload)


RUN: Final = "run"
WAIT: Final = "wait"
REPEAT: Final = "repeat"
CONFLICT: Final = "conflict"

Decision: TypeAlias = tuple[str, Any]
"""``run`` it; ``wait`` for the one that runs; ``repeat`` this outcome under the new
requestId; or ``conflict``: the key was used for something else."""


@attrs.define(eq=False)
class _Entry:
    deed: Deed
    waiting: list[str]
    outcome: Any = None
    ended_ms: int | None = None


class Ledger:
    """The keyed commands of a node: those that run, and the outcomes of those that did.

    Outcomes are kept ``memory_ms`` from their end, the newest ``entries`` of them.
    ``now_ms`` never goes back from call to call.
    """

    def __init__(self, memory_ms: int = LEDGER_MEMORY_MS, entries: int = LEDGER_ENTRIES) -> None:
        self.memory_ms = memory_ms
        self.entries = entries
        self._running: dict[str, _Entry] = {}
        # In the order of their ends, so the oldest are in front.
        self._ended: dict[str, _Entry] = {}
        self._forgotten: list[str] = []

    def begin(self, key: str, deed: Deed, request_id: str, now_ms: int) -> Decision:
        """What to do with a command that carries this key."""
        self._forget(now_ms)
        entry = self._running.get(key) or self._ended.get(key)
        if entry is None:
            self._running[key] = _Entry(deed, [])
            return RUN, None
        if not entry.deed.same_as(deed):
            return CONFLICT, None
        if entry.ended_ms is None:
            entry.waiting.append(request_id)
            return WAIT, None
        return REPEAT, entry.outcome

    def end(self, key: str, outcome: Any, now_ms: int) -> list[str]:
        """The command with this key has an outcome, good or bad: who else gets it.

        Raises SimInternalError when none runs.
        """
        entry = self._running.pop(key, None)
        if entry is None:
            raise SimInternalError(f"no command with idempotencyKey {key} runs; begin comes first")
        entry.outcome, entry.ended_ms = outcome, now_ms
        self._ended[key] = entry
        self._forget(now_ms)
        waiting, entry.waiting = entry.waiting, []
        return waiting

    def withdraw(self, key: str) -> None:
        """The command with this key was given up with nothing done: the next one runs.

        Raises SimInternalError when none runs.
        """
        if self._running.pop(key, None) is None:
            raise SimInternalError(f"no command with idempotencyKey {key} runs: nothing to give up")

    def recall(self, key: str, deed: Deed, outcome: Any, ended_ms: int) -> None:
        """An outcome of an earlier life; to be told in the order of their ends."""
        self._ended[key] = _Entry(deed, [], outcome, ended_ms)

    def take_forgotten(self) -> list[str]:
        """The keys whose outcomes are no longer kept; each is told once."""
        taken, self._forgotten = self._forgotten, []
        return taken

    def __contains__(self, key: str) -> bool:
        """Whether anything is known of a key."""
        return key in self._running or key in self._ended

    def __len__(self) -> int:
        return len(self._running) + len(self._ended)

    def _forget(self, now_ms: int) -> None:
        while self._ended:
            oldest = next(iter(self._ended))
            ended = self._ended[oldest].ended_ms
            assert ended is not None
            if len(self._ended) <= self.entries and now_ms - ended < self.memory_ms:
                return
            del self._ended[oldest]
            self._forgotten.append(oldest)
