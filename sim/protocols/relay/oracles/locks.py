"""Locks of tabs and their leases (DR-06, DR-07)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from sim.core.event import Event, FrameDelivered, FrameSent
from sim.core.invariant import Handler
from sim.protocols.relay.oracles.oracle import Owing, seconds
from sim.protocols.relay.relay.locks import granted_lease_ms
from sim.protocols.relay.view import RelayView
from sim.protocols.relay.view_records import AskView, LeaseView, SessionView

GRANTED = ("lock_acquired", "lock_renewed")
TICK_MS = 1


@attrs.define(eq=False)
class LockAsk:
    """A tab_lock or tab_unlock as it arrived, and the lease that it met."""

    session: SessionView
    family: str
    at: int
    met: LeaseView | None
    lease_ms: Any
    node_is_there: bool
    conflict_due: bool = False

    @property
    def is_mine(self) -> bool:
        """Whether it met the lease of its own identity."""
        return self.met is not None and self.met.owner == self.session.identity

    @property
    def is_foreign(self) -> bool:
        """Whether it met that of another one."""
        return self.met is not None and self.met.owner != self.session.identity


class OfLocks(Owing):
    """Looks at what the relay says of locks, with the request that it answers."""

    families = ("event", "error")

    def __init__(self, view: RelayView) -> None:
        super().__init__(view)
        self.asks: dict[tuple[str, str], LockAsk] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            **super().sorted_handlers(),
            (FrameDelivered, "tab_lock"): self._asked,
            (FrameDelivered, "tab_unlock"): self._asked,
        }

    def _asked(self, event: FrameDelivered) -> str | None:
        session, said, payload = self.view.session, self.view.said, self.view.payload
        if session is None or event.receiver != session.relay or not session.is_controller:
            return None
        book = self.book_of(session)
        place = str(payload.get("targetNodeId")), str(payload.get("tabSessionId"))
        ask = LockAsk(
            session, str(said.get("messageType")), event.at,
            book.tabs.lease(*place, event.at), payload.get("lockLeaseMs"), place[0] in book.nodes,
        )  # fmt: skip
        self.asks[session.link, str(said.get("requestId"))] = ask
        self.asked(session, str(said.get("requestId")), ask)
        if len(self.asks) > 1_024:
            del self.asks[next(iter(self.asks))]
        return None

    def asked(self, session: SessionView, request_id: str, ask: LockAsk) -> None:
        """A request has come."""

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        request_id = str(self.view.said.get("requestId"))
        # Under the same requestId something else may have come since.
        is_about_locks = session.said.get(request_id) in ("tab_lock", "tab_unlock")
        met = self.asks.get((session.link, request_id)) if is_about_locks else None
        if event.frame.type == "error":
            kind = str(self.view.payload.get("code"))
            return self.told(session, met, kind, event) if is_about_locks else None
        kind = str(self.view.payload.get("type"))
        return self.told(session, met, kind, event) if kind.startswith("lock_") else None

    def told(
        self, session: SessionView, ask: LockAsk | None, kind: str, event: FrameSent
    ) -> str | None:
        """What is wrong with this code or type of event, in answer to that."""
        raise NotImplementedError


class OneHolderPerTab(OfLocks):
    name = "one-holder-per-tab"
    sentence = (
        "A tab that is free, or whose lease has ended, goes to whoever asks; one that is held is "
        "renewed for its holder and for nobody else."
    )
    catalogue = ("OT-59", "OT-60", "OT-50")

    def told(
        self, session: SessionView, ask: LockAsk | None, kind: str, event: FrameSent
    ) -> str | None:
        if ask is None or ask.family != "tab_lock":
            return None
        if kind in GRANTED:
            self.exercised += 1
            if ask.met is not None and ask.is_foreign:
                return f"{event.sender} gives {session.peer} a tab that {ask.met.owner} holds"
            if (kind == "lock_renewed") != ask.is_mine:
                return f"{event.sender} tells {session.peer} {kind} of a tab that it {_had(ask)}"
        elif kind == "tab_locked":
            self.exercised += 1
            if not ask.is_foreign:
                return f"{event.sender} refuses {session.peer} a tab that nobody else holds"
        elif kind == "node_offline" and ask.node_is_there:
            return f"{event.sender} calls a node offline that is there"
        return None


def _had(ask: LockAsk) -> str:
    return "held" if ask.is_mine else "did not hold"


class LocksAreAnswered(OfLocks):
    name = "locks-are-answered"
    sentence = "tab_lock and tab_unlock are answered at once; a lock of an absent node is refused."
    catalogue = ("OT-50", "OT-59")

    def asked(self, session: SessionView, request_id: str, ask: LockAsk) -> None:
        text = f"{session.relay} never answers the {ask.family} {request_id!r} of {session.peer}"
        self.owe(session, request_id, text)

    def told(
        self, session: SessionView, ask: LockAsk | None, kind: str, event: FrameSent
    ) -> str | None:
        request_id = str(self.view.said.get("requestId"))
        if ask is None or kind in ("lock_expired", "lock_conflict"):
            return None
        self.exercised += 1
        self.pay(session, request_id)
        if kind in GRANTED and not ask.node_is_there:
            return f"{event.sender} locks a tab of a node that is not there for {session.peer}"
        return None


class UnlockedByTheHolder(OfLocks):
    name = "unlocked-by-the-holder"
    sentence = "Only the holder gives a tab back; anybody else is told lock_not_held."
    catalogue = ("OT-62",)

    def told(
        self, session: SessionView, ask: LockAsk | None, kind: str, event: FrameSent
    ) -> str | None:
        if ask is None or ask.family != "tab_unlock":
            return None
        self.exercised += 1
        if kind == "lock_released" and not ask.is_mine:
            return f"{event.sender} lets {session.peer} give back a tab that it does not hold"
        if kind == "lock_not_held" and ask.is_mine:
            return f"{event.sender} does not let {session.peer} give its own tab back"
        return None


class LockEventsCarryTheLease(OfLocks):
    name = "lock-events-carry-the-lease"
    sentence = (
        "Lock events name the holder by its identity, its lease as granted, and when it ends: the "
        "time of the grant and the lease."
    )
    from_frames = True
    catalogue = ("OT-61",)

    def told(
        self, session: SessionView, ask: LockAsk | None, kind: str, event: FrameSent
    ) -> str | None:
        if event.frame.type == "error":
            return None
        self.exercised += 1
        payload = self.view.payload
        names = "lockOwnerControllerId", "lockLeaseMs", "lockExpiresAt"
        owner, lease, expires = told = tuple(payload.get(name) for name in names)
        if None in told:
            return f"{event.sender} tells {session.peer} {kind} without {names[told.index(None)]}"
        if kind in GRANTED:
            if not session.identity and self.view.frames_only:
                return None
            return self._granted(session, ask, event, owner, lease, expires)
        if self.view.frames_only:
            return None  # which lease a request has met is known roughly only
        met = self._met(ask)
        if met is None:
            return None
        if (owner, lease, expires) == (met.owner, met.lease_ms, met.expires_ms):
            return None
        return f"{event.sender} tells {session.peer} {kind} with other data than the lease's"

    def _met(self, ask: LockAsk | None) -> LeaseView | None:
        is_end = self.view.payload.get("type") == "lock_expired"
        if ask is not None and ask.met is not None and not is_end:
            return ask.met
        session, payload = self.view.session, self.view.payload
        assert session is not None
        tabs = self.book_of(session).tabs
        place = str(payload.get("targetNodeId")), str(payload.get("tabSessionId"))
        return tabs.ended.get(place) if is_end else tabs.leases.get(place)

    def _granted(
        self, session: SessionView, ask: LockAsk | None, event: FrameSent, owner: Any, lease: Any,
        expires: Any,
    ) -> str | None:  # fmt: skip
        if owner != session.identity:
            return f"{event.sender} calls {session.identity} {owner} when it grants the lock"
        limits = self.view.plan.limits
        if ask is not None:
            asked = ask.lease_ms if isinstance(ask.lease_ms, int | float) else None
            due = granted_lease_ms(asked, limits.default_lease_ms, limits.most_lease_ms)
            if lease != due:
                return f"{event.sender} grants {session.peer} {lease} ms, where {due} are due"
        now = self.book_of(session).now_ms(event.at)
        grace = self.view.grace_us(event.sender) // 1_000 + TICK_MS
        if not isinstance(expires, int | float):
            return f"{event.sender} says that the lease of {session.peer} ends at {expires!r}"
        if abs(expires - now - lease) <= grace:
            return None
        return f"{event.sender} says that the lease of {session.peer} ends {expires - now} ms ahead"


class ConflictsAreTold(Owing):
    name = "conflicts-are-told"
    sentence = "tab_locked is followed by the event lock_conflict under the same requestId."
    catalogue = ("OT-50", "OT-61")
    families = ("error", "event")

    def __init__(self, view: RelayView) -> None:
        super().__init__(view)
        self._due: dict[tuple[str, str], tuple[SessionView, int]] = {}

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        place = session.link, str(self.view.said.get("requestId"))
        payload = self.view.payload
        if payload.get("code") == "tab_locked" and event.frame.type == "error":
            self.exercised += 1
            self._due[place] = session, event.at
            text = f"{event.sender} never says who is in the way of {place[1]!r}"
            self.owe(session, place[1], text, event.at)
        elif payload.get("type") == "lock_conflict":
            due = self._due.pop(place, None)
            self.pay(session, place[1])
            if due is None:
                return f"{event.sender} tells {session.peer} of a conflict that it had not"
            if event.at - due[1] > self.view.grace_us(event.sender):
                return f"{event.sender} tells of a conflict {seconds(event.at - due[1])} late"
        return None


class LeasesEndByThemselves(Owing):
    name = "leases-end-by-themselves"
    sentence = "When a lease ends its holder is told lock_expired, then and not before."
    catalogue = ("OT-60",)
    families = ("event",)

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        kind, payload = self.view.payload.get("type"), self.view.payload
        place = str(payload.get("targetNodeId")), str(payload.get("tabSessionId"))
        if kind in GRANTED:
            held = self.book_of(session).tabs.leases.get(place)
            if held is not None and held.n == event.n:
                text = f"{event.sender} never tells {session.peer} that its lease has ended"
                self._pay_the_last(session, place)
                self.owe(session, place, text, held.ends_us + 1_000)
        elif kind == "lock_released":
            self._pay_the_last(session, place)
        if kind != "lock_expired":
            return None
        self.exercised += 1
        self.pay(session, place)
        tabs = self.book_of(session).tabs
        lease = tabs.before
        if lease is None or lease.session is not session:
            return f"{event.sender} tells {session.peer} of the end of a lease that it has not"
        late = event.at - lease.ends_us
        if late < -1_000:
            return f"{event.sender} ends the lease of {session.peer} {seconds(-late)} early"
        if late > 1_000 + self.view.grace_us(event.sender):
            return f"{event.sender} ends the lease of {session.peer} {seconds(late)} late"
        if self.view.said.get("requestId") == lease.request_id:
            return None
        return f"{event.sender} ends a lease under another requestId than its last tab_lock"

    def _pay_the_last(self, session: SessionView, place: tuple[str, str]) -> None:
        """The lease that was there is no more: nobody is to be told of its end."""
        before = self.book_of(session).tabs.before
        if before is not None:
            self.pay(before.session, place)
