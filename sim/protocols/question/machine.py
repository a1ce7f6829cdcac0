"""What may happen when, at the tool that asks and at the entry that waits.

The prose of the tables:

- The *tool* is told of to the hook before it runs (PENDING), then it registers its
  question and waits (RUNNING). The first close ends it, whoever closes (§4 step 9, DQ-27).
- A *pending entry* is written before the message is sent (§4 steps 2, 3). A press may
  come while the message's id is not known yet (WRITTEN), and tells it. A press on the
  custom button waits for a text, again and again; a press on an option ends that wait
  (DQ-06). It is removed when an answer was taken, when its question turns out to be
  closed, when the message was refused, and at the TTL (DQ-18).
"""

from __future__ import annotations

from typing import Final

from sim.core.table import Table

PENDING: Final = "pending"
RUNNING: Final = "running"
COMPLETED: Final = "completed"
ERROR: Final = "error"

TOOL: Final = Table(
    "question tool",
    PENDING,
    {
        PENDING: {"ask": RUNNING, "hook threw": ERROR, "bad arguments": ERROR, "abort": ERROR},
        RUNNING: {"reply": COMPLETED, "reject": ERROR, "abort": ERROR},
        COMPLETED: {},
        ERROR: {},
    },
)

WRITTEN: Final = "WRITTEN"
SHOWN: Final = "SHOWN"
AWAITING: Final = "AWAITING"
GONE: Final = "GONE"

ENTRY: Final = Table(
    "pending entry",
    WRITTEN,
    {
        WRITTEN: {"sent": SHOWN, "custom": AWAITING, "remove": GONE},
        SHOWN: {"sent": SHOWN, "custom": AWAITING, "remove": GONE},
        AWAITING: {"sent": AWAITING, "custom": AWAITING, "option": SHOWN, "remove": GONE},
        GONE: {},
    },
)

TABLES: Final = (TOOL, ENTRY)
