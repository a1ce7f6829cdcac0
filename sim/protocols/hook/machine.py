"""What may happen when, on the server's side of the hook protocol.

The prose of the tables:

- A *connection* must say hello before it may carry anything else (HK-04). A
  second one of the same device and channel waits (PROBING) until the first
  has proved to be alive or dead; each hello is answered by a welcome (HK-05),
  and tasks flow only in READY.
- A *request* is one task from the channel. A rejection never kills what runs;
  an end settles everything, even a rejection or an interruption that was
  written too early. Only a reopen leads out of ENDED, and it leads nowhere:
  the original stays one-shot (HK-171), the continued round has an id of its
  own.
- A *round* is a continuation after ``turn.reopen``. It lives on one socket:
  the newest reopen of a message supersedes the others, a disconnect tears it
  down for good (HK-184, HK-185).
- A *card* takes one decision. Once it is closed nothing opens it again.

The desktop's tables are in ``machine_desktop``.
"""

from __future__ import annotations

from sim.core.table import Table

OPENED = "OPENED"
PROBING = "PROBING"
WELCOMING = "WELCOMING"
READY = "READY"
CLOSED = "CLOSED"

CONNECTION = Table(
    "server connection",
    OPENED,
    {
        OPENED: {"contend": PROBING, "hello": WELCOMING, "close": CLOSED},
        PROBING: {"contend": PROBING, "hello": WELCOMING, "close": CLOSED},
        WELCOMING: {"hello": WELCOMING, "welcome": READY, "contend": PROBING, "close": CLOSED},
        READY: {"hello": WELCOMING, "welcome": READY, "contend": PROBING, "close": CLOSED},
        CLOSED: {},
    },
)

WAITING = "WAITING"
QUEUED = "QUEUED"
RUNNING = "RUNNING"
ENDED = "ENDED"
REJECTED = "REJECTED"
INTERRUPTED = "INTERRUPTED"

REQUEST = Table(
    "request",
    WAITING,
    {
        WAITING: {
            "accepted": RUNNING,
            "queued": QUEUED,
            "rejected": REJECTED,
            "progress": RUNNING,
            "end": ENDED,
            "reopen": ENDED,
            "expire": INTERRUPTED,
        },
        QUEUED: {
            "accepted": RUNNING,
            "queued": QUEUED,
            "progress": RUNNING,
            "end": ENDED,
            "reopen": ENDED,
            "expire": INTERRUPTED,
        },
        RUNNING: {
            "accepted": RUNNING,
            "progress": RUNNING,
            "end": ENDED,
            "reopen": ENDED,
            "expire": INTERRUPTED,
        },
        REJECTED: {"accepted": RUNNING, "queued": QUEUED, "end": ENDED, "reopen": ENDED},
        INTERRUPTED: {"end": ENDED, "reopen": ENDED},
        ENDED: {"reopen": ENDED},
    },
)

UNENDED = (WAITING, QUEUED, RUNNING)
"""States of a request that is redelivered after a welcome."""

OPEN = "OPEN"
SUPERSEDED = "SUPERSEDED"
TORN = "TORN"

ROUND = Table(
    "round",
    OPEN,
    {
        OPEN: {"progress": OPEN, "end": ENDED, "supersede": SUPERSEDED, "disconnect": TORN},
        ENDED: {"reopen": ENDED},
        SUPERSEDED: {},
        TORN: {},
    },
)

DECIDED = "DECIDED"

CARD = Table(
    "card",
    OPEN,
    {
        OPEN: {"press": DECIDED, "cancel": CLOSED, "end": CLOSED},
        DECIDED: {"cancel": CLOSED},
        CLOSED: {},
    },
)

TABLES = (CONNECTION, REQUEST, ROUND, CARD)
