"""What a controller is told when it is made."""

from __future__ import annotations

import attrs

from sim.protocols.relay.acts import Act
from sim.protocols.relay.peer.plan import PeerPlan

GRACE_MS = 5_000
"""How much longer than its budget a controller waits for a command's end."""


@attrs.frozen(eq=False, kw_only=True)
class ControllerPlan(PeerPlan):
    """A client of the relay. Times are in milliseconds.

    ``nodes``: those it works with, the first being meant where none is named.
    ``script`` is done one after the other, each act once the one before it has an
    answer. ``follows_streams``: subscribes to the listeners of a test's manifest.
    ``grace_ms`` after a command's budget it is given up.
    """

    nodes: tuple[str, ...] = ()
    script: tuple[Act, ...] = ()
    follows_streams: bool = True
    grace_ms: int = GRACE_MS
