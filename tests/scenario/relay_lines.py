"""Small relay diagrams."""

from __future__ import annotations

from tests.scenario.played import fails, passes, run

PEERS = ("participant A as controller", "participant R as relay", "participant N as node")
TAB = (
    *PEERS,
    "A->>R: primitive.tab.open (requestId=R1)",
    "R->>A: result (requestId=R1, data.tabSessionId=T1)",
)

__all__ = ["PEERS", "TAB", "fails", "passes", "run"]
