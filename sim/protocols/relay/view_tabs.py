"""Whose tabs are: leases, owners, and the cleanups that the relay owes to nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sim.core.event import ConnectionClosed, FrameSent
from sim.protocols.relay.constants import NODE
from sim.protocols.relay.frames.commands import TAB_OPEN
from sim.protocols.relay.view_records import (
    AskView,
    CleanupView,
    LeaseView,
    OwnView,
    SessionView,
)

if TYPE_CHECKING:
    from sim.protocols.relay.view_work import BookOfWork

CLOSE_OWNED = "primitive.tab.close_owned"
GRANTED = ("lock_acquired", "lock_renewed")
GIVEN_UP = ("lock_released", "lock_expired")


class Tabs:
    """Of one relay.

    ``leases`` by (node, tab); ``before`` is the lease that the newest lock event found.
    ``opened_at``: the nodes at which an identity has opened tabs since it was cleaned up
    after there. ``owed`` are the cleanups that have not been sent, ``spared``: the newest
    one that was sent though its identity was there.
    """

    def __init__(self, book: BookOfWork) -> None:
        self.book = book
        self.leases: dict[tuple[str, str], LeaseView] = {}
        self.before: LeaseView | None = None
        self.opened_at: dict[str, dict[str, None]] = {}
        self.owed: list[CleanupView] = []
        self.late: CleanupView | None = None
        self.ended: dict[tuple[str, str], LeaseView] = {}

    def lease(self, node_id: str, tab: str, at: int) -> LeaseView | None:
        """The lease on a tab at a time, None where it is free."""
        lease = self.leases.get((node_id, tab))
        return lease if lease is not None and at < lease.ends_us else None

    # -- locks -------------------------------------------------------------------

    def event(
        self, session: SessionView, request_id: str, kind: str, payload: Mapping[str, Any],
        event: FrameSent,
    ) -> None:  # fmt: skip
        """The relay tells of a lock."""
        if not kind.startswith("lock_"):
            return
        place = str(payload.get("targetNodeId")), str(payload.get("tabSessionId"))
        self.before = self.leases.get(place)
        if kind in GRANTED:
            lease, expires = payload.get("lockLeaseMs"), payload.get("lockExpiresAt")
            if isinstance(lease, int) and isinstance(expires, int):
                owner = str(payload.get("lockOwnerControllerId"))
                self.leases[place] = LeaseView(
                    *place, owner, session, request_id, lease, expires, event.at, event.n
                )
        elif kind in GIVEN_UP and self._is_its(session):
            self.ended[place] = self.leases.pop(place)

    def _is_its(self, session: SessionView) -> bool:
        """Whether the lease that the newest lock event found is of this session's identity."""
        return self.before is not None and self.before.owner == session.identity

    def closed(self, session: SessionView, event: ConnectionClosed) -> None:
        """A session is over, and with it its locks; perhaps its tabs are nobody's now."""
        for place, lease in list(self.leases.items()):
            if lease.session is session:
                del self.leases[place]
        self.owed = [one for one in self.owed if one.node is not session]
        book = self.book
        if session.role == NODE or session.identity in book.live:
            return
        for node in book.nodes.values():
            self.owed.append(CleanupView(node, session.identity, event.at, event.n))
            self._told(session.identity, node.identity)

    # -- owners ------------------------------------------------------------------

    def opens(self, ask: AskView) -> None:
        """A command has gone to its node; it may open a tab there."""
        if ask.action == TAB_OPEN and ask.node is not None:
            nodes = self.opened_at.setdefault(ask.session.identity, {})
            nodes[ask.node.identity] = None

    def node_came(self, node: SessionView, event: FrameSent) -> None:
        """A node is there (again): what it has missed is due."""
        for identity in [one for one, nodes in self.opened_at.items() if node.identity in nodes]:
            if identity not in self.book.live:
                self.owed.append(CleanupView(node, identity, event.at, event.n))
                self._told(identity, node.identity)

    def cleaned(self, own: OwnView) -> None:
        """The relay has sent a command of its own."""
        self.late = None
        if own.action != CLOSE_OWNED:
            return
        identity = own.payload.get("controllerClientId")
        for one in self.owed:
            if one.node is own.node and one.identity == identity:
                self.owed.remove(one)
                self.late = one
                return

    def _told(self, identity: str, node_id: str) -> None:
        nodes = self.opened_at.get(identity)
        if nodes is not None:
            nodes.pop(node_id, None)
            if not nodes:
                del self.opened_at[identity]
