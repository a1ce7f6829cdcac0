"""What stands at a step of a relay run, as far as frames tell: a fold over the events.

Queues, locks with their leases, listeners and sessions at the relay; tabs with their
owners at the nodes. What the relay says counts when it says it; what it is asked, when that
arrives; tabs are there when their node says so. Each row keeps the steps of its changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Final

import attrs

from sim.core import event as events
from sim.core.event import Event
from sim.protocols.relay.constants import CONTROLLER, NODE, RELAY
from sim.protocols.relay.frames.commands import tab_of
from sim.protocols.relay.standing_tabs import (
    LISTENERS,
    LOCKS,
    QUEUES,
    SESSIONS,
    NodeTabs,
    Row,
    Rows,
    Tab,
    Wire,
    payload_of,
    unsubscribed,
)

SENT: Final = "SENT"
QUEUED: Final = "QUEUED"
WORKING: Final = "WORKING"
OK: Final = "OK"
FAILED: Final = "FAILED"
REJECTED: Final = "REJECTED"
CANCELLED: Final = "CANCELLED"
INTERRUPTED: Final = "INTERRUPTED"
OPEN: Final = "OPEN"
CLOSED: Final = "CLOSED"

_ENDS: Final[Mapping[str, str]] = {
    "command_cancelled": CANCELLED,
    "node_disconnected": INTERRUPTED,
}


@attrs.define(eq=False)
class Peer:
    """A connection with the relay: whose it is, and who that has proved to be.

    ``tasks`` are what it has asked for, as far as that is not over.
    """

    link: str
    host: str
    relay: str
    role: str
    identity: str = ""
    tasks: dict[str, Task] = attrs.field(factory=dict)


@attrs.define(eq=False)
class Task:
    """Something that a controller has asked for. ``place`` is (nodeId, tabSessionId)."""

    request: str
    peer: Peer
    what: str
    place: tuple[str, str]
    state: str = SENT
    text: str = ""

    @property
    def is_over(self) -> bool:
        """Whether its terminal frame is out."""
        return self.state not in (SENT, QUEUED, WORKING)


@attrs.define(eq=False)
class Lock:
    """Who holds a tab: the identity, under which request, until when (µs of the run)."""

    owner: str
    request: str
    peer: Peer
    until: int
    lease_ms: int


class Standing:
    """``tasks`` by requestId, the latest of it; ``seen`` are the hosts that were ever let in."""

    def __init__(self) -> None:
        self.peers: dict[str, Peer] = {}
        self.tasks: dict[str, Task] = {}
        self.seen: dict[str, None] = {}
        self.running: dict[tuple[str, str], Task] = {}
        self.waiting: dict[tuple[str, str], list[Task]] = {}
        self.locks: dict[tuple[str, str], Lock] = {}
        self.listeners: dict[str, Task] = {}
        self._rows = Rows()
        self._tabs = NodeTabs(self._rows)
        self._on_the_way: dict[int, Wire] = {}
        self._n = self._at = 0

    kinds: ClassVar[tuple[type[Event], ...]] = (
        events.ConnectionOpened,
        events.ConnectionClosed,
        events.FrameSent,
        events.FrameDelivered,
        events.FrameLost,
        events.HostCrashed,
        events.Acted,
    )

    def on(self, event: Event) -> None:
        """Take the next event, typed or as a file has it."""
        self._n, self._at = event.n, event.at
        match event:
            case events.ConnectionOpened():
                peer = Peer(event.link, event.client, event.server, event.lane)
                self.peers[event.link] = peer
                self._session(peer, f"{peer.role}, a stranger")
            case events.ConnectionClosed():
                self._closed(event.link, event.host)
            case events.FrameSent():
                self._sent(event)
            case events.FrameDelivered():
                wire = self._on_the_way.pop(event.sent, None)
                peer_ = self.peers.get(event.link)
                if wire is not None and peer_ is not None and event.receiver == peer_.relay:
                    self._heard(peer_, wire)
            case events.FrameLost():
                self._on_the_way.pop(event.sent, None)
            case events.HostCrashed():
                self._crashed(event.host)
            case events.Acted():
                self._tabs.acted(event)

    @property
    def tabs(self) -> Mapping[str, Tab]:
        """The tabs of all nodes, closed ones too."""
        return self._tabs.tabs

    def told_of_tab(self, tab: Tab) -> str:
        """``owner A; locked by B; runs …; waits …``: all that stands about a tab."""
        place = (tab.node, tab.id)
        lock = self.locks.get(place)
        told = [f"owner {tab.owner}" if tab.owner else "nobody's", tab.url]
        told.append("free" if lock is None else f"locked by {lock.owner}")
        return "; ".join([*told, *self._queue_told(place)])

    def rows(self, host: str, n: int) -> Iterator[Row]:
        """What stands at a host after step ``n``, head by head."""
        return self._rows.of(host, n)

    # -- what frames tell ------------------------------------------------------------------

    def _sent(self, event: events.FrameSent) -> None:
        wire = event.frame if isinstance(event.frame, Mapping) else event.frame.wire
        peer = self.peers.get(event.link)
        if peer is None or not isinstance(wire, Mapping):
            return
        if event.sender != peer.relay:
            self._on_the_way[event.n] = wire
            if peer.role == NODE and wire.get("messageType") in ("result", "error"):
                self._tabs.answered(self._n, peer.link, peer.host, peer.identity, wire)
            return
        if wire.get("messageType") == "auth_ack":
            payload = payload_of(wire)
            named = payload.get("controllerId") or payload.get("nodeId") or ""
            peer.identity = str(named)
            self.seen[peer.host] = None
            self._session(peer, f"{peer.role} {peer.identity}")
        elif peer.role == NODE:
            self._tabs.ordered(peer.link, wire)
            if wire.get("senderRole") == RELAY:  # it ends a listener by itself
                self._silent(unsubscribed(wire))
        else:
            self._told(peer, wire)

    def _heard(self, peer: Peer, wire: Wire) -> None:
        """The relay gets a frame."""
        family, request = wire.get("messageType"), str(wire.get("requestId"))
        payload = payload_of(wire)
        if peer.role == NODE:
            if family in ("result", "error"):
                self._answered(peer, request)
            return
        if family not in ("command", "tab_lock", "tab_unlock", "command_cancel"):
            return
        known = self.tasks.get(request)
        if known is None or known.is_over:
            what = str(payload.get("action") if family == "command" else family)
            tab = tab_of(payload) if family == "command" else payload.get("tabSessionId")
            place = (str(payload.get("targetNodeId")), str(tab or ""))
            self.tasks[request] = peer.tasks[request] = Task(request, peer, what, place)

    def _told(self, peer: Peer, wire: Wire) -> None:
        """The relay says something to a controller."""
        family, payload = wire.get("messageType"), payload_of(wire)
        task = self.tasks.get(str(wire.get("requestId")))
        if task is None or task.peer is not peer:
            return
        if family == "event":
            handler = self._EVENTS.get(str(payload.get("type")))
            if handler is not None:
                handler(self, task, payload)
        elif family == "result":
            self._ended(task, OK, _said(payload.get("data")))
            self._succeeded(task, wire)
        elif family == "error":
            self._failed(task, str(payload.get("code")), str(payload.get("message", "")))

    def _failed(self, task: Task, code: str, message: str) -> None:
        if task.is_over or (code == "request_id_in_use" and task.state != SENT):
            return  # about another frame with the same id
        refused = REJECTED if task.state == SENT else FAILED
        if task.peer.role == CONTROLLER:
            self._ended(task, _ENDS.get(code, refused), f"{code}: {message}")

    # -- commands --------------------------------------------------------------------------

    def _queued(self, task: Task, payload: Wire) -> None:
        task.state, task.text = QUEUED, f"place {payload.get('queueDepth')}"
        self.waiting.setdefault(task.place, []).append(task)
        self._queue(task)

    def _routed(self, task: Task, payload: Wire) -> None:
        if not task.is_over:
            task.state, task.text = WORKING, task.what
        self._unqueue(task)
        if task.place[1]:
            self.running[task.place] = task
        self._queue(task)

    def _ended(self, task: Task, state: str, text: str) -> None:
        task.state, task.text = state, text
        task.peer.tasks.pop(task.request, None)
        self._unqueue(task)
        self._queue(task)

    def _unqueue(self, task: Task) -> None:
        left = self.waiting.get(task.place, [])
        if task in left:
            left.remove(task)

    def _answered(self, peer: Peer, request: str) -> None:
        """A node has done with a command: its tab is free, whoever still cares."""
        task = self.tasks.get(request)
        if task is None or task.place[0] != peer.identity:
            return
        if self.running.get(task.place) is task:
            self._queue_gone(task.place)

    def _succeeded(self, task: Task, wire: Wire) -> None:
        """What a good result turns on or off."""
        data = payload_of(wire).get("data")
        found: Wire = data if isinstance(data, Mapping) else {}
        if task.what == "listener.subscribe" or isinstance(found.get("stream"), Mapping):
            self._listens(task, str(found.get("listener", task.what)))
        elif task.what == "listener.unsubscribe":
            self._silent(str(found.get("targetRequestId")))

    def _queue(self, task: Task) -> None:
        """Write down what runs and waits at a tab."""
        node, tab = task.place
        if not tab:
            return
        told = self._queue_told(task.place)
        text = f"{node}:{tab}  {'; '.join(told)}" if told else None
        self._rows.put(self._n, task.peer.relay, QUEUES, f"{node}:{tab}", text)

    def _queue_told(self, place: tuple[str, str]) -> list[str]:
        busy, behind = self.running.get(place), self.waiting.get(place, [])
        told = []
        if busy is not None:
            late = " (its budget is over)" if busy.is_over else ""
            told.append(f"runs {busy.request} of {busy.peer.identity}{late}")
        if behind:
            names = (f"{one.request} of {one.peer.identity}" for one in behind)
            told.append("waits " + ", ".join(names))
        return told

    # -- listeners and streams -------------------------------------------------------------

    def _listens(self, task: Task, listener: str) -> None:
        task.state, task.text = OPEN, listener
        self.listeners[task.request] = task.peer.tasks[task.request] = task
        text = f"{task.request}  {listener} at {task.place[0]} for {task.peer.identity}"
        self._rows.put(self._n, task.peer.relay, LISTENERS, task.request, text)

    def _over(self, task: Task, payload: Wire) -> None:
        self._silent(task.request, str(payload.get("reason", "")))

    def _silent(self, request: str, why: str = "") -> None:
        task = self.listeners.pop(request, None)
        if task is not None:
            task.state = CLOSED
            task.peer.tasks.pop(request, None)
            task.text = f"{task.text} {why}".strip()
            self._rows.put(self._n, task.peer.relay, LISTENERS, request, None)

    # -- locks -----------------------------------------------------------------------------

    def _held(self, task: Task, payload: Wire) -> None:
        granted = payload.get("lockLeaseMs")
        lease = granted if isinstance(granted, int) else 0  # a puppet may say anything
        owner = str(payload.get("lockOwnerControllerId"))
        before = self.locks.get(task.place)
        if before is not None and before.request != task.request:
            self._lock_over(before.request)
        self.locks[task.place] = Lock(
            owner, task.request, task.peer, self._at + lease * 1_000, lease
        )
        task.state, task.text = OPEN, f"held by {owner}"
        self._lock_row(task.place, task.peer.relay)

    def _let_go(self, task: Task, payload: Wire) -> None:
        lock = self.locks.pop(task.place, None)
        if lock is not None:
            self._lock_over(lock.request, str(payload.get("type")))
        if task.what == "tab_unlock":
            task.state, task.text = OK, "lock_released"
        self._lock_row(task.place, task.peer.relay)

    def _cancel_acked(self, task: Task, payload: Wire) -> None:
        if task.what == "command_cancel":  # else its own cancel has borrowed its requestId
            self._ended(task, OK, f"cancel_ack {payload.get('status')}")

    def _lock_over(self, request: str, why: str = "lock_renewed") -> None:
        if task := self.tasks.get(request):
            task.state, task.text = CLOSED, why

    def _lock_row(self, place: tuple[str, str], relay: str) -> None:
        lock = self.locks.get(place)
        text = None
        if lock is not None:
            end = f"T+{lock.until / 1e6:.3f}"
            text = f"{':'.join(place)}  {lock.owner} until {end} ({lock.lease_ms} ms)"
        self._rows.put(self._n, relay, LOCKS, ":".join(place), text)

    # -- connections -----------------------------------------------------------------------

    def _closed(self, link: str, host: str) -> None:
        peer = self.peers.get(link)
        if peer is None or host != peer.relay:
            return
        del self.peers[link]
        self._session(peer, None)
        if peer.role == NODE:
            for place in [place for place in self.running if place[0] == peer.identity]:
                self._queue_gone(place)
            return
        for task in list(peer.tasks.values()):
            if task.request in self.listeners:
                self._silent(task.request, "its controller is gone")
            elif not task.is_over:
                self._ended(task, INTERRUPTED, "its controller is gone")
        for place, lock in list(self.locks.items()):
            if lock.peer is peer:
                del self.locks[place]
                self._lock_over(lock.request, "its session is over")
                self._lock_row(place, peer.relay)

    def _queue_gone(self, place: tuple[str, str]) -> None:
        task = self.running.pop(place)
        self._queue(task)

    def _crashed(self, host: str) -> None:
        """A relay forgets everything."""
        for link in [link for link, peer in self.peers.items() if peer.relay == host]:
            self._closed(link, host)

    def _session(self, peer: Peer, text: str | None) -> None:
        told = f"{peer.link}  {text}" if text is not None else None
        self._rows.put(self._n, peer.relay, SESSIONS, peer.link, told)

    _EVENTS: ClassVar[Mapping[str, Callable[[Any, Task, Wire], None]]] = {
        "queued": _queued,
        "routed": _routed,
        "lock_acquired": _held,
        "lock_renewed": _held,
        "lock_released": _let_go,
        "lock_expired": _let_go,
        "listener_ended": _over,
        "stream_ended": _over,
        "cancel_ack": _cancel_acked,
    }


def _said(data: Any) -> str:
    """The data of a result, for people."""
    if isinstance(data, Mapping):
        return ", ".join(f"{name} {value}" for name, value in data.items())
    return "" if data is None else str(data)
