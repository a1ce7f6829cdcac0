"""What may happen when, at the relay.

The prose of the tables:

- A *session* is one socket. It says hello, shows a token, and works from then on;
  a failed auth leaves it as it was (DR-03). A node's session also ends when a newer
  one of that node has shown its token (DR-10).
- A *command* waits for its tab or goes to its node at once. When its budget ends
  while it runs, the controller has its terminal frame and the node is still at it:
  OVERDUE, the tab stays busy and the requestId taken (DR-13). Without its controller
  it is ORPHANED: it runs on, the answer is for nobody (DR-15).
- A *tab queue* is what stands before one tab of one node. STUCK is a tab whose node
  owes the answer to an overdue command; nothing goes there meanwhile.
- A *lock* belongs to one controller identity until it is given back, its lease ends
  or its session does (DR-07).
- A *subscription* delivers from the good result of the subscribe to the good result
  of an unsubscribe, or to the loss of either side (DR-18).
- The *stream* of a command.test ends once, whatever ends it first (DR-20).
"""

from __future__ import annotations

from typing import Final

from sim.core.table import Table

OPENED: Final = "OPENED"
GREETED: Final = "GREETED"
READY: Final = "READY"
CLOSED: Final = "CLOSED"

SESSION: Final = Table(
    "relay session",
    OPENED,
    {
        OPENED: {"hello": GREETED, "deadline": CLOSED, "close": CLOSED},
        GREETED: {"hello": GREETED, "auth": READY, "deadline": CLOSED, "close": CLOSED},
        READY: {"auth": READY, "silence": CLOSED, "displace": CLOSED, "close": CLOSED},
        CLOSED: {},
    },
)

ACCEPTED: Final = "ACCEPTED"
WAITING: Final = "WAITING"
RUNNING: Final = "RUNNING"
OVERDUE: Final = "OVERDUE"
ORPHANED: Final = "ORPHANED"
ENDED: Final = "ENDED"

COMMAND: Final = Table(
    "command",
    ACCEPTED,
    {
        ACCEPTED: {"wait": WAITING, "send": RUNNING},
        WAITING: {
            "send": RUNNING,
            "budget ends": ENDED,
            "cancel": ENDED,
            "node lost": ENDED,
            "controller lost": ENDED,
        },
        RUNNING: {
            "answer": ENDED,
            "cancel": RUNNING,
            "budget ends": OVERDUE,
            "node lost": ENDED,
            "controller lost": ORPHANED,
        },
        OVERDUE: {"answer": ENDED, "node lost": ENDED, "controller lost": OVERDUE},
        ORPHANED: {"answer": ENDED, "budget ends": OVERDUE, "node lost": ENDED},
        ENDED: {},
    },
)

IDLE: Final = "IDLE"
BUSY: Final = "BUSY"
STUCK: Final = "STUCK"

TAB_QUEUE: Final = Table(
    "tab queue",
    IDLE,
    {
        IDLE: {"send": BUSY},
        BUSY: {"wait": BUSY, "budget ends": STUCK, "next": BUSY, "answer": IDLE, "node lost": IDLE},
        STUCK: {"wait": STUCK, "next": BUSY, "answer": IDLE, "node lost": IDLE},
    },
)

FREE: Final = "FREE"
HELD: Final = "HELD"

LOCK: Final = Table(
    "tab lock",
    FREE,
    {
        FREE: {"lock": HELD},
        HELD: {"renew": HELD, "unlock": FREE, "expire": FREE, "holder lost": FREE},
    },
)

ASKED: Final = "ASKED"
ACTIVE: Final = "ACTIVE"
ENDING: Final = "ENDING"

_LOST: Final = {"node lost": ENDED, "subscriber lost": ENDED}

SUBSCRIPTION: Final = Table(
    "subscription",
    ASKED,
    {
        ASKED: {
            "result": ACTIVE,
            "error": ENDED,
            "budget ends": ENDED,
            "cancel": ENDED,
            "stream cancelled": ENDED,
            **_LOST,
        },
        ACTIVE: {
            "update": ACTIVE,
            "unsubscribe": ENDING,
            "stream cancelled": ENDED,
            **_LOST,
        },
        ENDING: {
            "update": ENDING,
            "unsubscribe": ENDING,
            "result": ENDED,
            "error": ACTIVE,
            "budget ends": ENDED,
            "stream cancelled": ENDED,
            **_LOST,
        },
        ENDED: {},
    },
)

OPEN: Final = "OPEN"

STREAM: Final = Table(
    "test stream",
    OPEN,
    {
        OPEN: {
            "bind": OPEN,
            "cancel": ENDED,
            "subscribe failed": ENDED,
            "subscribe timed out": ENDED,
            **_LOST,
        },
        ENDED: {},
    },
)

TABLES: Final = (SESSION, COMMAND, TAB_QUEUE, LOCK, SUBSCRIPTION, STREAM)
