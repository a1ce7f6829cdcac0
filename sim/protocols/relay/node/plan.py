"""What a node is told when it is made."""

from __future__ import annotations

import attrs

from sim.protocols.relay.browser.web import Web
from sim.protocols.relay.constants import LEDGER_ENTRIES, LEDGER_MEMORY_MS
from sim.protocols.relay.peer.plan import Manners, PeerPlan

NODE_PING_MS = 15_000
NODE_MANNERS = Manners(ping_ms=NODE_PING_MS, silence_ms=3 * NODE_PING_MS)


@attrs.frozen(eq=False, kw_only=True)
class NodePlan(PeerPlan):
    """A node and its browser. Times are in milliseconds.

    ``names_itself``: hello carries ``node_id``; else the token alone does. ``tabs`` are
    (tabSessionId, URL, owner) that are open from the start, owner "" for nobody's;
    ``signed_in`` the sites where the person is. ``web`` None: the built-in pages.
    ``thinks_ms`` is added to whatever a command takes in the browser.
    """

    node_id: str
    names_itself: bool = True
    tabs: tuple[tuple[str, str, str], ...] = ()
    signed_in: tuple[str, ...] = ()
    web: Web | None = None
    thinks_ms: int = 0
    ledger_memory_ms: int = LEDGER_MEMORY_MS
    ledger_entries: int = LEDGER_ENTRIES
    manners: Manners = NODE_MANNERS
