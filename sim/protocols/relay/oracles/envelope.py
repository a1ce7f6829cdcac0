"""Forms and families of frames: what every host owes to every other (section 消息流)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.core.event import Event, FrameSent
from sim.core.invariant import Handler
from sim.protocols.relay.codes import ERROR_CODES
from sim.protocols.relay.constants import CONTROLLER, MESSAGE_TYPES, NODE, RELAY
from sim.protocols.relay.frames import EVENTS, MESSAGES
from sim.protocols.relay.frames.envelope import CONTROLLER_TO_RELAY
from sim.protocols.relay.oracles.oracle import OfPeers, OfRelay, RelayInvariant
from sim.protocols.relay.parse import parse_relay_message
from sim.protocols.relay.view import RelayView
from sim.protocols.relay.view_records import AskView, SessionView

HANDED_ON = ("command", "result", "error", "event")
"""Families that a relay passes on from whoever sent them."""


class FramesPassTheParser(RelayInvariant):
    """For one side. Every frame of a type is parsed at first, later one in ``EVERY``.

    Wrong frames are wrong in form, so that a sample shows them; ``EVERY = 1`` judges all.
    """

    FIRST = 4
    EVERY = 64

    def __init__(self, view: RelayView) -> None:
        super().__init__(view)
        self._seen: dict[str, int] = {}

    def handlers(self) -> Mapping[type[Event], Handler]:
        return {FrameSent: self._sent}

    def is_mine(self, session: SessionView, event: FrameSent) -> bool:
        """Whether this sender is judged."""
        raise NotImplementedError

    def _sent(self, event: FrameSent) -> str | None:
        kind = event.frame.type
        seen = self._seen.get(kind, 0)
        self._seen[kind] = seen + 1
        if seen >= self.FIRST and seen % self.EVERY:
            return None
        session = self.view.session
        if session is None or not self.is_mine(session, event) or self.view.is_directed(event):
            return None
        self.exercised += 1
        verdict: Any = parse_relay_message(dict(self.view.said))
        if verdict.ok:
            return None
        return f"{event.sender} sends a {kind} that the parser refuses: {verdict.error}"


class RelayFramesPass(FramesPassTheParser):
    name = "relay-frames-pass-the-parser"
    sentence = "Whatever a relay sends, the parser takes."
    from_frames = True
    catalogue = ("OT-01", "OT-02", "OT-61")
    obeyed_by = RELAY

    def is_mine(self, session: SessionView, event: FrameSent) -> bool:
        return event.sender == session.relay


class NodeFramesPass(FramesPassTheParser):
    name = "node-frames-pass-the-parser"
    sentence = "Whatever a node sends, the parser takes."
    from_frames = True
    catalogue = ("OT-01", "OT-02", "OT-27")
    obeyed_by = NODE

    def is_mine(self, session: SessionView, event: FrameSent) -> bool:
        return event.sender != session.relay and session.side == NODE


class ControllerFramesPass(FramesPassTheParser):
    name = "controller-frames-pass-the-parser"
    sentence = "Whatever a controller sends, the parser takes."
    from_frames = True
    catalogue = ("OT-01", "OT-02", "OT-28", "OT-29", "OT-30", "OT-31")
    obeyed_by = CONTROLLER

    def is_mine(self, session: SessionView, event: FrameSent) -> bool:
        return event.sender != session.relay and session.side == CONTROLLER


class RelaysSendTheirFamilies(OfRelay):
    name = "relays-send-their-families"
    sentence = (
        "A relay sends each peer the families meant for it, as relay, and what it hands on in the "
        "name of who sent it."
    )
    from_frames = True
    catalogue = ("OT-03", "OT-06", "OT-10")
    families = MESSAGE_TYPES

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        if not session.side:
            return None  # a log has not said yet whom the relay talks to
        self.exercised += 1
        family = event.frame.type
        sender = self.view.said.get("senderRole")
        towards = CONTROLLER if session.side == CONTROLLER else NODE
        from_peer = NODE if towards == CONTROLLER else CONTROLLER
        allowed = (RELAY, from_peer) if family in HANDED_ON else (RELAY,)
        if sender not in allowed:
            return f"{event.sender} sends {family} to {session.peer} as {sender}"
        kind = self.view.payload.get("type")
        shape = EVENTS.get(str(kind), MESSAGES[family]) if family == "event" else MESSAGES[family]
        if sender not in shape.SENDERS or shape.DIRECTION == CONTROLLER_TO_RELAY:
            return f"{event.sender} sends {family} as {sender}, who never sends it"
        if towards == NODE and family in ("result", "event"):
            return f"{event.sender} sends {family} to the node {session.peer}"
        if towards == CONTROLLER and family in ("command", "command_cancel"):
            return f"{event.sender} sends {family} to the controller {session.peer}"
        return None


class PeersAreHonest(OfPeers):
    """For one role."""

    families = MESSAGE_TYPES

    def judge(self, session: SessionView, event: FrameSent) -> str | None:
        self.exercised += 1
        family, sender = event.frame.type, self.view.said.get("senderRole")
        if sender != self.obeyed_by:
            return f"{event.sender} sends {family} as {sender}"
        if self.obeyed_by in MESSAGES[family].SENDERS:
            return None
        return f"{event.sender} sends {family}, which no {self.obeyed_by} sends"


class NodesAreHonest(PeersAreHonest):
    name = "nodes-are-honest"
    sentence = "A node sends only what nodes send, and says that it is one."
    from_frames = True
    catalogue = ("OT-03", "OT-06", "OT-10")
    obeyed_by = NODE


class ControllersAreHonest(PeersAreHonest):
    name = "controllers-are-honest"
    sentence = "A controller sends only what controllers send, and says that it is one."
    from_frames = True
    catalogue = ("OT-03", "OT-06")
    obeyed_by = CONTROLLER


class ErrorsHaveTheirCategory(OfRelay):
    name = "errors-have-their-category"
    sentence = "The category of an error, and whether to try again, go with its code."
    from_frames = True
    catalogue = ("OT-50",)
    families = ("error",)

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        payload = self.view.payload
        known = ERROR_CODES.get(str(payload.get("code")))
        if known is None or self.view.said.get("senderRole") != RELAY:
            return None
        self.exercised += 1
        told = payload.get("category"), payload.get("retryable") is True
        if told == (known.category, known.retryable):
            return None
        return f"{event.sender} calls {known.code} {told[0]}, retryable {told[1]}"


class AnswersKeepTheRequestId(OfRelay):
    name = "answers-keep-the-request-id"
    sentence = "A relay answers each peer under a requestId that this peer has used."
    catalogue = ("OT-04",)
    families = (
        "hello_ack", "auth_ack", "refresh_ack", "result", "error", "event", "pong",
    )  # fmt: skip

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        request_id = str(self.view.said.get("requestId"))
        self.exercised += 1
        if request_id in session.said or request_id == "unknown":
            return None
        book = self.book_of(session)
        listening = book.listening
        ask = book.asks.get(str(request_id)) or book.ended.get((session.link, str(request_id)))
        known = ask is not None and ask.session is session
        for kept in (listening.open, listening.over):
            known = known or (request_id in kept and kept[request_id].ask.session is session)
        for streams in (listening.streams, listening.past):
            known = known or (request_id in streams and streams[request_id].ask.session is session)
        leases = (*book.tabs.leases.values(), *book.tabs.ended.values())
        if known or any(one.request_id == request_id for one in leases):
            return None
        return (
            f"{event.sender} sends {event.frame.type} to {session.peer} under {request_id!r}, "
            "which it has never used"
        )


class NodesAnswerUnderTheRequestId(OfPeers):
    name = "nodes-answer-under-the-request-id"
    sentence = "A node answers under the requestId of what it was told, on the same connection."
    from_frames = True
    catalogue = ("OT-04", "OT-34", "OT-42")
    families = ("result", "error")
    obeyed_by = NODE

    def judge(self, session: SessionView, event: FrameSent) -> str | None:
        if self.view.frames_only and (event.frame.type == "error" or session.ready_us < 0):
            # It may answer what no parser takes, or what was sent before the log began: nobody
            # here has heard of that.
            return None
        self.exercised += 1
        node = self.view.node(event.sender)
        place = event.link, str(self.view.said.get("requestId"))
        if node.newest is not None or place in node.cancels:
            return None
        return f"{event.sender} answers {place[1]!r}, which it was never sent on {event.link}"
