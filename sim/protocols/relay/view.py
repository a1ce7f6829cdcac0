"""What was sent in a run of the relay protocol, folded: sessions, commands, locks, tabs.

``RelayView.on(event)`` takes the events in order, each in constant time. Oracles, reports
and the terminal UI ask it; it knows nothing but the trace, and what a relay and its readers
were told before it (tokens, limits). What relays have dealt with stands in ``books``, by
host; what nodes have in ``nodes``.

A frame at a relay counts from its delivery: a relay handles one input at a time. What came
of it is taken from what the relay has sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from sim.core.event import (
    Acted,
    ConnectionClosed,
    ConnectionOpened,
    Event,
    FaultInjected,
    FrameDelivered,
    FrameLost,
    FrameSent,
    HostCrashed,
    HostStarted,
    Noted,
    Saved,
    TimerFired,
)
from sim.core.op import OpaqueFrame
from sim.protocols.relay.acts import (
    EmitUpdate,
    Redial,
    RemoveController,
    ReportProgress,
    SayFrame,
    SayText,
)
from sim.protocols.relay.constants import CONTROLLER
from sim.protocols.relay.node.records import BrowserRow
from sim.protocols.relay.relay.plan import RelayPlan
from sim.protocols.relay.relay.sessions import Grant
from sim.protocols.relay.relay.tokens import TokenRow
from sim.protocols.relay.view_book import RelayBook
from sim.protocols.relay.view_nodes import NodeView
from sim.protocols.relay.view_records import AskView, SessionView
from sim.view.flights import Flights
from sim.wire.decode import decode_json

NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})
KEPT: Final = 256
MS: Final = 1_000
DIRECTED: Final = (SayFrame, SayText, EmitUpdate, ReportProgress)
"""Acts that make a peer say what it is told to, right or wrong."""


def wire_of(frame: Any) -> Mapping[str, Any]:
    """The decoded object of a frame, as the parser would read it; empty where it has none."""
    try:
        wire = decode_json(frame.text) if isinstance(frame, OpaqueFrame) else frame.wire
    except Exception:  # a puppet's frame may hold anything, even what has no JSON form
        return NOTHING
    return wire if isinstance(wire, dict) else NOTHING


def payload_of(wire: Mapping[str, Any]) -> Mapping[str, Any]:
    """The payload of a decoded frame; empty where it has none."""
    payload = wire.get("payload")
    return payload if isinstance(payload, dict) else NOTHING


def on_time() -> int:
    """How late things may come where nobody puts anything off (µs)."""
    return 0


class RelayView:
    """The folded state of a run.

    ``sessions`` by connection, while the relay believes in them. ``late_us``: how much
    later than due a timer may fire (a search puts things off). ``said`` and ``payload``
    are of the frame whose sending or delivery is the newest event, ``session`` its
    connection, ``ask`` the command that it is about; None where there is none.
    ``made_tokens``: what each token that a refresh has made stands for; ``removed``: the
    controller identities that are let in no more.
    ``frames_only``: when things arrived is not known for sure.
    """

    def __init__(self, plan: RelayPlan | None = None, *, frames_only: bool = False) -> None:
        self.plan = plan or RelayPlan()
        self.frames_only = frames_only
        self.late_us: Callable[[], int] = on_time
        self.now = 0
        self.books: dict[str, RelayBook] = {}
        self.sessions: dict[str, SessionView] = {}
        self.nodes: dict[str, NodeView] = {}
        self.asleep: dict[str, int] = {}
        self.up: dict[str, int] = {}
        self.said: Mapping[str, Any] = NOTHING
        self.payload: Mapping[str, Any] = NOTHING
        self.session: SessionView | None = None
        self.ask: AskView | None = None
        self.made_tokens: dict[str, Grant] = {}
        self.removed: dict[str, None] = {}
        self._flights = Flights()
        self._directed: dict[int, None] = {}
        self._handlers: dict[type[Event], Callable[[Any], None]] = {
            FrameSent: self._sent,
            FrameDelivered: self._delivered,
            FrameLost: self._flights.lost,
            ConnectionOpened: self._opened,
            ConnectionClosed: self._closed,
            FaultInjected: self._fault,
            HostStarted: self._started,
            HostCrashed: self._crashed,
            Acted: self._acted,
            Noted: self._passed,
            Saved: self._saved,
            TimerFired: self._passed,
        }

    @property
    def kinds(self) -> tuple[type[Event], ...]:
        """The event classes that matter here."""
        return tuple(self._handlers)

    def on(self, event: Event) -> None:
        """Take the next event of the trace."""
        handler = self._handlers.get(type(event))
        if handler is not None:
            self.now = event.at
            handler(event)

    # -- questions ---------------------------------------------------------------

    def book(self, relay: str) -> RelayBook:
        """The book of a relay's present life."""
        found = self.books.get(relay)
        if found is None:
            found = self.books[relay] = RelayBook(relay, self.plan, self)
        return found

    def node(self, host: str) -> NodeView:
        """What a node has been told and has answered."""
        found = self.nodes.get(host)
        if found is None:
            found = self.nodes[host] = NodeView(host)
        return found

    def grace_us(self, host: str) -> int:
        """How much later than due a host may be: what it has slept, what a search puts off."""
        return self.late_us() + self.asleep.get(host, 0)

    # -- events --------------------------------------------------------------------

    def _passed(self, event: Event) -> None:
        """Time has passed, and no more."""

    def _started(self, event: HostStarted) -> None:
        self.up[event.host] = event.at

    def _crashed(self, event: HostCrashed) -> None:
        self.up.pop(event.host, None)
        if event.host in self.books:
            for session in list(self.books[event.host].sessions.values()):
                self.sessions.pop(session.link, None)
                session.closed_us, session.closed_n = event.at, event.n
                session.closed_by = event.host
            del self.books[event.host]
        if event.host in self.nodes:
            self.nodes[event.host].crashed()

    def is_removed(self, role: str, identity: str) -> bool:
        """Whether whoever runs the relay lets this controller in no more."""
        return role == CONTROLLER and identity in self.removed

    def grant(self, token: str) -> Grant | None:
        """What a token stands for, that of a refresh too; None: nothing."""
        return self.plan.tokens.get(token) or self.made_tokens.get(token)

    def is_directed(self, event: FrameSent) -> bool:
        """Whether somebody has put this very frame into its sender's mouth."""
        return event.cause in self._directed

    def _acted(self, event: Acted) -> None:
        if isinstance(event.act, DIRECTED):
            self._directed[event.n] = None
            if len(self._directed) > KEPT:
                del self._directed[next(iter(self._directed))]
        elif isinstance(event.act, Redial):
            for session in self.sessions.values():
                session.is_left = session.is_left or session.peer == event.host
        elif isinstance(event.act, RemoveController):
            self.removed[event.act.identity] = None
        if event.host in self.nodes:
            self.nodes[event.host].acted(event)

    def _fault(self, event: FaultInjected) -> None:
        self._flights.fault(event)
        verb, _, rest = event.fault.partition(" ")
        if verb == "sleep":
            host, _, for_us = rest.partition(" ")
            self.asleep[host] = self.asleep.get(host, 0) + int(for_us.removesuffix("us"))
        elif verb == "skew":
            host, _, by_us = rest.partition(" ")
            if host in self.books and self.books[host].clock_ms:
                self.books[host].clock_ms += int(by_us.removesuffix("us")) // MS

    def _saved(self, event: Saved) -> None:
        if isinstance(event.value, BrowserRow):
            self.node(event.host).saved(event.value, event)
        elif isinstance(event.value, TokenRow):
            # Told over HTTP, perhaps: no frame shows it then.
            row = event.value
            grant = Grant(row.role, row.identity, row.scopes, row.nodes, row.expires_ms)
            self.made_tokens[event.key.removeprefix("token/")] = grant

    def _opened(self, event: ConnectionOpened) -> None:
        session = SessionView(event.link, event.client, event.server, event.lane, event.at, event.n)
        self.sessions[event.link] = session
        self.book(event.server).opened(session)

    def _closed(self, event: ConnectionClosed) -> None:
        session = self.session = self.sessions.get(event.link)
        self.ask = None
        if session is not None and event.host == session.relay:
            session.closed_us, session.closed_n, session.closed_by = event.at, event.n, event.by
            del self.sessions[event.link]
            self.book(session.relay).closed(session, event)
        elif session is not None:
            session.is_left = True
        if event.host in self.nodes:
            self.nodes[event.host].closed(event.link)

    def _sent(self, event: FrameSent) -> None:
        self._flights.sent(event)
        frame = event.frame
        self.said = wire = wire_of(frame)
        self.payload = payload_of(wire)
        session = self.session = self.sessions.get(event.link)
        self.ask = None
        if session is None:
            return
        if event.sender == session.relay:
            self.ask = self.book(session.relay).says(session, wire, self.payload, event)
        elif session.side == "node" and not self.is_directed(event):
            self.node(event.sender).says(wire, self.payload, event)

    def _delivered(self, event: FrameDelivered) -> None:
        sent = self._flights.arrived(event)
        session = self.session = self.sessions.get(event.link)
        self.ask = None
        self.said = self.payload = NOTHING
        if sent is None:
            return
        frame = sent.frame
        self.said = wire = wire_of(frame)
        self.payload = payload_of(wire)
        if session is not None and event.receiver == session.relay:
            self.ask = self.book(session.relay).hears(session, wire, self.payload, event, frame)
            return
        if session is not None:
            session.gets(str(wire.get("messageType")))
        # A log may call its connections anything; of those that are over only the name is left.
        lane = event.link.partition(".")[2] if session is None else session.side
        if lane.startswith("node"):
            self.node(event.receiver).hears(wire, self.payload, event)
