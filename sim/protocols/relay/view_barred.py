"""What stood in the way of a command when it arrived at the relay (DR-06, DR-08, DR-23 … 25)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sim.protocols.relay.view_records import REFUSED, AskView

if TYPE_CHECKING:
    from sim.protocols.relay.view_book import RelayBook

IN_USE: Final = "request_id_in_use"
REPLAYED: Final = "replay_rejected"
OFFLINE: Final = "node_offline"
LOCKED: Final = "tab_locked"
BUSY: Final = "tab_busy"
TAB_FULL: Final = "tab_queue_limit_exceeded"
CONTROLLER_FULL: Final = "controller_queue_limit_exceeded"
UNGRANTED: Final = "acl_missing_node_grant"
UNSUBSCRIBE: Final = "listener.unsubscribe"


def barred(book: RelayBook, ask: AskView, is_replayed: bool) -> None:
    """Note every code that it could rightly be refused with; the frame itself is not judged."""
    found = ask.barred
    if ask.session.reach is not None and ask.node_id not in ask.session.reach:
        found[UNGRANTED] = None
    if is_replayed:
        found[REPLAYED] = None
    if _is_taken(book, ask):
        found[IN_USE] = None
    node = book.nodes.get(ask.node_id)
    if node is None:
        found[OFFLINE] = None
        return
    if not ask.tab:
        return
    lease = book.tabs.lease(ask.node_id, ask.tab, ask.at)
    if lease is not None and lease.owner != ask.session.identity and ask.action != UNSUBSCRIBE:
        found[LOCKED] = None
    queue = book.queues.get((node.link, ask.tab))
    if queue is None or not (queue.running or queue.waiting):
        return
    if not ask.waits:
        found[BUSY] = None
        return
    if len(queue.waiting) >= book.plan.limits.tab_queue:
        found[TAB_FULL] = None
    if book.depths.get(ask.session.link, 0) >= book.plan.limits.controller_queue:
        found[CONTROLLER_FULL] = None


def _is_taken(book: RelayBook, ask: AskView) -> bool:
    """Whether an answer under this requestId could be for something else."""
    id = ask.request_id
    if id in book.asks or id in book.own or id in book.listening.open:
        return True
    if id in book.listening.streams:
        return True
    return any(one.state != REFUSED for one in book.fresh.get(id, ()))
