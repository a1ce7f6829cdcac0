"""Who is at the other end of a connection, and whether it still is (DR-01, DR-03, DR-10, DR-16)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sim.core.event import Acted, ConnectionClosed, Event, FrameDelivered, FrameSent
from sim.core.invariant import Handler
from sim.protocols.relay.acts import SwitchPings
from sim.protocols.relay.constants import CONTROLLER, NODE, RELAY
from sim.protocols.relay.oracles.oracle import SECOND_US, OfRelay, Owing, RelayInvariant, seconds
from sim.protocols.relay.view import RelayView
from sim.protocols.relay.view_records import AskView, SessionView

PATIENCE_US = 10 * SECOND_US


class HellosAreAcked(Owing):
    name = "hellos-are-acked"
    sentence = "A good hello is answered by hello_ack, with the heartbeat that the relay keeps."
    catalogue = ("OT-07",)
    families = ("hello_ack", "error")

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {**super().sorted_handlers(), (FrameDelivered, "hello"): self._arrived}

    def _arrived(self, event: FrameDelivered) -> str | None:
        session = self.view.session
        if session is not None and event.receiver == session.relay:
            arrival = self.book_of(session).ingress.arrivals.get(event.n)
            if arrival is not None and self.book_of(session).ingress.is_good(arrival):
                id = arrival.request_id
                text = f"{session.relay} never acks the hello {id!r} of {session.peer}"
                self.owe(session, id, text)
        return None

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        request_id = str(self.view.said.get("requestId"))
        self.pay(session, request_id)
        if event.frame.type == "error":
            return None  # whether that is right is judged at the ingress
        self.exercised += 1
        if session.said.get(request_id) != "hello":
            return f"{event.sender} acks a hello {request_id!r} that {session.peer} never said"
        beat = self.view.payload.get("heartbeatIntervalMs")
        if beat == self.view.plan.limits.heartbeat_interval_ms:
            return None
        return f"{event.sender} names a heartbeat of {beat} ms, which it does not keep"


class TokensOpenDoors(OfRelay):
    name = "tokens-open-doors"
    sentence = (
        "auth_ack goes to who has shown a good token for its role, and names the one that the "
        "token names; a good token is not refused."
    )
    catalogue = ("OT-08", "OT-09")
    families = ("auth_ack", "error")

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        view = self.view
        request_id, ingress = str(view.said.get("requestId")), self.book_of(session).ingress
        family, token = ingress.shown(session, request_id, event.cause)
        if not view.plan.tokens or (family != "auth" and event.frame.type == "error"):
            return None
        if event.frame.type == "error":
            return self._refused(session, token, event)
        self.exercised += 1
        grant = view.grant(token)
        if grant is None:
            return f"{event.sender} lets {session.peer} in with the token {token!r}"
        if not grant.is_good_at(self.book_of(session).now_ms(event.at)):
            return f"{event.sender} lets {session.peer} in with a token that has expired"
        if view.is_removed(grant.role, grant.identity):
            return f"{event.sender} lets {session.peer} in, though {grant.identity} was removed"
        if grant.role != view.payload.get("role"):
            return f"{event.sender} lets a {grant.role} in as {view.payload.get('role')}"
        named = view.payload.get("nodeId" if grant.role == NODE else "controllerId")
        if named == (grant.identity or session.greeted_node):
            return None
        return f"{event.sender} calls {session.peer} {named!r}, its token {grant.identity!r}"

    def _refused(self, session: SessionView, token: str, event: FrameSent) -> str | None:
        if self.view.payload.get("code") != "invalid_access_token":
            return None
        self.exercised += 1
        grant, clock = self.view.grant(token), self.book_of(session).now_ms(event.at)
        if grant is None or not grant.is_good_at(clock):
            return None
        if self.view.is_removed(grant.role, grant.identity):
            return None
        return f"{event.sender} refuses the good token {token!r} of {session.peer}"


class RefreshesRenew(OfRelay):
    name = "refreshes-renew"
    sentence = "refresh_ack goes to who has shown a refresh token of its own, with a new token."
    catalogue = ("OT-09",)
    families = ("refresh_ack",)

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        self.exercised += 1
        request_id, ingress = str(self.view.said.get("requestId")), self.book_of(session).ingress
        _, token = ingress.shown(session, request_id, event.cause)
        grant = self.view.plan.refresh_tokens.get(token)
        if grant is None and not self.view.plan.refresh_tokens:
            return None
        if grant is None or (grant.role, grant.identity) != (session.role, session.identity):
            whose = "nobody" if grant is None else grant.identity
            return (
                f"{event.sender} renews for {session.peer} ({session.identity}) a token of {whose}"
            )
        if not grant.is_good_at(self.book_of(session).now_ms(event.at)):
            return f"{event.sender} renews for {session.peer} by a token that has expired"
        made = self.view.payload.get("accessToken")
        if made in self.view.plan.tokens:
            return f"{event.sender} renews {session.peer} with a token that was there before"
        return None


class PingsAreAnswered(RelayInvariant):
    """For one kind of host: a ping gets a pong under its requestId while the link stands."""

    def __init__(self, view: RelayView) -> None:
        super().__init__(view)
        self._open: dict[tuple[str, str], tuple[str, int]] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameDelivered, "ping"): self._asked, (FrameSent, "pong"): self._answered}

    def is_mine(self, session: SessionView, host: str) -> bool:
        """Whether this host is judged."""
        return host != session.relay and session.lane == self.obeyed_by

    def _asked(self, event: FrameDelivered) -> str | None:
        session = self.view.session
        if session is None or not self.is_mine(session, event.receiver):
            return None
        if event.receiver == session.relay:
            arrival = self.book_of(session).ingress.arrivals.get(event.n)
            if arrival is None or not self.book_of(session).ingress.is_good(arrival):
                return None
        self._open[event.link, str(self.view.said.get("requestId"))] = event.receiver, event.at
        return None

    def _answered(self, event: FrameSent) -> str | None:
        session = self.view.session
        if session is None or not self.is_mine(session, event.sender):
            return None
        self.exercised += 1
        request_id = str(self.view.said.get("requestId"))
        if self._open.pop((event.link, request_id), None) is not None:
            return None
        if self.view.frames_only:
            return None
        return f"{event.sender} sends a pong {request_id!r} that no ping has asked for"

    def at_end(self) -> Iterator[str]:
        for (link, request_id), (host, at) in self._open.items():
            stands = link in self.view.sessions and host in self.view.up
            if stands and self.view.now - at > PATIENCE_US + self.view.grace_us(host):
                yield f"{host} never answers the ping {request_id!r} on {link}"


class RelayAnswersPings(PingsAreAnswered):
    name = "relay-answers-pings"
    sentence = "A relay answers a ping by a pong with its requestId."
    catalogue = ("OT-04", "OT-13")
    obeyed_by = RELAY

    def is_mine(self, session: SessionView, host: str) -> bool:
        return host == session.relay


class NodesAnswerPings(PingsAreAnswered):
    name = "nodes-answer-pings"
    sentence = "A node answers a ping by a pong with its requestId."
    catalogue = ("OT-13",)
    obeyed_by = NODE


class ControllersAnswerPings(PingsAreAnswered):
    name = "controllers-answer-pings"
    sentence = "A controller answers a ping by a pong with its requestId."
    catalogue = ("OT-13",)
    obeyed_by = CONTROLLER


class SilenceEndsSessions(RelayInvariant):
    name = "silence-ends-sessions"
    sentence = (
        "A session ends exactly when nothing was heard for three heartbeats, whatever was sent to "
        "it; one that shows no token ends ten seconds after its opening."
    )
    catalogue = ("OT-13", "OT-57", "OT-08")
    obeyed_by = RELAY

    def handlers(self) -> Mapping[type[Event], Handler]:
        return {ConnectionClosed: self._closed}

    def _closed(self, event: ConnectionClosed) -> str | None:
        session = self.view.session
        if session is None or event.host != session.relay:
            return None
        self.exercised += 1
        heard = max(session.heard_us, session.noise_us)
        due = self._due(session, heard)
        grace = self.view.grace_us(session.relay) + 1_000
        if event.at > due + grace:
            return (
                f"{session.relay} ends the session of {session.peer} {seconds(event.at - due)} late"
            )
        early = self._due(session, session.heard_us)
        excused = self._is_displaced(session) or self.view.is_removed(
            session.role, session.identity
        )
        if event.by != session.relay or event.at >= early or excused:
            return None
        return (
            f"{session.relay} ends the session of {session.peer} "
            f"{seconds(event.at - session.heard_us)} after its last frame"
        )

    def _is_displaced(self, session: SessionView) -> bool:
        """Whether another socket has shown the token of the same node."""
        if session.role != NODE:
            return False
        others = self.view.sessions.values()
        return any(
            one is not session
            and one.role == NODE
            and (one.identity or one.greeted_node or session.identity) == session.identity
            and one.tokens
            for one in others
        )

    def _due(self, session: SessionView, heard_us: int) -> int:
        limits = self.view.plan.limits
        silence = heard_us + limits.heartbeat_interval_ms * limits.heartbeat_misses * 1_000
        if session.ready_us >= 0:
            return silence
        return min(silence, session.opened_us + limits.auth_deadline_ms * 1_000)

    def at_end(self) -> Iterator[str]:
        for session in self.view.sessions.values():
            due = self._due(session, max(session.heard_us, session.noise_us))
            grace = self.view.grace_us(session.relay) + 1_000
            if session.relay in self.view.up and self.view.now > due + grace:
                yield f"{session.relay} never ends the session of {session.peer}, which is silent"


class PeersKeepAlive(RelayInvariant):
    """For one role: no session of a peer that is up ends for silence of the peer's own."""

    def __init__(self, view: RelayView) -> None:
        super().__init__(view)
        self._spoke: dict[str, int] = {}
        self._quiet: dict[str, bool] = {}

    def handlers(self) -> Mapping[type[Event], Handler]:
        return {FrameSent: self._said, ConnectionClosed: self._closed, Acted: self._acted}

    def _acted(self, event: Acted) -> str | None:
        if isinstance(event.act, SwitchPings):
            self._quiet[event.host] = True
        return None

    def _said(self, event: FrameSent) -> str | None:
        session = self.view.session
        if session is not None and session.lane == self.obeyed_by and event.sender == session.peer:
            self._spoke[event.link] = event.at
        return None

    def _closed(self, event: ConnectionClosed) -> str | None:
        session = self.view.session
        if session is None or session.lane != self.obeyed_by or session.ready_us < 0:
            return None
        spoke = self._spoke.pop(event.link, session.opened_us)
        if event.host != session.relay or event.by != session.relay:
            return None
        self.exercised += 1
        limits = self.view.plan.limits
        silence = limits.heartbeat_interval_ms * limits.heartbeat_misses * 1_000
        since = max(spoke, self.view.up.get(session.peer, self.view.now))
        absent = session.is_left or session.peer not in self.view.up
        excused = absent or session.peer in self._quiet or not session.is_told
        if excused or self.view.now - since < silence - 1_000 or self.view.grace_us(session.peer):
            return None
        return (
            f"{session.peer} is silent for {seconds(self.view.now - since)}, and loses its session"
        )


class ControllersKeepAlive(PeersKeepAlive):
    name = "controllers-keep-alive"
    sentence = "A controller is never silent for so long that its session ends."
    catalogue = ("OT-13", "OT-40")
    obeyed_by = CONTROLLER


class NodesKeepAlive(PeersKeepAlive):
    name = "nodes-keep-alive"
    sentence = "A node is never silent for so long that its session ends."
    catalogue = ("OT-13",)
    obeyed_by = NODE
