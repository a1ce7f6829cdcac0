"""Which step of a desktop may follow which: three small tables.

The handlers fire a trigger before they act on it; a trigger that the table
does not know raises LocalProtocolError, which fails the run. The tables know
nothing of frames' contents, of time, or of who asked.

- A *connection* is one lane's life. Business is done in CONNECTED only:
  CONNECTING has said hello and not been welcomed, INCAPABLE has been welcomed
  by a server that lacks what the lane needs. No clock leads out of CONNECTING:
  a welcome that never comes is waited for without end (RC-78).
- A *task* is an ordinary one. CLOSING begins when the agent is done, or is
  stopped, and lasts until turn.end has been written or buffered. Whatever
  happens to it when the account changes, it ends DROPPED: in silence.
- A *continuation* is a turn that the person started on the desktop (stage 18).
  It is seen outside in CLAIMED only; CLAIMING is the moment between the
  agent's first event and the written turn.reopen. A lost connection makes it
  CUT: the agent goes on, nobody is told.

The server's tables are in ``machine``.
"""

from __future__ import annotations

from sim.core.table import Table

OFFLINE = "OFFLINE"
DIALLING = "DIALLING"
CONNECTING = "CONNECTING"
CONNECTED = "CONNECTED"
INCAPABLE = "INCAPABLE"

_GREETED = {
    "welcome": CONNECTED,
    "poor welcome": INCAPABLE,
    "lost": OFFLINE,
    "dispose": OFFLINE,
}

CONNECTION = Table(
    "desktop connection",
    OFFLINE,
    {
        OFFLINE: {"dial": DIALLING, "dispose": OFFLINE},
        DIALLING: {"refused": OFFLINE, "open": CONNECTING, "dispose": OFFLINE},
        CONNECTING: {"hello": CONNECTING, **_GREETED},
        CONNECTED: {"hello": CONNECTED, **_GREETED},
        INCAPABLE: {"hello": INCAPABLE, **_GREETED},
    },
)

ADMITTED = "ADMITTED"
ACCEPTED = "ACCEPTED"
QUEUED = "QUEUED"
RUNNING = "RUNNING"
CLOSING = "CLOSING"
ENDED = "ENDED"
DROPPED = "DROPPED"

TASK = Table(
    "desktop task",
    ADMITTED,
    {
        ADMITTED: {"accept": ACCEPTED, "queue": QUEUED},
        ACCEPTED: {"run": RUNNING, "drop": DROPPED},
        QUEUED: {"run": RUNNING, "close": CLOSING, "drop": DROPPED},
        RUNNING: {"close": CLOSING, "drop": DROPPED},
        CLOSING: {"end": ENDED, "drop": DROPPED},
        ENDED: {},
        DROPPED: {},
    },
)

LOCAL = "LOCAL"
ARMED = "ARMED"
CLAIMING = "CLAIMING"
CLAIMED = "CLAIMED"
CUT = "CUT"

CONTINUATION = Table(
    "desktop continuation",
    LOCAL,
    {
        LOCAL: {"arm": ARMED, "close": ENDED, "drop": DROPPED},
        ARMED: {"event": CLAIMING, "give up": LOCAL, "close": ENDED, "drop": DROPPED},
        CLAIMING: {"written": CLAIMED, "give up": LOCAL, "cut": CUT, "drop": DROPPED},
        CLAIMED: {"cut": CUT, "close": ENDED, "drop": DROPPED},
        CUT: {"close": ENDED, "drop": DROPPED},
        ENDED: {},
        DROPPED: {},
    },
)

TABLES = (CONNECTION, TASK, CONTINUATION)
