"""Listeners, their updates, and the streams of tests (DR-15, DR-18, DR-20)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sim.core.event import Event, FrameDelivered, FrameSent
from sim.core.invariant import Handler
from sim.protocols.relay.constants import RELAY
from sim.protocols.relay.oracles.oracle import SECOND_US, OfRelay, Owing
from sim.protocols.relay.view import RelayView
from sim.protocols.relay.view_records import AskView, SessionView, SubscriptionView

UPDATE = "listener_update"
NOT_FOUND = "listener_not_found"


class OfUpdates(OfRelay):
    """Looks at the updates that a relay delivers, with their subscription."""

    families = ("event",)

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        if self.view.payload.get("type") != UPDATE:
            return None
        listening = self.book_of(session).listening
        request_id = str(self.view.said.get("requestId"))
        one = listening.open.get(request_id) or listening.over.get(request_id)
        return self.delivered(session, one, event)

    def delivered(
        self, session: SessionView, one: SubscriptionView | None, event: FrameSent
    ) -> str | None:
        """What is wrong with this update."""
        raise NotImplementedError


class UpdatesGoToTheirSubscriber(OfUpdates):
    name = "updates-go-to-their-subscriber"
    sentence = (
        "An update reaches the session that has subscribed, under that requestId, and no other."
    )
    catalogue = ("OT-17", "OT-18")

    def delivered(
        self, session: SessionView, one: SubscriptionView | None, event: FrameSent
    ) -> str | None:
        self.exercised += 1
        if one is not None and one.ask.session is session:
            return None
        request_id = self.view.said.get("requestId")
        return (
            f"{event.sender} sends {session.peer} an update of {request_id!r}, which it has "
            "never asked for"
        )


class UpdatesFollowTheResult(OfUpdates):
    name = "updates-follow-the-result"
    sentence = "Updates flow after the good result of their subscribe, and none of a failed one."
    catalogue = ("OT-14", "OT-19")

    def delivered(
        self, session: SessionView, one: SubscriptionView | None, event: FrameSent
    ) -> str | None:
        if one is None or one.ask.session is not session:
            return None
        self.exercised += 1
        told = one.ask.terminals > 0 and one.ask.end == "result"
        if one.on_n >= 0 and told:
            return None
        return f"{event.sender} sends an update of {one.ask.request_id!r}, which has not succeeded"


class SilenceAfterTheEnd(OfUpdates):
    name = "silence-after-the-end"
    sentence = (
        "After the good end of an unsubscribe, direct, queued or by the cancel of a stream, or a "
        "loss, no update is delivered."
    )
    catalogue = ("OT-20", "OT-40")

    def delivered(
        self, session: SessionView, one: SubscriptionView | None, event: FrameSent
    ) -> str | None:
        if one is None or one.on_n < 0 or one.ask.session is not session:
            return None
        self.exercised += 1
        if one.off_n < 0:
            return None
        return f"{event.sender} sends an update of {one.ask.request_id!r}, which is over: {one.why}"


class UpdatesAreTakenOrRefused(Owing):
    name = "updates-are-taken-or-refused"
    sentence = (
        "An update of a subscription that is on is delivered as it came; any other is refused to "
        "its node with listener_not_found."
    )
    catalogue = ("OT-12", "OT-17", "OT-20")
    families = ("event", "error")

    def __init__(self, view: RelayView) -> None:
        super().__init__(view)
        self._due: dict[int, tuple[SessionView, SubscriptionView | None, Mapping[str, Any]]] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {**super().sorted_handlers(), (FrameDelivered, "event"): self._arrived}

    def _arrived(self, event: FrameDelivered) -> str | None:
        session = self.view.session
        if session is None or event.receiver != session.relay or not session.is_node:
            return None
        book = self.book_of(session)
        arrival = book.ingress.arrivals.get(event.n)
        if self.view.payload.get("type") != UPDATE or arrival is None:
            return None
        if not book.ingress.is_good(arrival):
            return None
        one = book.listening.open.get(str(self.view.said.get("requestId")))
        on = one if one is not None and one.is_on and one.ask.node is session else None
        self._due[event.n] = session, on, self.view.payload
        if on is None:
            text = f"{session.relay} never tells {session.peer} that nobody listens"
            self.owe(session, event.n, text)
        else:
            text = f"{session.relay} swallows an update of {on.ask.request_id!r}"
            self.owe(on.ask.session, event.n, text)
        return None

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        due = self._due.pop(event.cause, None)
        if due is None:
            return None
        self.exercised += 1
        node, one, came = due
        self.pay(node if one is None else one.ask.session, event.cause)
        payload = self.view.payload
        request_id = self.view.said.get("requestId")
        if event.frame.type == "error":
            if one is None:
                code = payload.get("code")
                fits = session is node and code in (NOT_FOUND, "listener_node_mismatch")
                return None if fits else f"{event.sender} answers a dead update with {code}"
            return f"{event.sender} refuses an update of {request_id!r}, which is on"
        if one is None:
            return None  # see silence-after-the-end and its neighbours
        told = {name: payload.get(name) for name in ("data", "updateType", "emittedAt")}
        if told == {name: came.get(name) for name in told}:
            return None
        return f"{event.sender} changes an update of {request_id!r} on its way"


class LeftListenersAreTurnedOff(OfRelay):
    name = "left-listeners-are-turned-off"
    sentence = (
        "When a subscriber is gone, or has cancelled the stream, the node is told to turn the "
        "listener off."
    )
    catalogue = ("OT-20", "OT-40")
    families = ("command",)

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        by_relay = self.view.said.get("senderRole") == RELAY
        if by_relay and self.view.payload.get("action") == "listener.unsubscribe":
            self.exercised += 1
        return None

    def at_end(self) -> Iterator[str]:
        for book in self.view.books.values():
            for (link, request_id), one in book.listening.turn_off.items():
                node = one.ask.node
                waited = self.view.now - max(one.off_us, one.ask.answered_us) > SECOND_US
                if node is not None and waited and self.can_still_say(node):
                    yield f"{book.relay} lets {node.peer} go on with {request_id!r} on {link}"


class LostListenersAreTold(OfRelay):
    name = "lost-listeners-are-told"
    sentence = "Who has subscribed at a node that is lost is told listener_ended."
    catalogue = ("OT-49",)
    families = ("event",)

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        if self.view.payload.get("type") != "listener_ended":
            return None
        self.exercised += 1
        request_id = str(self.view.said.get("requestId"))
        one = self.book_of(session).listening.over.get(request_id)
        if one is not None and one.ask.session is session and one.why == "node lost":
            return None
        return (
            f"{event.sender} tells {session.peer} of the end of {request_id!r}, which has not "
            "ended so"
        )

    def at_end(self) -> Iterator[str]:
        for book in self.view.books.values():
            for request_id, one in book.listening.lost.items():
                if self.can_still_say(one.ask.session):
                    peer = one.ask.session.peer
                    yield f"{book.relay} never tells {peer} that {request_id!r} has lost its node"


class StreamsEndOnce(OfRelay):
    name = "streams-end-once"
    sentence = (
        "A stream that is cancelled or loses its node ends by one event stream_ended under the "
        "requestId of its test, with that reason."
    )
    catalogue = ("OT-11", "OT-40")
    families = ("event",)

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        if self.view.payload.get("type") != "stream_ended":
            return None
        self.exercised += 1
        listening = self.book_of(session).listening
        request_id = str(self.view.said.get("requestId"))
        stream = listening.streams.get(request_id) or listening.past.get(request_id)
        if stream is None or stream.ask.session is not session:
            return f"{event.sender} ends a stream {request_id!r} that {session.peer} has not"
        if stream.ends > 1:
            return f"{event.sender} ends the stream {request_id!r} again"
        reason = self.view.payload.get("reason")
        if stream.why in ("", reason):
            return None
        return f"{event.sender} ends the stream {request_id!r} with {reason}, not {stream.why}"

    def at_end(self) -> Iterator[str]:
        for book in self.view.books.values():
            for request_id, stream in book.listening.past.items():
                if stream.why and not stream.ends and self.can_still_say(stream.ask.session):
                    yield f"{book.relay} never tells of the end of the stream {request_id!r}"
