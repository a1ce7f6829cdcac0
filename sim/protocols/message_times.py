"""When messages of channels were edited, deleted and marked: what a chronicle keeps of them.

A fold beside a :class:`~sim.channel.history.History`, for any protocol whose runs have chats.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import Any, Final

from sim.channel.api import DeleteMessage, EditMessage, MessageRemoved, React
from sim.channel.history import REMOVED, History, ShownMessage
from sim.channel.moments import Edit, MessageAt, Owner
from sim.core import event as events
from sim.core.event import Event
from sim.view.changes import Timeline

Key = tuple[str, str]
"""A channel and a message of it."""


class MessageTimes:
    """``edits`` by message, in order of issue; the step at which it was ``deleted``; its
    ``reactions`` by step. ``history`` must have seen each event before.
    """

    kinds: Final = (events.CallIssued, events.CallApplied, events.CallLost, events.Noted)
    """The events that matter here."""

    def __init__(self, history: History) -> None:
        self._history = history
        self.edits: dict[Key, list[Edit]] = {}
        self.deleted: dict[Key, int] = {}
        self.reactions: dict[Key, Timeline] = {}
        self._flying: dict[int, Edit] = {}

    def on(self, event: Event) -> None:
        """Take the next event, typed."""
        match event:
            case events.CallIssued():
                self._issued(event)
            case events.CallApplied():
                self._landed(event)
                self._changed(event.n, event.callee, event.request)
            case events.CallLost():
                self._landed(event)
            case events.Noted():
                self._noted(event)

    def _issued(self, event: events.CallIssued) -> None:
        request = event.request
        if type(request) is EditMessage:
            edit = self._flying[event.n] = Edit(event.n, event.at, request)
            self.edits.setdefault((event.callee, request.message), []).append(edit)
        elif type(request) is MessageRemoved:
            self.deleted.setdefault((event.caller, request.message), event.n)

    def _landed(self, event: events.CallApplied | events.CallLost) -> None:
        edit = self._flying.pop(event.call, None)
        if edit is not None:
            edit.landed = event.n

    def _noted(self, event: events.Noted) -> None:
        data = event.data
        if not isinstance(data, dict):
            return
        if event.what == REMOVED:
            self.deleted.setdefault((event.host, str(data["message"])), event.n)
        elif "request" in data:
            self._changed(event.n, event.host, data["request"])

    def _changed(self, n: int, channel: str, request: Any) -> None:
        """A delete or a reaction came through."""
        if type(request) not in (DeleteMessage, React):
            return
        key = (channel, request.message)
        message = self._history.messages.get(key)
        if message is None:
            return
        if message.deleted:
            self.deleted.setdefault(key, n)
        self.reactions.setdefault(key, Timeline()).put(n, message.reaction)

    def at(
        self, n: int, owner_of: Callable[[ShownMessage], Owner | None] = lambda _: None
    ) -> Iterator[MessageAt]:
        """All messages that had appeared by step ``n``, in order of appearance."""
        for key, message in self._history.messages.items():
            versions = message.versions
            if versions[0].n > n:
                continue
            seen = bisect_right(versions, n, key=lambda version: version.n)
            flying = tuple(
                edit
                for edit in self.edits.get(key, ())
                if edit.n <= n and not 0 <= edit.landed <= n
            )
            reactions = self.reactions.get(key)
            reaction = "" if reactions is None else reactions.at(n, "")
            deleted = 0 <= self.deleted.get(key, -1) <= n
            owner = owner_of(message)
            yield MessageAt(message, tuple(versions[:seen]), flying, deleted, reaction, owner)
