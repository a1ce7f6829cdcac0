"""What was visible, owned and stored at any step of a hook run: a fold that forgets nothing.

:class:`Chronicle` takes the events once, in order, and answers for any step
from then on: each thing keeps the steps at which it changed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from sim.channel.history import ShownMessage
from sim.channel.moments import MessageAt, Owner
from sim.core import event as events
from sim.core.event import Event
from sim.protocols.hook import machine
from sim.protocols.hook.view import HookView
from sim.protocols.hook.view_reading import typed
from sim.protocols.hook.view_records import RequestView, RoundView
from sim.protocols.message_times import MessageTimes
from sim.view.changes import Timeline

Key = tuple[str, str]


class Chronicle:
    """Everything that screens show of channels and hosts, at any step."""

    def __init__(self) -> None:
        self.view = HookView()
        self.steps = 0
        self.rows: dict[Key, Timeline] = {}
        self.connections: dict[str, Timeline] = {}
        self._times = MessageTimes(self.view.history)
        self._owners: dict[str, Timeline] = {}
        self._continued: dict[str, RequestView] = {}

    def on(self, plain: Event) -> None:
        """Take the next event, typed or as a file has it."""
        event: Any = typed(plain)
        self.view.on(event)
        self.steps = event.n + 1
        if isinstance(event, MessageTimes.kinds):
            self._times.on(event)
            return
        match event:
            case events.Saved() | events.Erased():
                value = getattr(event, "value", None)
                self.rows.setdefault((event.host, event.key), Timeline()).put(event.n, value)
            case events.FrameDelivered() | events.FrameSent():
                self._frame(event)
            case events.ConnectionOpened():
                self._connection(event.link, event.n, machine.OPENED)
            case events.ConnectionClosed():
                link = self.view.links.get(event.link)
                if link is None or event.host == link.server:
                    self._connection(event.link, event.n, machine.CLOSED)
                self._ownership(event.n)
            case events.HostCrashed():
                self._ownership(event.n)

    # -- channels ------------------------------------------------------------------

    def messages(self, n: int) -> Iterator[MessageAt]:
        """All messages that had appeared by step ``n``, in order of appearance."""
        return self._times.at(n, lambda message: self._owner_at(message, n))

    def _owner_at(self, message: ShownMessage, n: int) -> Owner | None:
        return self._owners[message.about].at(n) if message.about in self._owners else None

    # -- owners ----------------------------------------------------------------------

    def _frame(self, event: events.FrameDelivered | events.FrameSent) -> None:
        if isinstance(event, events.FrameDelivered):
            if event.type == "hello":
                self._connection(event.link, event.n, machine.WELCOMING)
            self._owner_after(event.n, event.type, self.view.arrived)
        else:
            if event.frame.type == "welcome":
                self._connection(event.link, event.n, machine.READY)
            self._owner_after(event.n, event.frame.type, self.view.said)

    def _owner_after(self, n: int, type_name: str, body: Any) -> None:
        """A frame that may give a message to somebody else; only its own request is asked."""
        if type_name in _OWNING and body is not None:
            request = self.view.request(body.request_id)
            if request is not None:
                self._owned(request, n)

    def _owned(self, request: RequestView, n: int) -> None:
        self._owners.setdefault(request.request, Timeline()).put(n, _owner(request))
        if request.owner is not None and request.owner.state == machine.OPEN:
            self._continued[request.request] = request
        else:
            self._continued.pop(request.request, None)

    def _ownership(self, n: int) -> None:
        """A connection or a host is gone: open rounds may be torn."""
        for request in list(self._continued.values()):
            self._owned(request, n)

    def _connection(self, link: str, n: int, state: str) -> None:
        self.connections.setdefault(link, Timeline()).put(n, state)

    def owner_since(self, channel: str, message: str, n: int) -> int | None:
        """The step that gave a message the owner that it had after step ``n``."""
        shown = self.view.history.messages.get((channel, message))
        timeline = None if shown is None else self._owners.get(shown.about)
        if timeline is None:
            return None
        return timeline.since(n)

    # -- rows --------------------------------------------------------------------------

    def standing(self, host: str, n: int) -> tuple[()]:
        """Nothing: what a server or desktop has in mind, it has stored or it waits for."""
        return ()

    def row(self, host: str, key: str, n: int) -> Any:
        """What a host had stored under a key after step ``n``; None for nothing."""
        found = self.rows.get((host, key))
        return None if found is None else found.at(n)

    def rows_of(self, host: str, n: int) -> Iterator[tuple[str, Any, int]]:
        """(key, row, step that wrote it) of all that a host had stored after step ``n``."""
        for (name, key), timeline in self.rows.items():
            place = bisect_right(timeline.steps, n) - 1
            if name == host and place >= 0 and timeline.values[place] is not None:
                yield key, timeline.values[place], timeline.steps[place]


_OWNING = ("task.dispatch", "turn.reopen", "turn.end", "turn.progress")


def _owner(request: RequestView) -> Owner:
    holder: RoundView | None = request.owner
    if holder is not None:
        return Owner(holder.request, holder.link, holder.state)
    return Owner(request.request, request.dispatched_on)
