"""What every peer of a relay is told when it is made."""

from __future__ import annotations

import attrs

from sim.protocols.relay.constants import HEARTBEAT_INTERVAL_MS, HEARTBEAT_MISSES
from sim.protocols.relay.rules import RelayRules

ALL_RULES = RelayRules()  # frozen: all hosts may share it


@attrs.frozen
class Manners:
    """How a peer keeps its connection. Times are in milliseconds.

    ``pipelined``: auth follows hello at once instead of waiting for hello_ack.
    ``ping_ms`` 0: a ping at every heartbeat interval that hello_ack names.
    After ``silence_ms`` without a frame, and three pings at least, the socket is given
    up; 0: never.
    The n-th attempt to come back begins ``first_retry_ms`` × 2ⁿ and up to
    ``jitter_ms`` after the loss, ``longest_retry_ms`` at most.
    """

    dials: bool = True
    reconnects: bool = True
    pipelined: bool = True
    pings: bool = True
    ping_ms: int = 0
    silence_ms: int = HEARTBEAT_INTERVAL_MS * HEARTBEAT_MISSES
    first_retry_ms: int = 1_000
    jitter_ms: int = 300
    longest_retry_ms: int = 30_000
    dial_timeout_ms: int = 15_000


@attrs.frozen(eq=False, kw_only=True)
class PeerPlan:
    """Where the relay is and what to show it.

    ``relay`` is a host's name. ``token`` is shown at auth, ``refresh_token`` gets new ones.
    """

    relay: str = "R"
    token: str = ""
    refresh_token: str = ""
    capabilities: tuple[str, ...] = ()
    rules: RelayRules = ALL_RULES
    manners: Manners = Manners()
