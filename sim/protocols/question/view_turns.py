"""Whose turn it is at an entry: presses and texts wait in the lane of a question (DQ-14)."""

from __future__ import annotations

from collections.abc import Sequence

from sim.protocols.question.view_calls import CUSTOM, TEXT
from sim.protocols.question.view_records import Attempt, EntryView
from sim.protocols.question.view_threads import Thread


def pressed_before(
    text: Attempt, busy: Sequence[Attempt], found: EntryView | None
) -> list[EntryView]:
    """The entries whose custom button its author has pressed, which is still handled.
    What was pressed before the press by which ``found`` waits decides nothing."""
    return [one.entry for one in busy if one.entry is not None and _asks(one, text, found)]


def has_turn(text: Attempt, busy: Sequence[Attempt], found: EntryView | None) -> bool:
    """Whether nothing is left that a text waits for: a plain one waits for what its author
    has pressed before, and for all that had come to the question that he has pressed last.
    ``found``: whose answer it is by what the store has now."""
    if text.update.reply_to is not None:
        return True
    lane = text.behind[-1:]
    return not any(
        _asks(one, text, found) or (bool(one.claim) and one.entry in lane)
        for one in busy
        if one is not text and one.update.id < text.update.id
    )


def in_turn(idle: Sequence[Attempt], thread: Thread | None) -> list[Attempt]:
    """In the order in which they can have begun: who begins a handler with some updates
    has begun it for one of these; others have waited for their turn."""
    if thread is None or thread.entry or thread.root < 0:
        return list(idle)
    return sorted(idle, key=lambda one: one.n != thread.root)


def doubt(idle: Sequence[Attempt], entry: EntryView) -> None:
    """Where texts wait for an entry, nobody says whose handler has claimed it: an earlier
    one may have had its turn unseen."""
    able = [one for one in idle if entry in (one.entry, *one.meant, *one.behind)]
    if len(able) > 1 and any(one.update.kind == TEXT for one in able):
        for one in able:
            one.is_unsure = True


def _asks(press: Attempt, text: Attempt, found: EntryView | None) -> bool:
    is_his = press.update.user == text.update.user
    since = -1 if found is None else found.asked_id
    return press.update.kind == CUSTOM and is_his and since <= press.update.id < text.update.id
