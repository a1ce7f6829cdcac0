"""What the relay itself has nodes do: close the tabs of who is gone, turn listeners off."""

from __future__ import annotations

from typing import Any

from sim.protocols.relay.constants import FAIL_FAST
from sim.protocols.relay.frames import Command
from sim.protocols.relay.relay.ingress import CLOSE_OWNED, UNSUBSCRIBE, Errand
from sim.protocols.relay.relay.sessions import Session
from sim.protocols.relay.relay.switchboard import Switchboard


class Errands:
    """Commands without a controller; their answers are for nobody."""

    __slots__ = ("board",)

    def __init__(self, board: Switchboard) -> None:
        self.board = board

    def close_owned(self, node: Session, identity: str) -> None:
        """The tabs of this controller identity are to be closed (DR-04)."""
        errand = Errand(node.name, node.identity, identity)
        payload, within = {"controllerClientId": identity}, self.board.plan.limits.close_owned_ms
        self._send(errand, CLOSE_OWNED, payload, within, wait_policy=FAIL_FAST)

    def unsubscribe(self, session: str, target: str) -> None:
        """The listener of this requestId has nobody left, at this node session (DR-15, DR-20)."""
        node = self.board.books.sessions.get(session)
        if node is not None:
            errand = Errand(session, node.identity)
            within = self.board.plan.limits.unsubscribe_ms
            self._send(errand, UNSUBSCRIBE, {"targetRequestId": target}, within)

    def _send(
        self, errand: Errand, action: str, payload: dict[str, Any], within: int, **more: Any
    ) -> None:
        id = self.board.own_id()
        self.board.books.errands[id] = errand
        body = Command(
            target_node_id=errand.node_id,
            action=action,
            payload=payload,
            timeout_ms=within,
            **more,
        )
        self.board.tell(errand.session, body, id)

    def answered(self, session: Session, request_id: str) -> bool:
        """Whether this is a node's answer to an errand; then that is done."""
        errand = self.board.books.errands.get(request_id)
        if errand is None or errand.session != session.name:
            return False
        del self.board.books.errands[request_id]
        return True

    def lose_node(self, session: str) -> None:
        """A node session is over: what it may have missed to close is asked for again (DR-05)."""
        errands = self.board.books.errands
        for id in [id for id, errand in errands.items() if errand.session == session]:
            lost = errands.pop(id)
            if lost.identity:
                self.board.owners.tab_opened(lost.identity, lost.node_id)
