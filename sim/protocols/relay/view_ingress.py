"""What a frame must be answered with before anything is done about it (DR-03, DR-22, DR-24)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import attrs

from sim.core.event import FrameDelivered, FrameSent
from sim.core.op import OpaqueFrame
from sim.protocols.relay.constants import NODE
from sim.protocols.relay.frames import EVENTS, MESSAGES
from sim.protocols.relay.parse import Opened, RelayRefused, open_relay_frame, payload_fault
from sim.protocols.relay.relay.sessions import Grant
from sim.protocols.relay.view_records import SessionView
from sim.wire.message import Message

if TYPE_CHECKING:
    from sim.protocols.relay.view_book import RelayBook

CLOSE_OWNED: Final = "primitive.tab.close_owned"
UNTIMELY: Final = ("invalid_timestamp", "timestamp_out_of_window")
REPLAYED: Final = "replay_rejected"
KEPT: Final = 1_024


@attrs.define(eq=False)
class Arrival:
    """A frame at the relay. ``before`` and ``after``: the code that it must be refused with
    by what is looked at before and after its time; "" for none. ``clock_ms`` is what the
    relay's clock was ahead of the run's then, 0: not known. ``is_replayed``: its nonce
    was used before. ``token`` is what it shows, "" for nothing."""

    session: SessionView
    request_id: str
    n: int
    at: int
    ts: int | None
    before: str
    after: str
    family: str = ""
    is_judged: bool = True
    is_replayed: bool = False
    clock_ms: int = 0
    answers: int = 0
    token: str = ""


@attrs.frozen
class Ruling:
    """The first answer to a frame: what it had to be refused with, and what it got."""

    arrival: Arrival
    due: str
    got: str


class Ingress:
    """Of one relay. ``ruling`` is about the newest frame that it has sent, None for none."""

    def __init__(self, book: RelayBook) -> None:
        self.book = book
        self.arrivals: dict[int, Arrival] = {}
        self.owed: dict[int, Arrival] = {}
        self.ruling: Ruling | None = None

    def arrived(self, session: SessionView, frame: Any, event: FrameDelivered) -> bool:
        """A frame has come; whether its envelope can be read."""
        opened = _opened(frame)
        if isinstance(opened, RelayRefused):
            arrival = Arrival(
                session, opened.request_id, event.n, event.at, None, opened.code, "", "", False
            )
            self._keep(arrival)
            return False
        before, after = self._due(session, opened)
        is_judged = self.book.plan.limits.frames_per_minute is None
        place = session, opened.request_id, event.n, event.at
        self._keep(Arrival(*place, opened.ts, before, after, opened.type, is_judged))
        return True

    def _keep(self, arrival: Arrival) -> None:
        arrival.clock_ms = self.book.clock_ms
        self.arrivals[arrival.n] = arrival
        if arrival.before or arrival.after:
            self.owed[arrival.n] = arrival
        if len(self.arrivals) > KEPT:
            del self.arrivals[next(iter(self.arrivals))]

    def said(self, session: SessionView, wire: Mapping[str, Any], event: FrameSent) -> None:
        """The relay has sent a frame, because of the one that is its cause."""
        self.ruling = None
        arrival = self.arrivals.get(event.cause)
        if arrival is None:
            return
        arrival.answers += 1
        self.owed.pop(arrival.n, None)
        if arrival.answers > 1 and not arrival.before:
            return
        payload = wire.get("payload")
        got = "effect"
        if wire.get("messageType") == "error" and session is arrival.session:
            got = str(payload.get("code")) if isinstance(payload, dict) else ""
            if wire.get("requestId") != arrival.request_id:
                got = "effect"
        if arrival.answers > 1:
            got = "effect"
        due = arrival.before or self._untimely(arrival)
        if not due and arrival.after:
            due = REPLAYED if arrival.is_replayed else arrival.after
        arrival.before = due
        self.ruling = Ruling(arrival, due, got)

    def is_about_something_else(self, session: SessionView, request_id: str, cause: int) -> bool:
        """Whether an error refuses a frame that only has a command's requestId: one of another
        family, or a command that is bad itself. That is the end of that frame alone (DR-08)."""
        arrival = self.arrivals.get(cause)
        if arrival is None or arrival.session is not session or arrival.request_id != request_id:
            return False
        return arrival.family != "command" or not self.is_good(arrival)

    def shown(self, session: SessionView, request_id: str, cause: int) -> tuple[str, str]:
        """Family and token of the frame that is answered; under one requestId may be several."""
        arrival = self.arrivals.get(cause)
        if arrival is not None and arrival.session is session:
            return arrival.family, arrival.token
        return session.said.get(request_id, ""), session.tokens.get(request_id, "")

    def burns(self, arrival: Arrival) -> bool:
        """Whether a command's nonce is burnt, be its shape as it may (DR-23)."""
        return not (arrival.before or self._untimely(arrival))

    def is_good(self, arrival: Arrival) -> bool:
        """Whether nothing is wrong with a frame, as far as the relay's clock is known."""
        return not (arrival.before or arrival.after or self._untimely(arrival))

    def _untimely(self, arrival: Arrival) -> str:
        if arrival.ts is None:
            return UNTIMELY[0]
        clock_ms = arrival.clock_ms or self.book.clock_ms
        if not clock_ms:
            return ""
        off = abs(clock_ms + arrival.at // 1_000 - arrival.ts)
        return UNTIMELY[1] if off > self.book.plan.limits.replay_window_ms else ""

    def _due(self, session: SessionView, opened: Opened) -> tuple[str, str]:
        """What is wrong, but for the time."""
        family = opened.type
        if family == "hello":
            return "", _shape(opened) or ("invalid_hello" * session.is_ready)
        if not session.role:
            return "not_initialized", ""
        if family != "auth" and not session.is_ready:
            return "unauthenticated", ""
        if opened.sender != session.role:
            return "sender_role_mismatch", ""
        if session.role not in MESSAGES[family].SENDERS:
            return "forbidden_role", ""
        if family == "command":
            return self._unauthorised(session, opened), _shape(opened)
        shape = _shape(opened)
        if not shape and family == "event":
            kind = EVENTS.get(str(opened.wire["payload"].get("type")))
            shape = "forbidden_role" if kind is not None and NODE not in kind.SENDERS else ""
        return "", shape

    def _unauthorised(self, session: SessionView, opened: Opened) -> str:
        payload = opened.wire["payload"]
        action, nonce = payload.get("action"), payload.get("replayNonce")
        scopes = Grant(session.role, session.identity, session.scopes)
        if not isinstance(action, str) or action == CLOSE_OWNED or not scopes.allows(action):
            return "forbidden_action"
        return "" if isinstance(nonce, str) and nonce else "missing_replay_nonce"


def _shape(opened: Opened) -> str:
    """What is wrong with a payload; a twin's own, too: it says what its diagram tells it to."""
    refused = payload_fault(opened)
    return "" if refused is None else refused.code


def _opened(frame: Any) -> Any:
    if isinstance(frame, OpaqueFrame):
        return open_relay_frame(frame.text)
    if isinstance(frame, Message) and frame.is_typed:
        return Opened(frame.type, frame.id, frame.sender, int(frame.ts), frame.wire, frame, False)
    try:
        return open_relay_frame(frame.wire)
    except Exception:  # a puppet's frame may hold anything, even what has no JSON form
        return open_relay_frame(None)
