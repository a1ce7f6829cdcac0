"""tab_lock and tab_unlock, and the ends of leases (DR-06, DR-07)."""

from __future__ import annotations

from typing import Final

from sim.protocols.relay.frames.events import (
    LockAcquired,
    LockExpired,
    LockReleased,
    LockRenewed,
)
from sim.protocols.relay.machine import RUNNING
from sim.protocols.relay.parse import Opened
from sim.protocols.relay.relay.commanding import Commanding, conflict
from sim.protocols.relay.relay.ingress import Moment
from sim.protocols.relay.relay.locks import Lease, granted_lease_ms
from sim.protocols.relay.relay.sessions import Session
from sim.protocols.relay.relay.switchboard import Switchboard

LEASE: Final = "lease"


class Locking:
    """The relay's part that has to do with the locks of tabs."""

    __slots__ = ("board", "commanding")

    def __init__(self, board: Switchboard, commanding: Commanding) -> None:
        self.board = board
        self.commanding = commanding

    def lock(self, session: Session, opened: Opened, now: Moment) -> None:
        """A controller takes a tab, or renews its lease."""
        wanted = self._wanted(session, opened, now)
        code = self._refusal(session, wanted)
        facts = {"node_id": wanted.node}
        if code is not None:
            self.board.refuse(session.name, opened.request_id, code, **facts)
            return
        self.expire(now)
        locks = self.board.books.locks
        trigger = locks.take(wanted, now.us, self.board.rules.one_holder)
        if trigger is not None:
            self.board.alarm(LEASE, _key(wanted), wanted.ends_us, background=True)
            event = LockAcquired if trigger == "lock" else LockRenewed
            self.board.tell(session.name, event(**wanted.facts()), opened.request_id)
            return
        held = locks.holder(wanted.node, wanted.tab, now.us)
        assert held is not None
        facts["tab_session_id"] = wanted.tab
        self.board.refuse(session.name, opened.request_id, "tab_locked", **facts)
        if self.board.rules.conflict_is_told:
            self.board.tell(session.name, conflict(held), opened.request_id)

    def _wanted(self, session: Session, opened: Opened, now: Moment) -> Lease:
        payload, limits = opened.wire["payload"], self.board.plan.limits
        asked = payload.get("lockLeaseMs")
        lease_ms = granted_lease_ms(asked, limits.default_lease_ms, limits.most_lease_ms)
        return Lease(
            payload["targetNodeId"],
            payload["tabSessionId"],
            session.identity,
            session.name,
            opened.request_id,
            lease_ms,
            now.ms + lease_ms,
            now.us + lease_ms * 1000,
        )

    def _refusal(self, session: Session, wanted: Lease) -> str | None:
        assert session.grant is not None
        if not session.grant.reaches(wanted.node):
            return "acl_missing_node_grant"
        return None if self.board.books.sessions.node(wanted.node) else "node_offline"

    def unlock(self, session: Session, opened: Opened, now: Moment) -> None:
        """A controller gives a tab back."""
        self.expire(now)
        payload = opened.wire["payload"]
        node, tab = payload["targetNodeId"], payload["tabSessionId"]
        whose = session.identity if self.board.rules.unlock_by_holder else None
        lease = self.board.books.locks.release(node, tab, whose, now.us)
        if lease is None:
            facts = {"node_id": node, "tab_session_id": tab}
            self.board.refuse(session.name, opened.request_id, "lock_not_held", **facts)
            return
        self.board.calm(LEASE, _key(lease))
        self.board.tell(session.name, LockReleased(**lease.facts()), opened.request_id)

    def expire(self, now: Moment) -> None:
        """Leases that have ended by now free their tabs; their holders are told."""
        for lease in self.board.books.locks.expire(now.us):
            self.board.calm(LEASE, _key(lease))
            if self.board.rules.lease_ends_by_timer:
                self.board.tell(lease.session, LockExpired(**lease.facts()), lease.request_id)
            if not self.board.rules.lease_end_spares_work:
                self._cut_off(lease)

    def _cut_off(self, lease: Lease) -> None:
        """The rule that leases spare work is off: what the holder runs there ends with it."""
        node = self.board.books.sessions.node(lease.node)
        job = self.board.books.work.running(node.name, lease.tab) if node else None
        if job is not None and job.state == RUNNING and job.identity == lease.owner:
            self.commanding.drop(job, "command_cancelled")
            self.commanding.send_next(self.board.books.work.answer(job))

    def due(self, now: Moment) -> None:
        """A lease's timer."""
        if self.board.rules.lease_ends_by_timer:
            self.expire(now)

    def lose_session(self, session: Session) -> None:
        """A holder is gone: its locks end at once."""
        if self.board.rules.lock_ends_with_session:
            for lease in self.board.books.locks.lose_session(session.name):
                self.board.calm(LEASE, _key(lease))


def _key(lease: Lease) -> str:
    return f"{lease.node}/{lease.tab}"
