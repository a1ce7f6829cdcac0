"""Everything that screens show of a question run, at any step: a fold that forgets nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import attrs

from sim.channel.history import History
from sim.channel.moments import MessageAt
from sim.core import event as events
from sim.core.event import Event
from sim.protocols.message_times import MessageTimes
from sim.protocols.question.chronicle_reading import typed
from sim.protocols.question.constants import LEASE_SUFFIX, LOCK_SUFFIX, QUESTION
from sim.protocols.question.inbox_view import Inboxes
from sim.protocols.question.machine import RUNNING
from sim.protocols.question.store.pending import NEW_SUFFIX
from sim.protocols.question.view import QuestionView, Surroundings
from sim.view.changes import Timeline
from sim.wire.decode import NotJson, decode_json

QUESTIONS: Final = "questions"
TOOLS: Final = "tools"
UPDATES: Final = "updates"
Key = tuple[str, str]


@attrs.frozen
class Row:
    """One line about a host: under which head, since which step."""

    head: str
    key: str
    text: str
    since: int


class QuestionChronicle:
    """``steps`` are the events seen. What stands in the pending file is told entry by entry."""

    def __init__(self, told: Surroundings | None = None) -> None:
        self.view = QuestionView(told)
        self.steps = 0
        self.connections: dict[str, Timeline] = {}
        self._history = History()
        self._inboxes = Inboxes()
        self._times = MessageTimes(self._history)
        self._rows: dict[Key, Timeline] = {}
        self._tools: dict[Key, Timeline] = {}

    def on(self, plain: Event) -> None:
        """Take the next event, typed or as a file has it."""
        event: Any = typed(plain)
        self.view.on(event)
        self._history.on(event)
        self._inboxes.on(event)
        if isinstance(event, MessageTimes.kinds):
            self._times.on(event)
        self.steps = event.n + 1
        match event:
            case events.Saved():
                self._saved(event)
            case events.Erased():
                self._put(event.host, event.key, event.n, None)
            case events.Noted(what="tool", data=Mapping() as data):
                name = str(data.get("callID") or data.get("requestID"))
                self._tools.setdefault((event.host, name), Timeline()).put(event.n, dict(data))

    def _saved(self, event: events.Saved) -> None:
        entries = _entries_in(event.value)
        is_other = event.key.endswith((LOCK_SUFFIX, LEASE_SUFFIX, NEW_SUFFIX))
        if entries is None or is_other:
            self._put(event.host, event.key, event.n, event.value)
            return
        prefix = f"{event.key}  "
        for host, key in tuple(self._rows):
            is_of_file = key == event.key or key.startswith(prefix)
            if host == event.host and is_of_file and key.removeprefix(prefix) not in entries:
                self._put(host, key, event.n, None)
        for name, entry in entries.items():
            self._put(event.host, prefix + name, event.n, entry)
        if not entries:
            self._put(event.host, event.key, event.n, {})

    def _put(self, host: str, key: str, n: int, value: Any) -> None:
        self._rows.setdefault((host, key), Timeline()).put(n, value)

    def messages(self, n: int) -> Iterator[MessageAt]:
        """Telegram's messages as they stood after step ``n``."""
        return self._times.at(n, lambda message: None)

    def owner_since(self, channel: str, message: str, n: int) -> int | None:
        """None: nobody owns a message here."""
        return None

    def rows_of(self, host: str, n: int) -> Iterator[tuple[str, Any, int]]:
        """(key, row, step that wrote it) of all that a host had stored after step ``n``."""
        for (name, key), timeline in self._rows.items():
            value = timeline.at(n) if name == host else None
            if value is not None:
                yield key, value, timeline.since(n) or 0

    def standing(self, host: str, n: int) -> Iterator[Row]:
        """The calls of tools, and the questions that wait, of an OpenCode; the updates that
        wait at a Telegram."""
        for key, text, since in self._inboxes.at(host, n):
            yield Row(UPDATES, key, text, since)
        for (name, call), timeline in self._tools.items():
            told = timeline.at(n) if name == host else None
            if told is None:
                continue
            since = timeline.since(n) or 0
            state = str(told.get("tool_state"))
            if told.get("tool") == QUESTION and state == RUNNING:
                where = f"{told.get('sessionID')}  {told.get('directory')}"
                yield Row(QUESTIONS, str(told.get("requestID")), f"open  {where}", since)
            output = str(told.get("output") or "")
            yield Row(TOOLS, call, f"{told.get('tool')}  {state}  {output}".rstrip(), since)


def _entries_in(value: Any) -> dict[str, Any] | None:
    """The entries of a file's text; None where it has none."""
    if not isinstance(value, str) or not value.lstrip().startswith("{"):
        return None
    try:
        found = decode_json(value)
    except NotJson:
        return None
    if not isinstance(found, dict) or not all(isinstance(one, dict) for one in found.values()):
        return None
    return found
