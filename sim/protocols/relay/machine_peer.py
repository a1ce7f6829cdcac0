"""What may happen when, at a controller or a node.

The prose of the tables:

- A *connection* dials, says hello, is acknowledged, shows its token, and works once
  that has been acknowledged. However it ends, it may dial again.
- A *job* is a command at a node. It may have to wait for work of an earlier session in
  its tab; a person may have to sign in for it; the copy of a command that runs already
  waits for that one's outcome. It ends ANSWERED, or ABANDONED when nobody is left to
  be told and nothing has been done that would need an end.

The relay's tables are in ``machine``.
"""

from __future__ import annotations

from typing import Final

from sim.core.table import Table

OFFLINE: Final = "OFFLINE"
DIALLING: Final = "DIALLING"
GREETING: Final = "GREETING"
SHOWING: Final = "SHOWING"
WORKING: Final = "WORKING"

_OVER: Final = {"lost": OFFLINE, "leave": OFFLINE}

CONNECTION: Final = Table(
    "peer's connection",
    OFFLINE,
    {
        OFFLINE: {"dial": DIALLING, "leave": OFFLINE},
        DIALLING: {"refused": OFFLINE, "open": GREETING, "leave": OFFLINE},
        GREETING: {"hello ack": SHOWING, **_OVER},
        SHOWING: {"hello ack": SHOWING, "auth ack": WORKING, **_OVER},
        WORKING: {"hello ack": WORKING, "auth ack": WORKING, **_OVER},
    },
)

ACCEPTED: Final = "ACCEPTED"
QUEUED: Final = "QUEUED"
RUNNING: Final = "RUNNING"
HANGING: Final = "HANGING"
HANDED_OVER: Final = "HANDED_OVER"
COPY: Final = "COPY"
ANSWERED: Final = "ANSWERED"
ABANDONED: Final = "ABANDONED"

_ENDS: Final = {"answer": ANSWERED, "abandon": ABANDONED}

JOB: Final = Table(
    "job of a node",
    ACCEPTED,
    {
        ACCEPTED: {"run": RUNNING, "wait": QUEUED, "copy": COPY, "answer": ANSWERED},
        QUEUED: {"run": RUNNING, **_ENDS},
        RUNNING: {"hang": HANGING, "hand over": HANDED_OVER, **_ENDS},
        HANGING: _ENDS,
        HANDED_OVER: {"run": RUNNING, **_ENDS},
        COPY: _ENDS,
        ANSWERED: {},
        ABANDONED: {},
    },
)

PEER_TABLES: Final = (CONNECTION, JOB)
