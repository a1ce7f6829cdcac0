"""Subscriptions and streams of tests at one relay (DR-18, DR-20)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sim.core.event import ConnectionClosed, Event, FrameDelivered, FrameSent
from sim.protocols.relay.parse import answer_fault
from sim.protocols.relay.view_records import (
    AskView,
    CancelView,
    OwnView,
    SessionView,
    StreamView,
    SubscriptionView,
)
from sim.wire.exact import plain_object

if TYPE_CHECKING:
    from sim.protocols.relay.view_work import BookOfWork

SUBSCRIBE = "listener.subscribe"
UNSUBSCRIBE = "listener.unsubscribe"
TEST = "command.test"
KEPT = 1_024


class Listening:
    """Of one relay.

    ``open`` has the subscriptions that were asked for and have not ended, by requestId;
    ``over`` the newest that have. ``streams`` are those of tests that have not ended.
    ``turn_off``: nodes that the relay has to tell, by (node session, requestId), since
    which event.
    """

    def __init__(self, book: BookOfWork) -> None:
        self.book = book
        self.open: dict[str, SubscriptionView] = {}
        self.over: dict[str, SubscriptionView] = {}
        self.streams: dict[str, StreamView] = {}
        self.past: dict[str, StreamView] = {}
        self.turn_off: dict[tuple[str, str], SubscriptionView] = {}
        self.lost: dict[str, SubscriptionView] = {}

    # -- commands ------------------------------------------------------------------

    def accepted(self, ask: AskView) -> None:
        """The relay has queued or sent a command."""
        if ask.action == SUBSCRIBE and ask.request_id not in self.open:
            inner = ask.payload.get("payload")
            name = inner.get("listener") if isinstance(inner, dict) else None
            one = self.open[ask.request_id] = SubscriptionView(ask, str(name))
            stream = next((s for s in self.streams.values() if self._takes(s, one)), None)
            if stream is not None:
                stream.bound.append(one)

    def answered(self, ask: AskView, payload: Mapping[str, Any], event: FrameDelivered) -> None:
        """The node's terminal frame for a command has arrived."""
        ok = payload.get("ok") is True
        if ask.action == SUBSCRIBE:
            self._subscribed(ask, ok, event)
        elif ask.action == UNSUBSCRIBE and ok:
            target = self._target(ask)
            if target is not None:
                self._ends(target, "unsubscribed", event)
        elif ask.action == TEST and ok and not ask.terminals and ask.session.is_open:
            self._manifest(ask, payload)

    def _subscribed(self, ask: AskView, ok: bool, event: FrameDelivered) -> None:
        one = self.open.get(ask.request_id)
        if one is None or one.ask is not ask:
            gone = self.over.get(ask.request_id)
            if ok and gone is not None and gone.ask is ask:
                self._must_turn_off(gone)
        elif not ok:
            self._ends(one, "error", event)
        elif ask.terminals or not ask.session.is_open:
            self._ends(one, "too late", event)
            self._must_turn_off(one)
        else:
            one.on_n = event.n

    def _takes(self, stream: StreamView, one: SubscriptionView) -> bool:
        test, ask = stream.ask, one.ask
        place = test.session, test.node, test.tab
        return place == (ask.session, ask.node, ask.tab) and one.listener in stream.listeners

    def _manifest(self, ask: AskView, payload: Mapping[str, Any]) -> None:
        data = plain_object(payload.get("data"))
        stream: Any = plain_object(data.get("stream"))
        if not stream or answer_fault(TEST, data) is not None:
            return  # what is no manifest begins no stream
        names = tuple(str(one["listener"]) for one in stream["listeners"])
        self.streams[ask.request_id] = StreamView(ask, names)

    def ended(self, ask: AskView, event: FrameSent) -> None:
        """A command has ended for its controller."""
        if ask.answered_n >= 0:
            return
        if ask.action == SUBSCRIBE:
            one = self.open.get(ask.request_id)
            if one is not None and one.ask is ask and not ask.is_at_node:
                self._ends(one, ask.end, event)
        elif ask.action == UNSUBSCRIBE and ask.end != "command_cancelled":
            target = self._target(ask)
            if target is not None and ask.was_accepted:
                self._ends(target, ask.end, event)

    def _target(self, ask: AskView) -> SubscriptionView | None:
        inner = ask.payload.get("payload")
        target = inner.get("targetRequestId") if isinstance(inner, dict) else None
        one = self.open.get(str(target))
        return one if one is not None and one.ask.session is ask.session else None

    # -- what ends them otherwise -------------------------------------------------------

    def cancelled(self, stream: StreamView, cancel: CancelView, event: FrameDelivered) -> None:
        """A cancel for a stream has arrived: with its owner's it ends at once."""
        if cancel.session.identity != stream.ask.session.identity:
            return
        stream.cancelled_n = event.n
        self._stream_ends(stream, "cancelled", event)
        for one in stream.bound:
            if self.open.get(one.ask.request_id) is one:
                was_on = one.is_on
                self._ends(one, "stream cancelled", event)
                if was_on:
                    self._must_turn_off(one)

    def closed(self, session: SessionView, event: ConnectionClosed) -> None:
        """A node or a subscriber is gone."""
        for one in list(self.open.values()):
            if one.ask.node is session:
                if one.is_on:
                    self.lost[one.ask.request_id] = one
                self._ends(one, "node lost", event)
            elif one.ask.session is session:
                was_on = one.is_on
                if one.ask.is_at_node:
                    continue  # its result may still come: then it has to be turned off
                self._ends(one, "subscriber lost", event)
                if was_on:
                    self._must_turn_off(one)
        for stream in list(self.streams.values()):
            if session in (stream.ask.node, stream.ask.session):
                mine = stream.ask.session is session
                self._stream_ends(stream, "" if mine else "node_disconnected", event)
        for place in [place for place in self.turn_off if place[0] == session.link]:
            del self.turn_off[place]

    def _stream_ends(self, stream: StreamView, why: str, event: Event) -> None:
        if stream.over_n < 0:
            stream.over_n, stream.over_us, stream.why = event.n, event.at, why
        self.streams.pop(stream.ask.request_id, None)
        self.past[stream.ask.request_id] = stream
        if len(self.past) > KEPT:
            del self.past[next(iter(self.past))]

    def _ends(self, one: SubscriptionView, why: str, event: Event) -> None:
        if one.off_n < 0:
            one.off_n, one.off_us, one.why = event.n, event.at, why
        id = one.ask.request_id
        if self.open.get(id) is one:
            del self.open[id]
        self.over[id] = one
        if len(self.over) > KEPT:
            del self.over[next(iter(self.over))]

    def _must_turn_off(self, one: SubscriptionView) -> None:
        node = one.ask.node
        if node is not None and node.is_open:
            self.turn_off[node.link, one.ask.request_id] = one

    # -- what the relay says ------------------------------------------------------------

    def turned_off(self, own: OwnView) -> None:
        """The relay has sent a command of its own."""
        if own.action == UNSUBSCRIBE:
            self.turn_off.pop((own.node.link, str(own.payload.get("targetRequestId"))), None)

    def event(
        self, session: SessionView, request_id: str, kind: str, payload: Mapping[str, Any],
        event: FrameSent,
    ) -> None:  # fmt: skip
        """The relay tells of the end of a stream."""
        if kind == "stream_ended":
            stream = self.streams.get(request_id) or self.past.get(request_id)
            if stream is not None and stream.ask.session is session:
                stream.ends += 1
                self._stream_ends(stream, str(payload.get("reason")), event)
        elif kind == "listener_ended":
            self.lost.pop(request_id, None)
