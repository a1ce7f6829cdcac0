"""What may happen when, on the server's side of the hook protocol.

The prose of the tables:

- A *connection* must say hello before it may carry anything else (HK-04). A
  second one of the same device and channel waits (PROBING) until the first
  has proved to be alive or dead; each hello is answered by a welcome (HK-05),
  and tasks flow only in READY.
- A *request* is one task from the channel. A rejection never kills what runs;
  an end settles everything, even a rejection or an interruption that was
  written too early; an acceptance takes both back, the desktop is at it. Only
  a reopen leads out of ENDED, and it leads nowhere: the original stays one-shot
  (HK-171), the continued round has an id of its own.
- A *round* is a continuation after ``turn.reopen``. It lives on one socket:
  the newest reopen of a message supersedes the others, a disconnect tears it
  down for good (HK-184, HK-185).
- A *card* takes one decision. Once it is closed nothing opens it again.
- A *delivery* is what became of an ordinary end: in the server's hands first,
  then in the channel, or given up. Nothing leads out of the last two.
- A *Slack binding* begins with a sign-in link, is confirmed by its owner and
  lasts until it is revoked or another desktop takes it over. A *provider
  binding* is one attempt and what came of it; nothing leads back (HK-113).

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
        INTERRUPTED: {"accepted": RUNNING, "queued": QUEUED, "end": ENDED, "reopen": ENDED},
        ENDED: {"reopen": ENDED},
    },
)

UNENDED = (WAITING, QUEUED, RUNNING)
"""States of a request that somebody works on, or will."""

REDELIVERED = (*UNENDED, INTERRUPTED)
"""States of a request that is redelivered after a welcome: its end may have been lost."""

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

ACCEPTED = "ACCEPTED"
RETRYING = "RETRYING"
DELIVERED = "DELIVERED"
FAILED = "FAILED"

DELIVERY = Table(
    "delivery",
    ACCEPTED,
    {
        ACCEPTED: {"retry": RETRYING, "deliver": DELIVERED, "fail": FAILED},
        RETRYING: {"retry": RETRYING, "deliver": DELIVERED, "fail": FAILED},
        DELIVERED: {},
        FAILED: {},
    },
)

NONE = "NONE"
PENDING = "PENDING"
AWAITING = "AWAITING"
CONFIRMED = "CONFIRMED"
DENIED = "DENIED"
EXPIRED = "EXPIRED"
REVOKED = "REVOKED"

SLACK_BINDING = Table(
    "Slack binding",
    NONE,
    {
        NONE: {"start": PENDING},
        PENDING: {
            "confirm": CONFIRMED,
            "decline": DENIED,
            "expire": EXPIRED,
            "fail": FAILED,
            "void": NONE,
        },
        CONFIRMED: {"revoke": REVOKED, "supersede": REVOKED},
        DENIED: {},
        EXPIRED: {},
        FAILED: {},
        REVOKED: {},
    },
)

PROVIDER_BINDING = Table(
    "provider binding",
    NONE,
    {
        NONE: {"start": PENDING},
        PENDING: {
            "ask": AWAITING,
            "confirm": CONFIRMED,
            "decline": DENIED,
            "cancel": DENIED,
            "expire": EXPIRED,
            "supersede": SUPERSEDED,
        },
        AWAITING: {
            "confirm": CONFIRMED,
            "decline": DENIED,
            "cancel": DENIED,
            "expire": EXPIRED,
            "supersede": SUPERSEDED,
        },
        CONFIRMED: {"revoke": REVOKED, "supersede": SUPERSEDED},
        DENIED: {},
        EXPIRED: {},
        REVOKED: {},
        SUPERSEDED: {},
    },
)

TABLES = (CONNECTION, REQUEST, ROUND, CARD, DELIVERY, SLACK_BINDING, PROVIDER_BINDING)
