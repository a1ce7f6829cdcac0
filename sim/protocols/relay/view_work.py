"""Sessions at a relay, and the life of a command there: asked, waiting, at its node, over.

A command is taken when the relay has queued it or sent it to its node. It leaves its tab
when the node's terminal frame arrives, or with the node's session; that its controller has
been told of a timeout before does not free the tab (DR-13).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sim.core.event import ConnectionClosed, FrameSent
from sim.protocols.relay.constants import NODE
from sim.protocols.relay.relay.plan import RelayPlan
from sim.protocols.relay.view_listening import Listening
from sim.protocols.relay.view_records import (
    ASKED,
    DONE,
    RUNNING,
    WAITING,
    AskView,
    CancelView,
    OwnView,
    QueueView,
    SessionView,
)
from sim.protocols.relay.view_tabs import Tabs

if TYPE_CHECKING:
    from sim.protocols.relay.view import RelayView


class BookOfWork:
    """The folded state of one relay.

    ``asks`` are the commands whose requestId is taken, ``fresh`` those that the relay has
    not decided yet, both by requestId. ``nodes`` has the session that is each node,
    ``live`` the ready sessions of each controller identity. ``lost``: the commands that the
    newest loss of a node has ended, in the order in which their controllers must be told.
    ``stray``: the command that was over when the newest frame sent it to a node all the
    same. ``rival``: the session of the node that had its name when the newest auth_ack was
    sent.
    """

    def __init__(self, relay: str, plan: RelayPlan, view: RelayView) -> None:
        self.relay = relay
        self.plan = plan
        self.view = view
        self.sessions: dict[str, SessionView] = {}
        self.nodes: dict[str, SessionView] = {}
        self.live: dict[str, dict[str, SessionView]] = {}
        self.asks: dict[str, AskView] = {}
        self.fresh: dict[str, list[AskView]] = {}
        self.ended: dict[tuple[str, str], AskView] = {}
        self.queues: dict[tuple[str, str], QueueView] = {}
        self.depths: dict[str, int] = {}
        self.nonces: dict[tuple[str, str], list[int]] = {}
        self.used: dict[tuple[str, str], int] = {}
        self.own: dict[str, OwnView] = {}
        self.cancels: dict[tuple[str, str], CancelView] = {}
        self.forwarded: dict[str, CancelView] = {}
        self.tabs = Tabs(self)
        self.listening = Listening(self)
        self.clock_ms = 0
        self.lost: list[AskView] = []
        self.stray: AskView | None = None
        self.rival: SessionView | None = None

    # -- sessions ------------------------------------------------------------------

    def opened(self, session: SessionView) -> None:
        """A socket was opened."""
        self.sessions[session.link] = session

    def closed(self, session: SessionView, event: ConnectionClosed) -> None:
        """The relay does not believe in a connection any more."""
        self.sessions.pop(session.link, None)
        if session.ready_us < 0:
            return
        if session.role == NODE:
            if self.nodes.get(session.identity) is session:
                del self.nodes[session.identity]
            self._lose_node(session, event)
        else:
            mine = self.live.get(session.identity, {})
            mine.pop(session.link, None)
            if not mine:
                self.live.pop(session.identity, None)
            self._lose_controller(session, event)
        self.tabs.closed(session, event)
        self.listening.closed(session, event)

    def _lose_node(self, session: SessionView, event: ConnectionClosed) -> None:
        mine = sorted((one for one in self.asks.values() if one.node is session), key=_arrival)
        owed = [one for one in mine if one.is_owed and one.answered_n < 0]
        self.lost = [one for one in owed if one.state == RUNNING]
        self.lost += [one for one in owed if one.state == WAITING]
        for ask in mine:
            if ask.state in (WAITING, RUNNING):
                ask.lost_us, ask.lost_n = event.at, event.n
                self._leaves(ask)
                ask.state = DONE
            self._forget(ask)

    def _lose_controller(self, session: SessionView, event: ConnectionClosed) -> None:
        for ask in [one for one in self.asks.values() if one.session is session]:
            ask.orphaned_us = event.at
            if ask.state == WAITING:
                self._leaves(ask)
                ask.state = DONE
            self._forget(ask)

    def now_ms(self, at: int) -> int:
        """What the relay's own clock shows, as its newest frame has shown it."""
        return self.clock_ms + at // 1_000

    # -- the life of a command -----------------------------------------------------------

    def undecided(self, session: SessionView, request_id: str) -> AskView | None:
        """A session's command that has come and that nothing was said of yet."""
        found = self.fresh.get(request_id, ())
        return next((one for one in found if one.session is session), None)

    def _decided(
        self, request_id: str, session: SessionView | None = None, nonce: Any = None
    ) -> AskView | None:
        """The command that the relay has now decided about."""
        found = self.fresh.get(request_id)
        if not found:
            return None
        mine = [one for one in found if session is None or one.session is session]
        mine = [one for one in mine if nonce is None or one.key == nonce]
        if not mine:
            return None
        found.remove(mine[0])
        if not found:
            del self.fresh[request_id]
        return mine[0]

    def _take(self, ask: AskView, event: FrameSent) -> None:
        ask.accepted_n = event.n
        other = self.asks.get(ask.request_id)
        if other is not None and other is not ask:
            ask.clashed = other
        self.asks[ask.request_id] = ask
        if ask.key:
            self.used[ask.session.identity, ask.key] = ask.at

    def _waits(self, ask: AskView, event: FrameSent) -> None:
        self._take(ask, event)
        ask.state, ask.queued_us = WAITING, event.at
        ask.node = self.nodes.get(ask.node_id)
        if ask.node is not None:
            queue = self.queues.setdefault((ask.node.link, ask.tab), QueueView())
            queue.waiting.append(ask)
        link = ask.session.link
        self.depths[link] = self.depths.get(link, 0) + 1
        self.listening.accepted(ask)

    def _leaves(self, ask: AskView) -> None:
        """It does not stand in its tab any more."""
        if ask.state == WAITING:
            link = ask.session.link
            self.depths[link] -= 1
            if not self.depths[link]:
                del self.depths[link]
        if ask.node is None or not ask.tab:
            return
        place = ask.node.link, ask.tab
        queue = self.queues.get(place)
        if queue is None:
            return
        for part in (queue.running, queue.waiting):
            if ask in part:
                part.remove(ask)
        if not queue.running and not queue.waiting:
            del self.queues[place]
        elif not queue.running and queue.free_us < 0:
            queue.free_us = self.view.now

    def _forget(self, ask: AskView) -> None:
        """Its requestId is free as soon as everything about it is over."""
        if ask.is_taken:
            return
        if self.asks.get(ask.request_id) is ask:
            del self.asks[ask.request_id]
        self.ended[ask.session.link, ask.request_id] = ask
        if len(self.ended) > 2_048:
            del self.ended[next(iter(self.ended))]

    def _runs(self, ask: AskView, node: SessionView, event: FrameSent) -> None:
        ask.times_sent += 1
        place = node.link, ask.tab
        free = self.queues.get(place)
        ask.idle_us = -1 if free is None else free.free_us
        if ask.state == WAITING:
            self._leaves(ask)
        elif ask.state == ASKED:
            self._take(ask, event)
        ask.state, ask.node = RUNNING, node
        ask.sent_us, ask.sent_n = event.at, event.n
        if ask.tab:
            queue = self.queues.setdefault(place, QueueView())
            ask.beside = next((one for one in queue.running if one is not ask), None)
            older = (one for one in queue.waiting if one.n < ask.n)
            ask.overtook = next(older, None)
            queue.running.append(ask)
            queue.free_us = -1
        self.tabs.opens(ask)
        self.listening.accepted(ask)


def _arrival(ask: AskView) -> int:
    return ask.n
