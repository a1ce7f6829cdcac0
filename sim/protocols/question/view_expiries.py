"""Entries that were too old: who has removed them, and whose lists and rejects follow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sim.protocols.question.constants import QUESTION_TTL_MS
from sim.protocols.question.view_calls import LIST, REJECT, CallView, call_id_of
from sim.protocols.question.view_matching import EVERY, match_of
from sim.protocols.question.view_records import EntryView, ExpiryView
from sim.protocols.question.view_threads import Thread

if TYPE_CHECKING:
    from sim.protocols.question.view import QuestionView

TTL_US: Final = QUESTION_TTL_MS * 1_000


class Expiries:
    """``all`` of them, in the order of their removal."""

    def __init__(self, view: QuestionView) -> None:
        self.view = view
        self.all: list[ExpiryView] = []

    def gone(self, entry: EntryView, by: str, age_us: int) -> None:
        """A host has removed an entry of this age (-1: nobody knows)."""
        is_done = entry.settled_at >= 0 or entry.closed_at >= 0
        is_hook = any(one.hook == by for one in self.view.befores)
        is_old = age_us > TTL_US or (age_us < 0 and self.view.is_log)
        if by and not is_done and not is_hook and is_old:
            expiry = ExpiryView(entry, by, self.view.now)
            self.all.append(expiry)
            self.view.tell("expired", expiry)

    def reject(self, call: CallView, thread: Thread | None) -> None:
        if thread is not None and self.take(thread, call):
            return
        mine = [one for one in self.all if one.listener == call.caller]
        fits = [one for one in mine if self._is_rejected(one, call)]
        if fits:
            fits[-1].rejects.append(call)

    def _of(self, thread: Thread, call: CallView) -> list[ExpiryView]:
        return [
            one
            for one in self.all
            if one.listener == call.caller and one.entry.id in thread.removed
        ]

    def take(self, thread: Thread, call: CallView) -> bool:
        """Whether a list or a reject is that of a handler that has removed what is too old."""
        mine = self._of(thread, call)
        if call.what == LIST and mine:
            undone = [one for one in mine if not one.is_done] or mine[-1:]
            where = call.request.asked("directory")
            named = (one for one in undone if one.entry.text("directory") == where)
            at = next(named, undone[0])
            at.lists.append(call)
            call.expiry = at
        elif call.what == REJECT:
            self._rejected_of(mine, call)
        return bool(mine)

    def _rejected_of(self, mine: list[ExpiryView], call: CallView) -> None:
        """A reject shows whose the list before it was, where several are removed at once."""
        fits = self._surest([one for one in mine if self._is_rejected(one, call)], call)
        last = _last_listed(mine)
        found = last if last in fits else next((one for one in fits if not one.rejects), None)
        if found is None:
            return
        if last is not None and not last.rejects:
            _hand_over(last, found)
        call.expiry = found
        found.rejects.append(call)

    def edited(self, call: CallView, thread: Thread | None) -> None:
        """Whose buttons go after a list is that of the list; it is through."""
        number = call.body.get("message_id")
        mine = [] if thread is None else self._of(thread, call)
        found = next((one for one in mine if one.entry.message == number and number), None)
        if found is not None:
            if not found.lists:
                _hand_over(_last_listed(mine), found)
        else:
            found = _last_listed(mine)
        if found is not None:
            found.is_shut = True

    def _surest(self, fits: list[ExpiryView], call: CallView) -> list[ExpiryView]:
        """Those whose call it is; else those that have its options."""
        item = self.view.listed.get(call.id, {})
        exact = [one for one in fits if call_id_of(item) == one.entry.text("callID") != ""]
        return exact or [one for one in fits if match_of(one.entry, [item], "", EVERY)] or fits

    def _is_rejected(self, expiry: ExpiryView, call: CallView) -> bool:
        item, entry = self.view.listed.get(call.id, {}), expiry.entry
        if call.id == entry.text("requestID"):
            return True
        call_id = call_id_of(item)
        if call_id and entry.text("callID"):
            return call_id == entry.text("callID")
        return item.get("sessionID") == entry.text("sid")


def _last_listed(mine: list[ExpiryView]) -> ExpiryView | None:
    listed = [one for one in mine if one.lists]
    return max(listed, key=lambda one: one.lists[-1].n, default=None)


def _hand_over(last: ExpiryView | None, found: ExpiryView) -> None:
    """What seemed to be done for one entry was done for another."""
    if last is None or found is last or last.is_shut:
        return
    found.lists, last.lists = last.lists, []
    found.rejects, last.rejects = [*found.rejects, *last.rejects], []
    for one in (*found.lists, *found.rejects):
        one.expiry = found
