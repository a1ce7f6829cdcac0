"""What may become of an update at the listener.

The prose of the table: an update is taken once. One that is nobody's business is ignored;
any other queues behind those of its question. Its handler tells the user at once that
there is nothing to answer, or claims the entry; a text may turn out to belong to another
question and moves there. Who claimed asks for a text (the custom button), or lists until
the question is matched, replies, and has settled it by a 2xx. Every handling ends, also
one that raises: only then the offset passes the update.
"""

from __future__ import annotations

from typing import Final

from sim.core.table import Table

HANDLES: Final = "handles"
HANDLED: Final = "handled"
"""What a listener notes when a handler begins with an update, and when it has ended: the
calls between follow from there, and nobody has to guess whose they are."""

TAKEN: Final = "TAKEN"
QUEUED: Final = "QUEUED"
HANDLING: Final = "HANDLING"
CLAIMED: Final = "CLAIMED"
LISTING: Final = "LISTING"
MATCHED: Final = "MATCHED"
REPLYING: Final = "REPLYING"
SETTLED: Final = "SETTLED"
ENDED: Final = "ENDED"

UPDATE: Final = Table(
    "update at a listener",
    TAKEN,
    {
        TAKEN: {"ignore": ENDED, "queue": QUEUED},
        QUEUED: {"begin": HANDLING},
        HANDLING: {"move": QUEUED, "claim": CLAIMED, "end": ENDED},
        CLAIMED: {"list": LISTING, "match": MATCHED, "end": ENDED},
        LISTING: {"list": LISTING, "match": MATCHED, "end": ENDED},
        MATCHED: {"reply": REPLYING, "end": ENDED},
        REPLYING: {"settle": SETTLED, "end": ENDED},
        SETTLED: {"end": ENDED},
        ENDED: {},
    },
)
