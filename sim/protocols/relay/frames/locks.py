"""Locks of tabs: taken, renewed and given back."""

from __future__ import annotations

from typing import Any

from sim.protocols.relay.constants import CONTROLLER
from sim.protocols.relay.frames.envelope import (
    CONTROLLER_TO_RELAY,
    OWNERSHIP_SECTION,
    RelayBody,
)
from sim.wire.absent import ABSENT, Absent
from sim.wire.declare import message, wire
from sim.wire.spec import SOME_TEXT, Anything, Number


@message(
    "tab_lock",
    direction=CONTROLLER_TO_RELAY,
    section=OWNERSHIP_SECTION,
    example={"targetNodeId": "node_alpha", "tabSessionId": "tab_1", "lockLeaseMs": 30000},
    senders=(CONTROLLER,),
)
class TabLock(RelayBody):
    """Takes a tab for one controller, or renews the lease of its holder.

    Answered at once by lock_acquired, lock_renewed or an error; ``wait_policy`` is ignored.
    """

    target_node_id: str = wire(SOME_TEXT)
    tab_session_id: str = wire(SOME_TEXT)
    lock_lease_ms: int | Absent = wire(Number(min=1, finite=True, integer=True), default=ABSENT)
    wait_policy: Any = wire(Anything(), default=ABSENT)


@message(
    "tab_unlock",
    direction=CONTROLLER_TO_RELAY,
    section=OWNERSHIP_SECTION,
    example={"targetNodeId": "node_alpha", "tabSessionId": "tab_1"},
    senders=(CONTROLLER,),
)
class TabUnlock(RelayBody):
    """Gives a lock back; only its holder can."""

    target_node_id: str = wire(SOME_TEXT)
    tab_session_id: str = wire(SOME_TEXT)
