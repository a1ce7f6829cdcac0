"""What the loss of a node or of a controller ends, and what it leaves (DR-04, DR-05, DR-14)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sim.core.event import ConnectionClosed, Event, FrameSent
from sim.core.invariant import Handler
from sim.protocols.relay.constants import CONTROLLER, RELAY
from sim.protocols.relay.oracles.oracle import OfRelay, Owing, seconds, shown
from sim.protocols.relay.view import RelayView
from sim.protocols.relay.view_book import RelayBook
from sim.protocols.relay.view_records import AskView, SessionView

LOST = "node_disconnected"
CLOSE_OWNED = "primitive.tab.close_owned"


class NodeLossEndsItsWork(OfRelay):
    name = "node-loss-ends-its-work"
    sentence = (
        "What ran or waited at a node session ends with node_disconnected when that is lost, at "
        "once: first what ran, then what waited, each in order of arrival."
    )
    catalogue = ("OT-49",)
    families = ("error", "result")

    def __init__(self, view: RelayView) -> None:
        super().__init__(view)
        self._due: list[AskView] = []

    def handlers(self) -> Mapping[type[Event], Handler]:
        return {ConnectionClosed: self._closed}

    def _closed(self, event: ConnectionClosed) -> str | None:
        session = self.view.session
        if session is not None and event.host == session.relay and session.ready_us >= 0:
            if session.role == CONTROLLER:
                self._due = [ask for ask in self._due if ask.session is not session]
            else:
                self._due += self.book_of(session).lost
        return None

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        code = self.view.payload.get("code", event.frame.type)
        by_relay = self.view.said.get("senderRole") == RELAY
        if ask is None or not by_relay or not ask.was_accepted:
            return None
        if ask.lost_n < 0:
            if code != LOST:
                return None
            return f"{event.sender} ends {shown(ask)} with {code}, though its node is there"
        if ask not in self._due:
            return None
        self.exercised += 1
        place = self._due.index(ask)
        del self._due[place]
        if code != LOST:
            return f"{event.sender} ends {shown(ask)} with {code}, though its node was lost"
        late = event.at - ask.lost_us
        if late > self.view.grace_us(event.sender):
            return f"{event.sender} ends {shown(ask)} {seconds(late)} after the loss of its node"
        if not place or self._due[0].lost_n != ask.lost_n:
            return None
        return f"{event.sender} ends {shown(ask)} before {shown(self._due[0])}"

    def at_end(self) -> Iterator[str]:
        for ask in self._due:
            if not ask.terminals and self.can_still_say(ask.session):
                yield f"{ask.session.relay} never ends {shown(ask)}, whose node was lost"


class DisplacedSocketsAreClosed(OfRelay):
    name = "displaced-sockets-are-closed"
    sentence = "When a node has shown its token on a new socket, its older one is closed."
    catalogue = ("OT-41", "OT-49")
    families = ("auth_ack",)

    def __init__(self, view: RelayView) -> None:
        super().__init__(view)
        self._older: dict[str, tuple[SessionView, int]] = {}

    def handlers(self) -> Mapping[type[Event], Handler]:
        return {ConnectionClosed: self._closed}

    def _closed(self, event: ConnectionClosed) -> str | None:
        session = self.view.session
        if session is None or event.host != session.relay:
            return None
        older = self._older.pop(event.link, None)
        if older is None or event.at - older[1] <= self.view.grace_us(event.host):
            return None
        return f"{event.host} closes {event.link} {seconds(event.at - older[1])} late"

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        if not session.is_node or session.ready_n != event.n:
            return None
        self.exercised += 1
        rival = self.book_of(session).rival
        if rival is not None and rival.is_open and rival is not session:
            self._older[rival.link] = rival, event.at
        return None

    def at_end(self) -> Iterator[str]:
        for session, at in self._older.values():
            if self.can_still_say(session) and self.view.now > at:
                yield f"{session.relay} keeps {session.link}, though {session.identity} has left it"


class CleanupFollowsTheLastSession(Owing):
    name = "cleanup-follows-the-last-session"
    sentence = (
        "When the last session of an identity ends, closed or silent, every node that is there is "
        "told close_owned at once, and one that has its tabs and was away when it is back."
    )
    catalogue = ("OT-54", "OT-57")
    families = ("command", "auth_ack")

    def _over(self, event: ConnectionClosed) -> str | None:
        found = super()._over(event)
        session = self.view.session
        if session is not None and event.host == session.relay:
            self._note(self.book_of(session), event.n)
        return found

    def _note(self, book: RelayBook, n: int) -> None:
        """What this very event has made due."""
        for one in book.tabs.owed:
            if one.n == n:
                text = f"{book.relay} does not tell {one.node.peer} that {one.identity} is gone"
                self.owe(one.node, one.identity, text, one.at)

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        if event.frame.type == "auth_ack":
            self._note(self.book_of(session), event.n)
            return None
        if self.view.payload.get("action") != CLOSE_OWNED:
            return None
        owed = self.book_of(session).tabs.late
        if owed is None:
            return None
        self.exercised += 1
        self.pay(session, owed.identity)
        late = event.at - owed.at
        if late <= self.view.grace_us(event.sender):
            return None
        return f"{event.sender} cleans up after {owed.identity} {seconds(late)} late"


class CleanupSparesTheLiving(OfRelay):
    name = "cleanup-spares-the-living"
    sentence = "close_owned never names an identity that has a live session."
    catalogue = ("OT-58",)
    families = ("command",)

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        payload = self.view.payload
        if payload.get("action") != CLOSE_OWNED or self.view.said.get("senderRole") != RELAY:
            return None
        self.exercised += 1
        inner = payload.get("payload")
        identity = inner.get("controllerClientId") if isinstance(inner, dict) else None
        if not isinstance(identity, str) or not identity:
            return f"{event.sender} sends close_owned for nobody"
        if identity not in self.book_of(session).live:
            return None
        return f"{event.sender} has the tabs of {identity} closed, which has a live session"


class ErrandsHaveTheirOwnId(OfRelay):
    name = "errands-have-their-own-id"
    sentence = "The relay's own commands have a requestId that nothing else has, and no nonce."
    from_frames = True
    catalogue = ("OT-04", "OT-10")
    families = ("command",)

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        if self.view.said.get("senderRole") != RELAY:
            return None
        self.exercised += 1
        request_id = str(self.view.said.get("requestId"))
        book = self.book_of(session)
        if request_id in book.asks or request_id in book.listening.open:
            return f"{event.sender} sends its own command under {request_id!r}, which is in use"
        if "replayNonce" in self.view.payload:
            return f"{event.sender} sends its own command with a nonce"
        return None
