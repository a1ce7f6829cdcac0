"""Which steps of the table of entries a change of the store has taken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sim.protocols.question.machine import AWAITING, ENTRY, SHOWN, WRITTEN
from sim.protocols.question.store.entry import PendingQuestion, kept
from sim.wire.absent import Absent


def state_of(entry: PendingQuestion) -> str:
    """Where an entry stands, by its fields."""
    if entry.awaiting_text is True:
        return AWAITING
    return WRITTEN if isinstance(entry.message_id, Absent) else SHOWN


def take_steps(before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    """Go through the table for each question that has changed."""
    for name, entry in before.items():
        old = kept(entry)
        if isinstance(old, PendingQuestion) and after.get(name) != entry:
            new = kept(after[name]) if name in after else None
            state = state_of(old)
            for trigger in _triggers(old, new):
                state = ENTRY.step(state, trigger)


def _triggers(old: PendingQuestion, new: Any) -> Iterator[str]:
    if not isinstance(new, PendingQuestion):
        yield "remove"
        return
    if old.message_id != new.message_id:
        yield "sent"
    if new.awaiting_text is True:
        asked = (old.awaiting_since, old.custom_prompt_message_id, old.expected_user_id)
        again = (new.awaiting_since, new.custom_prompt_message_id, new.expected_user_id)
        if old.awaiting_text is not True or asked != again:
            yield "custom"
    elif old.awaiting_text is True:
        yield "option"
