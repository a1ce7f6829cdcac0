"""Everything that screens show of a relay run, at any step: a fold that forgets nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sim.channel.moments import MessageAt
from sim.core import event as events
from sim.core.event import Event
from sim.protocols.relay import machine
from sim.protocols.relay.chronicle_reading import typed
from sim.protocols.relay.constants import NODE
from sim.protocols.relay.relay.plan import RelayPlan
from sim.protocols.relay.standing import Standing
from sim.protocols.relay.standing_tabs import Row
from sim.protocols.relay.view import RelayView
from sim.view.changes import Timeline

Key = tuple[str, str]


class RelayChronicle:
    """``steps`` are the events seen; ``states`` how each command stood, by requestId."""

    def __init__(self, plan: RelayPlan | None = None) -> None:
        self.view = RelayView(plan)
        self.steps = 0
        self.connections: dict[str, Timeline] = {}
        self.states: dict[str, Timeline] = {}
        self._stands = Standing()
        self._rows: dict[Key, Timeline] = {}

    def on(self, plain: Event) -> None:
        """Take the next event, typed or as a file has it."""
        event: Any = typed(plain)
        self.view.on(event)
        self._stands.on(event)
        self.steps = event.n + 1
        match event:
            case events.ConnectionOpened():
                self._connection(event.link, event.n, machine.OPENED)
            case events.ConnectionClosed():
                self._connection(event.link, event.n, machine.CLOSED)
            case events.FrameSent():
                self._frame(event)
            case events.Saved() | events.Erased():
                value = getattr(event, "value", None)
                self._rows.setdefault((event.host, event.key), Timeline()).put(event.n, value)

    def _frame(self, event: events.FrameSent) -> None:
        state = {"hello_ack": machine.GREETED, "auth_ack": machine.READY}.get(event.frame.type)
        if state is not None:
            self._connection(event.link, event.n, state)
        wire = event.frame.wire
        request = wire.get("requestId") if isinstance(wire, dict) else None
        task = self._stands.tasks.get(str(request))
        if task is not None:
            self.states.setdefault(task.request, Timeline()).put(event.n, task.state)

    def _connection(self, link: str, n: int, state: str) -> None:
        self.connections.setdefault(link, Timeline()).put(n, state)

    def is_node(self, link: str) -> bool:
        """Whether a connection is a node's."""
        peer = self._stands.peers.get(link)
        return peer is not None and peer.role == NODE

    def messages(self, n: int) -> Iterator[MessageAt]:
        """None: controllers write into no chat channel."""
        return iter(())

    def owner_since(self, channel: str, message: str, n: int) -> int | None:
        """None: there are no messages."""
        return None

    def rows_of(self, host: str, n: int) -> Iterator[tuple[str, Any, int]]:
        """(key, row, step that wrote it) of all that a host had stored after step ``n``."""
        for (name, key), timeline in self._rows.items():
            value = timeline.at(n) if name == host else None
            if value is not None:
                yield key, value, timeline.since(n) or 0

    def standing(self, host: str, n: int) -> Iterator[Row]:
        """Queues, locks, listeners and sessions of a relay, tabs with owners of a node."""
        return self._stands.rows(host, n)
