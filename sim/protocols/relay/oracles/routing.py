"""Where commands go, and where their answers go (section 路由、排队和可靠性)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.core.event import Event, FrameDelivered, FrameSent
from sim.core.invariant import Handler
from sim.protocols.relay.constants import OWNER_FIELD, RELAY
from sim.protocols.relay.frames import EVENTS
from sim.protocols.relay.frames.commands import TAB_OPEN
from sim.protocols.relay.oracles.oracle import SECOND_US, OfRelay, Owing, shown
from sim.protocols.relay.view import RelayView
from sim.protocols.relay.view_records import ENDS, AskView, SessionView

OWN = ("primitive.tab.close_owned", "listener.unsubscribe")
KEPT = 1_024


class OneNodePerCommand(OfRelay):
    name = "one-node-per-command"
    sentence = (
        "A command goes to one session, once: that which has proved to be its node, and only if a "
        "controller has sent it; the relay's own are cleanups."
    )
    catalogue = ("OT-10", "OT-28", "OT-41")
    families = ("command",)

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        self.exercised += 1
        payload = self.view.payload
        action = payload.get("action")
        if self.view.said.get("senderRole") == RELAY:
            return None if action in OWN else f"{event.sender} commands {action} on its own"
        if ask is None:
            if self.book_of(session).stray is not None:
                return None  # see given-up-work-never-runs
            return f"{event.sender} sends {action}, which no controller has asked for"
        if not session.is_node or session.identity != ask.node_id:
            return f"{event.sender} sends {shown(ask)} for {ask.node_id} to {session.peer}"
        if ask.times_sent > 1 and ask.node is not session:
            return f"{event.sender} sends {shown(ask)} to a second session"
        if self.book_of(session).nodes.get(ask.node_id) is session:
            return None
        return f"{event.sender} sends {shown(ask)} to a session that {ask.node_id} has left"


class CommandsGoAsTheyCame(OfRelay):
    name = "commands-go-as-they-came"
    sentence = "A relay changes nothing of a command but the owner of a new tab."
    from_frames = True
    catalogue = ("OT-04", "OT-06", "OT-28", "OT-30", "OT-64")
    families = ("command",)

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        if ask is None or self.view.said.get("senderRole") == RELAY or self.may_be_another(ask):
            return None
        self.exercised += 1
        said, came = self.view.said, ask.wire
        if ask.action == TAB_OPEN:
            said, came = _without_owner(said), _without_owner(came)
        if said == came:
            return None
        return f"{event.sender} hands {shown(ask)} on with other contents"


def _without_owner(wire: Mapping[str, Any]) -> Mapping[str, Any]:
    payload = wire.get("payload")
    inner = payload.get("payload") if isinstance(payload, dict) else None
    if not isinstance(payload, dict) or not isinstance(inner, dict):
        return wire
    rest = {name: value for name, value in inner.items() if name != OWNER_FIELD}
    return {**wire, "payload": {**payload, "payload": rest}}


class OwnersAreNamedByTheRelay(OfRelay):
    name = "owners-are-named-by-the-relay"
    sentence = (
        "Each new tab is handed to its node with the identity of who asked, whatever it said."
    )
    catalogue = ("OT-55",)
    families = ("command",)

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        if ask is None or ask.action != TAB_OPEN:
            return None
        self.exercised += 1
        inner = self.view.payload.get("payload")
        owner = inner.get(OWNER_FIELD) if isinstance(inner, dict) else None
        if owner == ask.session.identity:
            return None
        return f"{event.sender} names {owner!r} as owner of a tab of {ask.session.identity}"


class OriginGetsTheAnswer(OfRelay):
    name = "origin-gets-the-answer"
    sentence = (
        "The answer of a command is that of the session that runs it, word for word, and goes to "
        "the session that asked."
    )
    catalogue = ("OT-11", "OT-42")
    families = ("result", "error")

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        said = self.view.said
        by_relay = said.get("senderRole") == RELAY
        if by_relay and said.get("messageType") == "error":
            return None
        self.exercised += 1
        kind, request_id = event.frame.type, said.get("requestId")
        if by_relay:
            return f"{event.sender} makes up a result of {request_id!r}"
        if ask is None or ask.session is not session:
            return f"{event.sender} sends {session.peer} the {kind} of {request_id!r}, not its own"
        if ask.answer is not None and ask.answer == said:
            return None
        return f"{event.sender} ends {shown(ask)} with a {kind} that its node has not sent"


class OneTerminalPerCommand(Owing):
    name = "one-terminal-per-command"
    sentence = (
        "Every command ends with one terminal frame at its controller, as long as that is there; "
        "no event ends it."
    )
    from_frames = True
    catalogue = ("OT-11", "OT-14", "OT-16", "OT-48")
    families = ("result", "error", "command", "event")

    def __init__(self, view: RelayView) -> None:
        super().__init__(view)
        self._ended_by: dict[int, str] = {}
        self._times: dict[tuple[str, str], int] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {**super().sorted_handlers(), (FrameDelivered, "command"): self._arrived}

    def _arrived(self, event: FrameDelivered) -> str | None:
        ask = self.view.ask
        if self.view.frames_only:
            place = event.link, str(self.view.said.get("requestId"))
            self._times[place] = self._times.pop(place, 0) + 1
            _forget(self._times)
        elif ask is not None and ask.n == event.n:
            text = f"{event.receiver} never says what becomes of {shown(ask)}"
            self.owe(ask.session, ask.n, text)
        return None

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        if ask is None:
            return None
        if self.view.frames_only:
            return self._seen(session, ask, event)
        if event.frame.type == "event" and self.view.payload.get("type") == "duplicate_ignored":
            self.pay(session, event.cause)
            return None
        if ask.accepted_n == event.n:
            text = f"{event.sender} never ends {shown(ask)}"
            self.owe(ask.session, ask.n, text, ask.deadline_us + SECOND_US)
        if not ask.terminals or event.frame.type in ("event", "command"):
            return None
        self.pay(ask.session, ask.n)
        self.exercised += 1
        if ask.terminals == 1:
            return None
        code = self.view.payload.get("code", event.frame.type)
        return f"{event.sender} ends {shown(ask)} with {code}, after {ask.end}"

    def _seen(self, session: SessionView, ask: AskView, event: FrameSent) -> str | None:
        """By frames alone: two ends of what was accepted. Refusals may be another frame's, and
        of two commands with one requestId it cannot be told which has ended."""
        code = str(self.view.payload.get("code", event.frame.type))
        is_refusal = self.view.said.get("senderRole") == RELAY and code not in ENDS
        is_end = event.frame.type == "result" or (event.frame.type == "error" and not is_refusal)
        if not is_end or self._times.get((session.link, ask.request_id)) != 1:
            return None
        self.exercised += 1
        before = self._ended_by.setdefault(ask.n, "")
        self._ended_by[ask.n] = before or code
        _forget(self._ended_by)
        return f"{event.sender} ends {shown(ask)} with {code}, after {before}" if before else None


def _forget(kept: dict[Any, Any]) -> None:
    if len(kept) > KEPT:
        del kept[next(iter(kept))]


class ProgressReachesTheOwner(Owing):
    name = "progress-reaches-the-owner"
    sentence = (
        "What a node tells of a running command goes to its controller as it came, until the "
        "terminal frame, and to nobody else."
    )
    catalogue = ("OT-12", "OT-42")
    families = ("event",)

    def __init__(self, view: RelayView) -> None:
        super().__init__(view)
        self._open: dict[int, tuple[AskView, Mapping[str, Any]]] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {**super().sorted_handlers(), (FrameDelivered, "event"): self._arrived}

    def _arrived(self, event: FrameDelivered) -> str | None:
        session = self.view.session
        if session is None or event.receiver != session.relay or not session.is_node:
            return None
        book = self.book_of(session)
        arrival = book.ingress.arrivals.get(event.n)
        ask = book.asks.get(str(self.view.said.get("requestId")))
        if arrival is None or not book.ingress.is_good(arrival):
            return None
        if ask is None or ask.node is not session or not ask.is_at_node or not ask.is_owed:
            return None
        if self.view.payload.get("type") not in EVENTS:
            self._open[event.n] = ask, self.view.said
            kind = self.view.payload.get("type")
            self.owe(ask.session, event.n, f"{event.receiver} swallows {kind} of {shown(ask)}")
        return None

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        if self.view.said.get("senderRole") == RELAY:
            return None
        if self.view.payload.get("type") in EVENTS:
            return None
        self.exercised += 1
        due = self._open.pop(event.cause, None)
        kind = self.view.payload.get("type")
        if due is None:
            return f"{event.sender} sends {session.peer} {kind} of what does not run for it"
        self.pay(due[0].session, event.cause)
        if due[0].session is not session:
            return f"{event.sender} sends {session.peer} {kind} of {shown(due[0])}"
        if due[1] == self.view.said:
            return None
        return f"{event.sender} changes {kind} of {shown(due[0])} on its way"
