"""What a transition table says of one frame, in the state in which it found things."""

from __future__ import annotations

import attrs


@attrs.frozen
class Verdict:
    """One table's opinion. ``after`` is None where the table forbids the trigger.

    ``trigger`` "" means: only the state counts (business needs a READY connection).
    """

    table: str
    subject: str
    state: str
    trigger: str
    after: str | None

    @property
    def is_legal(self) -> bool:
        return self.after is not None
