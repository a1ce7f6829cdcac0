"""hello, auth, refresh (DR-01, DR-03, DR-10, DR-26)."""

from __future__ import annotations

from typing import Final

from sim.core.op import Sleep
from sim.protocols.relay.constants import CONTROLLER, NODE
from sim.protocols.relay.frames import AuthAck, HelloAck, RefreshAck
from sim.protocols.relay.parse import Opened
from sim.protocols.relay.relay.errands import Errands
from sim.protocols.relay.relay.farewell import Farewell
from sim.protocols.relay.relay.sessions import Session
from sim.protocols.relay.relay.switchboard import Switchboard
from sim.protocols.relay.relay.tokens import Tokens
from sim.wire.absent import ABSENT, Absent

REVOKED_CODE: Final = 1008


class Handshake:
    """The relay's part that finds out who is at the other end."""

    __slots__ = ("board", "errands", "farewell", "tokens")

    def __init__(
        self, board: Switchboard, errands: Errands, farewell: Farewell, tokens: Tokens
    ) -> None:
        self.board = board
        self.errands = errands
        self.farewell = farewell
        self.tokens = tokens

    def hello(self, session: Session, opened: Opened) -> None:
        """A peer says which role it plays."""
        payload, rules = opened.wire["payload"], self.board.rules
        if session.is_ready and not rules.hello_keeps_session:
            session = self._begin_anew(session)
        role, node_id = payload["role"], payload.get("nodeId", "")
        code = session.hello(role, node_id)
        if code is not None:
            self.board.refuse(session.name, opened.request_id, code)
            return
        if role == NODE and not rules.displace_after_auth:
            self.board.books.sessions.unseat(node_id)
        interval = self.board.plan.limits.heartbeat_interval_ms
        body = HelloAck(
            accepted=True, heartbeat_interval_ms=interval, relay_version=self._version()
        )
        self.board.tell(session.name, body, opened.request_id)

    def _begin_anew(self, session: Session) -> Session:
        """The rule that a hello keeps the session is off: another one has this socket now."""
        conn = self.board.conns[session.name]
        self.farewell.end(session, "close")
        self.board.conns[session.name] = conn
        return self.open(session.name)

    def open(self, name: str) -> Session:
        """A session for a socket that says hello first."""
        limits = self.board.plan.limits
        session = Session(name, self.board.port.now_us())
        session.auth_deadline_us = limits.auth_deadline_ms * 1000
        session.silence_us = limits.heartbeat_interval_ms * limits.heartbeat_misses * 1000
        self.board.books.sessions.add(session)
        self.farewell.watch(session)
        return session

    # -- auth ----------------------------------------------------------------------

    async def auth(self, session: Session, opened: Opened) -> None:
        """A token is looked at; that takes its time, and what comes meanwhile is too early."""
        pause = Sleep(self.board.plan.limits.auth_check_ms * 1000)
        if self.board.rules.auth_before_work:
            await self.board.actor.perform(pause)
            self._judge(session, opened)
            return
        is_new = self._accept(session, opened)
        await self.board.actor.perform(pause)
        if is_new is not None:
            self._welcome(session, opened, is_new)

    def _judge(self, session: Session, opened: Opened) -> None:
        is_new = self._accept(session, opened)
        if is_new is not None:
            self._welcome(session, opened, is_new)

    def _accept(self, session: Session, opened: Opened) -> bool | None:
        """Whether this is the first good token of the session; None for a bad one."""
        board = self.board
        if board.books.sessions.get(session.name) is not session:
            return None
        was_ready = session.is_ready
        grant = self.tokens.access(opened.wire["payload"]["accessToken"])
        code = session.auth(grant, board.port.now_ms())
        if code is not None:
            board.refuse(session.name, opened.request_id, code)
            return None
        if was_ready:
            return False
        if session.role == NODE:
            older = board.books.sessions.seat(session)
            if older is not None:
                self.farewell.displace(older)
        else:
            board.owners.session_began(session.identity)
        return True

    def _welcome(self, session: Session, opened: Opened, is_new: bool) -> None:
        is_controller = session.role == CONTROLLER
        assert session.grant is not None
        body = AuthAck(
            accepted=True,
            role=session.role,
            node_id=ABSENT if is_controller else session.identity,
            controller_id=session.identity if is_controller else ABSENT,
            scopes=session.grant.scopes,
            relay_version=self._version(),
        )
        self.board.tell(session.name, body, opened.request_id)
        if is_new and not is_controller:
            self._catch_up(session)

    def _catch_up(self, node: Session) -> None:
        """What the node has missed to close while it was away (DR-05)."""
        rules = self.board.rules
        if rules.cleanup_reaches_absent_nodes:
            for identity in self.board.owners.node_came(
                node.identity, rules.cleanup_spares_the_living
            ):
                self.errands.close_owned(node, identity)

    def refresh(self, session: Session, opened: Opened) -> None:
        """A new access token for the peer that it is."""
        shown = opened.wire["payload"]["refreshToken"]
        token = self.tokens.renewed(shown, session.role, session.identity)
        if token is None:
            self.board.refuse(session.name, opened.request_id, "invalid_refresh_token")
        else:
            self.board.tell(session.name, RefreshAck(access_token=token), opened.request_id)

    def remove(self, identity: str) -> None:
        """A controller identity is let in no more: its sessions end at once."""
        self.tokens.remove(identity)
        for session in self.board.books.sessions.controllers(identity):
            id = self.board.own_id()
            self.board.refuse(session.name, id, "controller_revoked", client_id=identity)
            self.farewell.close(session, "close", REVOKED_CODE, "removed")

    def _version(self) -> str | Absent:
        return self.board.plan.version or ABSENT
