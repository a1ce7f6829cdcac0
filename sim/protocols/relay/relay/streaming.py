"""Listeners, their updates, and the streams of tests (DR-18, DR-20)."""

from __future__ import annotations

from typing import Any, Final

from sim.protocols.relay.frames import Result
from sim.protocols.relay.frames.events import ListenerEnded, ListenerUpdate, StreamEnded
from sim.protocols.relay.machine import RUNNING
from sim.protocols.relay.parse import Opened, answer_fault
from sim.protocols.relay.relay.errands import Errands
from sim.protocols.relay.relay.ingress import UNSUBSCRIBE
from sim.protocols.relay.relay.listening import NOT_FOUND, Stream, Subscription
from sim.protocols.relay.relay.sessions import Session
from sim.protocols.relay.relay.switchboard import Switchboard
from sim.protocols.relay.relay.work import Job
from sim.wire.exact import plain_object
from sim.wire.linkage import JsonObject

SUBSCRIBE: Final = "listener.subscribe"
TEST: Final = "command.test"
NODE_LOST: Final = "node_disconnected"
_UPDATE_FIELDS: Final = ("type", "data", "updateType", "emittedAt")


class Streaming:
    """The relay's part that has to do with what goes on after a terminal frame."""

    __slots__ = ("board", "errands")

    def __init__(self, board: Switchboard, errands: Errands) -> None:
        self.board = board
        self.errands = errands

    # -- the commands about listeners ---------------------------------------------

    def asked(self, job: Job, inner: JsonObject) -> None:
        """A command was accepted, queued or sent."""
        books = self.board.books
        if job.action == SUBSCRIBE:
            place = job.session, job.node, job.tab
            name = str(inner.get("listener", ""))
            one = Subscription(job.request_id, *place, name, identity=job.identity)
            books.subscriptions.ask(one)
            books.streams.bind(one)
        elif job.action == UNSUBSCRIBE:
            books.subscriptions.unsubscribe(_target(job))

    def answered(self, job: Job, opened: Opened) -> None:
        """A node's terminal frame for a command; its state is still the one before it."""
        good = opened.type == "result" and opened.wire["payload"]["ok"] is True
        if job.action == SUBSCRIBE and good:
            if self.board.books.subscriptions.subscribed(job.request_id) is None:
                self.errands.unsubscribe(job.node, job.request_id)
        elif job.action == SUBSCRIBE:
            self._not_subscribed(job, "error", "subscribe failed", "failed")
        elif job.action == UNSUBSCRIBE:
            if not job.waited or self.board.rules.queued_unsubscribe_counts:
                how = "result" if good else "error"
                self.board.books.subscriptions.unsubscribed(_target(job), how)
        elif job.action == TEST and good and job.state == RUNNING:
            self._begin(job, opened.wire["payload"].get("data"))

    def out_of_time(self, job: Job) -> None:
        """The budget of a command has ended."""
        if job.action == SUBSCRIBE:
            self._not_subscribed(job, "budget ends", "subscribe timed out", "timed_out")
        elif job.action == UNSUBSCRIBE:
            self.board.books.subscriptions.unsubscribed(_target(job), "budget ends")

    def cancelled(self, job: Job) -> None:
        """A waiting command was cancelled: it is never sent."""
        if job.action == SUBSCRIBE:
            self._not_subscribed(job, "cancel", "subscribe failed", "failed")
        elif job.action == UNSUBSCRIBE:
            self.board.books.subscriptions.unsubscribed(_target(job), "error")

    def _not_subscribed(self, job: Job, why: str, trigger: str, reason: str) -> None:
        books = self.board.books
        books.subscriptions.not_subscribed(job.request_id, why)
        stream = books.streams.of(job.request_id)
        if stream is not None:
            books.streams.end(stream, trigger)
            self._say_ended(stream, reason)

    # -- updates -------------------------------------------------------------------

    def update(self, session: Session, opened: Opened) -> None:
        """A node's listener_update: for its subscriber, or refused to the node."""
        found = self.board.books.subscriptions.update(opened.request_id, session.name)
        if isinstance(found, str):
            self.board.refuse(session.name, opened.request_id, found)
            return
        reader = self._reader(found)
        if not reader:
            self.board.refuse(session.name, opened.request_id, NOT_FOUND)
            return
        payload = opened.wire["payload"]
        told = {name: payload[name] for name in _UPDATE_FIELDS if name in payload}
        self.board.tell(reader, ListenerUpdate.from_wire(told), opened.request_id)

    def _reader(self, one: Subscription) -> str:
        sessions = self.board.books.sessions
        if sessions.get(one.session) is not None:
            return one.session
        heirs = sessions.controllers(one.identity)
        return heirs[0].name if heirs else ""

    # -- streams ---------------------------------------------------------------------

    def _begin(self, job: Job, data: Any) -> None:
        manifest: Any = plain_object(plain_object(data).get("stream"))
        if not manifest or answer_fault(TEST, plain_object(data)) is not None:
            return
        names = tuple(one["listener"] for one in manifest["listeners"])
        stream = Stream(job.request_id, job.session, job.node, job.tab, names)
        self.board.books.streams.begin(stream)

    def cancel(self, stream: Stream) -> None:
        """The stream of a test ends by its owner's wish, with all that it holds."""
        books = self.board.books
        books.streams.end(stream, "cancel")
        was_on: list[Subscription] = []
        if self.board.rules.stream_cancel_silences:
            was_on = books.subscriptions.cut(stream.bound)
        for one in was_on:
            self.errands.unsubscribe(one.node, one.request_id)
        self._say_ended(stream, "cancelled")

    def _say_ended(self, stream: Stream, reason: str) -> None:
        if self.board.rules.stream_ends_by_event:
            self.board.tell(stream.session, StreamEnded(reason=reason), stream.request_id)
            return
        outcome = "failed" if reason == NODE_LOST else reason
        data = {"reason": reason}
        body = Result(ok=True, duration_ms=0, action=TEST, data=data, command_outcome=outcome)
        self.board.tell(stream.session, body, stream.request_id)

    # -- losses ------------------------------------------------------------------------

    def lose_node(self, session: str) -> None:
        """A node session is over, and with it what listened there."""
        books = self.board.books
        for one in books.subscriptions.lose_node(session):
            if self.board.rules.lost_listener_is_told:
                self.board.tell(one.session, ListenerEnded(reason=NODE_LOST), one.request_id)
        for stream in books.streams.lose_node(session):
            self._say_ended(stream, NODE_LOST)

    def lose_session(self, session: str) -> None:
        """A subscriber is gone: its listeners are to be turned off."""
        books = self.board.books
        for one in books.subscriptions.lose_session(session):
            if self.board.rules.node_told_of_lost_subscriber:
                self.errands.unsubscribe(one.node, one.request_id)
        books.streams.lose_session(session)


def _target(job: Job) -> str:
    target: str = job.frame.wire["payload"]["payload"]["targetRequestId"]
    return target
