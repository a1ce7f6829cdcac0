"""What was sent, shown and stored in a hook run: a fold over its trace.

``HookView.on(event)`` takes the events in order, each in constant time.
Invariants, a scenario's ``@expect`` and the TUI ask it; it knows nothing but
the trace. What the channels show is in ``view.history``; connections, requests
with their rounds, and cards are here. Rounds are judged by the protocol's own
rules in :mod:`sim.protocols.hook.view_rounds`, not by what a server says.

An event that matters to the view of frames is the delivery at the server (for
what desktops say) and the sending by the server (for what it says).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sim.channel.api import ButtonPressed, PersonSaid, PostMessage, SignedIn
from sim.channel.history import History, ShownMessage
from sim.core.event import (
    Acted,
    CallAnswered,
    CallApplied,
    CallIssued,
    CallLost,
    ConnectionClosed,
    ConnectionOpened,
    Erased,
    Event,
    FaultInjected,
    FrameDelivered,
    FrameLost,
    FrameSent,
    HostCrashed,
    HostStarted,
    Noted,
    Saved,
)
from sim.protocols.hook.desktop.records import LedgerRow
from sim.protocols.hook.server.stored import CardRow, RequestRow, RoundRow
from sim.protocols.hook.view_accounts import AccountsView
from sim.protocols.hook.view_cards import CardFold
from sim.protocols.hook.view_desktops import Desktops, Fold, TurnAtDesktop
from sim.protocols.hook.view_flight import body_of
from sim.protocols.hook.view_links import Links
from sim.protocols.hook.view_records import (
    CardView,
    Hosts,
    LinkView,
    PressView,
    RequestView,
    RoundView,
)
from sim.protocols.hook.view_rounds import CONTINUED, Ownership, final_text
from sim.protocols.hook.view_writes import Writes
from sim.view.flights import Flights


class HookView:
    """The folded state of a hook run: ``requests`` (in order of appearance), ``rounds``,
    ``cards`` and ``links`` are by id, ``by_lane`` has the newest connection by (client,
    lane), ``by_device`` the one welcomed last by (device, lane), ``lanes`` the kind of each
    channel that was written to. ``now`` is the time of the newest event; ``said`` the
    payload of the frame whose sending is the newest event, ``arrived`` of the one whose
    delivery is; None for one that its receiver has to refuse. ``link`` is the connection of
    that event, ``turn`` the one that a desktop speaks of in ``said``, ``task`` the one that a
    server dispatches in it; ``is_calm``: all is as it has to be (a first dispatch or a decision
    after the welcome; a first ack that accepts; about a task that was acked, has not ended
    before, and ends uncancelled), if its parser takes the frame. ``frames_only``: stores and
    lives are not known, so that oracles have to give the benefit of the doubt.
    """

    def __init__(self, keep_versions: int | None = None, *, frames_only: bool = False) -> None:
        self.history = History(keep_versions)
        self.requests: dict[str, RequestView] = {}
        self.rounds: dict[str, RoundView] = {}
        self.cards: dict[str, CardView] = {}
        self.links = Links()
        self.by_lane: dict[tuple[str, str], LinkView] = {}
        self.by_device: dict[tuple[str, str], LinkView] = {}
        self.presses: list[PressView] = []
        self.hosts = Hosts()
        self.writers: dict[str, None] = {}
        self.now, self.frames_only = 0, frames_only
        self.arrived: Any = None
        self.said: Any = None
        self.link: LinkView | None = None
        self.turn: TurnAtDesktop | None = None
        self.task: RequestView | None = None
        self.is_calm = False
        self.ownership = Ownership(self)
        self.desktops = Desktops(self)
        self.accounts = AccountsView(self)
        self.lanes: dict[str, str] = {}
        self.writes = Writes(self)
        self._flights = Flights()
        self._shared: dict[type[Any], Any] = {}
        self.subject_n = -1
        self.subject: RequestView | None = None
        self._handlers = self._event_handlers()
        self._heard, self._told = self._frame_folds()

    def _frame_folds(self) -> tuple[dict[str, Fold], dict[str, Fold]]:
        """What frames change that reach the server, and those that it writes."""
        cards = CardFold(self)
        heard: dict[str, Fold] = {
            "hello": self._hello,
            "task.ack": self._ack,
            "turn.progress": self.ownership.progress,
            "turn.end": self._end,
            "turn.reopen": self.ownership.reopen,
            "interaction.request": cards.asked,
            "interaction.cancel": cards.taken_back,
        }
        told: dict[str, Fold] = {
            "welcome": self._welcome,
            "task.dispatch": self._dispatch,
            "task.cancel": self.ownership.cancel,
            "interaction.decision": cards.decided,
        }
        if self.frames_only:  # what only a channel or a store would show is not kept
            del heard["task.ack"], heard["turn.progress"]
            heard["turn.end"] = self.ownership.end_of_round
        return heard, told

    def _event_handlers(self) -> dict[type[Event], Callable[[Any], None]]:
        """What each kind of event means here."""
        return {
            FrameSent: self._sent,
            FrameDelivered: self._delivered,
            FrameLost: self._lost,
            ConnectionOpened: self._opened,
            ConnectionClosed: self._closed,
            CallIssued: self._issued,
            CallApplied: self.history.on,
            CallAnswered: self.writes.answered,
            CallLost: self.history.on,
            Noted: self._noted,
            Acted: self.desktops.acted,
            Saved: self._saved,
            Erased: self.accounts.erased,
            HostStarted: self._started,
            HostCrashed: self._crashed,
            FaultInjected: self._flights.fault,
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

    def folds(self, kind: str, by_client: bool) -> tuple[Fold | None, Fold | None]:
        """What changes when a frame of this type is written, and when it arrives."""
        if by_client:
            return self.desktops.folds_said.get(kind), self._heard.get(kind)
        return self._told.get(kind), self.desktops.folds_told.get(kind)

    # -- questions ---------------------------------------------------------------

    def shared(self, kind: type[Any]) -> Any:
        """What several oracles keep together: made once for each view."""
        if kind not in self._shared:
            self._shared[kind] = kind()
        return self._shared[kind]

    def request(self, request: str) -> RequestView | None:
        """The ordinary request behind an id; that of a round is the one it continued."""
        found = self.requests.get(request)
        if found is None and request in self.rounds:
            return self.rounds[request].root
        return found

    def message_of(self, request: str) -> ShownMessage | None:
        """The channel message of a request or of a round, as it stands now."""
        root = self.request(request)
        return self.history.about(request if root is None else root.request)

    def card_of(self, interaction: str) -> ShownMessage | None:
        """The channel message of an interaction's card."""
        return self.history.about(interaction)

    def thread_of(self, request: str) -> tuple[str, str, str | None] | None:
        """(channel host, chat, thread) that a request was asked in, or its message stands in."""
        root = self.request(request)
        if root is not None and root.chat:
            return root.channel, root.chat, root.thread
        message = self.message_of(request)
        return None if message is None else (message.channel, message.chat, message.thread)

    def link_of(self, client: str, lane: str | None = None) -> LinkView | None:
        """The newest connection of a desktop host (on a lane)."""
        if lane is not None:
            return self.by_lane.get((client, lane))
        links = [link for (name, _), link in self.by_lane.items() if name == client]
        return max(links, key=lambda link: link.opened, default=None)

    # -- connections -------------------------------------------------------------

    def _opened(self, event: ConnectionOpened) -> None:
        link = LinkView(event.link, event.client, event.server, event.lane, event.n)
        link.account = self.desktops.account_of(event.client)
        self.links.opened(link)
        self.by_lane[event.client, event.lane] = link

    def _closed(self, event: ConnectionClosed) -> None:
        link = self.links.get(event.link)
        if link is None:
            return
        if event.host == link.server:
            link.server_open = False
            self.ownership.closed(link, event.n)
        else:
            link.client_open = False
        self.links.forget_if_over(link)

    def _started(self, event: HostStarted) -> None:
        host = self.hosts[event.host]
        host.epoch, host.up, host.since = event.epoch, True, event.at
        self.desktops.started(event)

    def _crashed(self, event: HostCrashed) -> None:
        """A dead process closes nothing properly: its ends are just gone."""
        host = self.hosts[event.host]
        host.up, host.since = False, event.at
        self.writes.crashed(event.host, event.at)
        if event.host in self.writers:
            self.ownership.server_died(event.n)
        for link in self.links.of(event.host):
            if link.server == event.host:
                link.server_open = False
                self.ownership.closed(link, event.n)
            elif link.client == event.host:
                link.client_open = False
            self.links.forget_if_over(link)

    def _hello(self, link: LinkView, body: Any, n: int) -> None:
        if link.device and link.device != body.device_id:
            self.ownership.closed(link, n)
        link.device = body.device_id
        link.hello = body
        link.hello_us = self.now

    def _welcome(self, link: LinkView, body: Any, n: int) -> None:
        link.welcomes += 1
        link.welcomed_us = self.now
        link.greeted = link.hello
        link.features = body.features
        link.welcome_n = n
        self.by_device[link.device, link.lane] = link

    # -- frames ------------------------------------------------------------------

    def _sent(self, event: FrameSent) -> None:
        link = self.link = self.links.get(event.link)
        self.said = self.turn = self.task = None
        self.is_calm = False
        if link is None:
            return
        self._flights.sent(event)
        self.said = body = body_of(event.frame)
        if event.sender == link.client:
            self.desktops.said(link, event, body)
            return
        told = self._told.get(event.frame.type)
        if told is not None and body is not None:
            told(link, body, event.n)

    def _delivered(self, event: FrameDelivered) -> None:
        sent = self._flights.arrived(event)
        link = self.link = self.links.get(event.link)
        self.arrived = self.turn = None
        if sent is None or link is None:
            return
        self.arrived = body = body_of(sent.frame)
        if body is None:
            return
        if event.receiver == link.client:
            self.desktops.told(link, event, body)
            return
        heard = self._heard.get(event.type)
        if heard is not None:
            heard(link, body, event.n)

    def _lost(self, event: FrameLost) -> None:
        self._flights.lost(event)
        link = self.links.get(event.link)
        if link is not None and event.why == "lost":
            link.lossy = True

    def _dispatch(self, link: LinkView, body: Any, n: int) -> None:
        request = self.task = self._known(body.request_id, n)
        request.dispatches += 1
        if request.first is None:
            request.first = (body.prompt, body.external_key)
            self.is_calm = link.welcomes > 0
        request.dispatched_on = link.name
        request.key = body.external_key
        request.prompt = request.prompt or body.prompt
        request.workspace = body.workspace
        if not request.device:
            request.device = link.device
            request.lane = link.lane

    def _ack(self, link: LinkView, body: Any, n: int) -> None:
        request = self.requests.get(body.request_id)
        if request is not None and request.is_of(link):
            request.acked = body.result
            request.acks.append(body.result)
            if body.session_id is not None:
                request.session = body.session_id

    def _end(self, link: LinkView, body: Any, n: int) -> None:
        request = self.requests.get(body.request_id)
        if request is None:
            self.ownership.end(link, body, n)
        elif not request.is_of(link) or request.request in link.quarantined:
            return
        elif request.ended == CONTINUED:
            request.late = (body.status, final_text(body))
        elif not request.ended:
            request.ended = body.status
            request.ended_at = n
            request.ended_us = self.now
            request.final = final_text(body)

    def _known(self, request: str, n: int) -> RequestView:
        found = self.requests.get(request)
        if found is None:
            self.requests[request] = found = RequestView(request, n)
        return found

    # -- channels and stored rows --------------------------------------------------

    def _noted(self, event: Noted) -> None:
        if event.what == "agent":
            self.desktops.noted(event)
        else:
            self.history.on(event)

    def _issued(self, event: CallIssued) -> None:
        self.history.on(event)
        request = event.request
        if type(request) is ButtonPressed:
            self.presses.append(
                PressView(event.caller, request.message, request.button, request.person, event.n)
            )
        elif type(request) is PostMessage and request.role == "request" and request.about:
            found = self._known(request.about, event.n)
            found.channel = event.callee
            self.writers[event.caller] = None
            self.lanes[event.callee] = found.lane
            found.chat, found.thread = request.chat, request.thread
        elif type(request) is SignedIn or type(request) is PersonSaid:
            self.accounts.heard(event)
        self.writes.issued(event)

    def _saved(self, event: Saved) -> None:
        row = event.value
        if type(row) is LedgerRow or type(row) is tuple:
            self.desktops.saved(event)
        elif type(row) is RequestRow:
            found = self._known(row.request, event.n)
            if row.account and (found.stored is None or not found.stored.account):
                self._whose(row)
            found.stored = row
            self.writers[event.host] = None  # it will write, even if it dies before it does
            found.device, found.lane = row.device, row.lane
            found.person, found.prompt = row.person, row.prompt or found.prompt
            found.chat, found.thread = row.chat, row.thread
        elif type(row) is RoundRow:
            over = self.rounds.get(row.request)
            if over is not None:
                over.stored = row
        elif type(row) is CardRow:
            card = self.cards.get(row.interaction)
            if card is not None:
                card.stored = row
        else:
            self.accounts.saved(event)

    def _whose(self, row: RequestRow) -> None:
        """A task goes to the connection of its account: so that is whose connection it is."""
        if (link := self.by_device.get((row.device, row.lane))) and not link.account:
            link.account = row.account
            desktop = self.desktops.of(link.client)
            desktop.account = desktop.account or row.account

    def said_by(self, person: str) -> list[ShownMessage]:
        """What a person wrote, in order."""
        return [m for m in self.history.messages.values() if m.author == person and not m.by_bot]
