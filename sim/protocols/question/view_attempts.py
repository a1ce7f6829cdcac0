"""What listeners make of updates: whose each of their calls is, and how each attempt ends.

A call belongs to the handler that asks (see ``view_threads``), and a handler to the update
that it says it handles, else to the entry that it has claimed. Where that is not known
(recordings of other programs) the only attempt that it can belong to is taken; where there
are several, they are *unsure*.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from sim.core.event import Event
from sim.protocols.question.constants import CLAIM_VOID_MS, MATCH_TRIES
from sim.protocols.question.machine_updates import HANDLED, HANDLES
from sim.protocols.question.view_calls import (
    LIST,
    OPTION,
    REJECT,
    REPLY,
    TEXT,
    CallView,
    UpdateView,
    call_id_of,
    value_in,
)
from sim.protocols.question.view_expiries import Expiries
from sim.protocols.question.view_matching import match_of, meant_by
from sim.protocols.question.view_records import Attempt, EntryView, ExpiryView
from sim.protocols.question.view_telling import SAY, Telling
from sim.protocols.question.view_threads import Thread
from sim.protocols.question.view_turns import doubt, has_turn, in_turn, pressed_before
from sim.protocols.question.view_working import Working

if TYPE_CHECKING:
    from sim.protocols.question.view import QuestionView

MS_US: Final = 1_000
TOAST: Final = "answerCallbackQuery"


class Attempts:
    """``all`` attempts in order of arrival."""

    def __init__(self, view: QuestionView) -> None:
        self.view = view
        self.all: list[Attempt] = []
        self.working = Working()
        self._expired = Expiries(view)
        self._telling = Telling(self)
        self._taken: dict[tuple[str, int, int], Attempt] = {}
        self._claims: dict[str, Attempt] = {}
        self._queries: dict[str, list[Attempt]] = {}
        self._waits = 0

    @property
    def expiries(self) -> list[ExpiryView]:
        """What was too old, in order."""
        return self._expired.all

    # -- updates -------------------------------------------------------------------

    def came(self, listener: str, update: UpdateView, event: Event) -> None:
        """A listener has got an update; one that it has got before means nothing."""
        view = self.view
        key = (listener, view.epochs.get(listener, 0), update.id)
        if key in self._taken or view.is_led_by_another(listener):
            return
        attempt = self._taken[key] = Attempt(listener, key[1], update, event.n, event.at)
        self.all.append(attempt)
        self.working.came(attempt)
        chat = view.chat_of(listener)
        attempt.is_foreign = update.is_bot or (bool(chat) and update.chat != chat)
        if update.is_press:
            attempt.entry = self.entry(update.unique_id)
            self._queries.setdefault(update.query, []).append(attempt)
        else:
            found = self._means(attempt)
            attempt.behind = pressed_before(attempt, self.at_work_of(listener), found)
            if not attempt.meant and not attempt.behind:
                attempt.over_at = event.at
        if attempt.is_foreign:
            attempt.over_at = event.at
        self._look_at(attempt, attempt.entry)
        view.tell("update", attempt)

    def _meant(self, attempt: Attempt) -> EntryView | None:
        username = self.view.usernames.get(attempt.listener, "")
        return meant_by(attempt.update, self.entries(), username)

    def _means(self, attempt: Attempt) -> EntryView | None:
        """Whose answer a text is by what the store has now."""
        found = self._meant(attempt)
        if found is not None and found not in attempt.meant:
            attempt.meant.append(found)
        return found

    def _look_at(self, attempt: Attempt, entry: EntryView | None) -> None:
        if entry is None:
            return
        attempt.age_us = self.age_us(entry, attempt.listener)
        attempt.cached = entry.text("requestID")
        attempt.is_busy = self.is_claimed(entry, attempt.listener)
        if attempt not in entry.attempts:
            entry.attempts.append(attempt)

    def entry(self, id: str) -> EntryView | None:
        """The entry of that uniqueId, if it is there."""
        found = (store.entries.get(id) for store in self.view.stores.values())
        return next((one for one in found if one is not None), None)

    def entries(self) -> Iterator[EntryView]:
        """All questions that are there."""
        for store in self.view.stores.values():
            yield from (one for one in store.entries.values() if one.is_question)

    def age_us(self, entry: EntryView, host: str) -> int:
        """How old an entry is on a host's clock; -1 where nobody knows."""
        now, stamp = self.view.clock_ms(host), entry.fields.get("timestamp")
        if now is None or type(stamp) is not int:
            return -1
        return max(0, now - stamp) * MS_US

    def is_claimed(self, entry: EntryView, host: str) -> bool:
        """Whether a handler that may live has claimed it, as far as a host can tell."""
        if not entry.claim:
            return False
        now, at = self.view.clock_ms(host), entry.fields.get("claimedAt")
        if now is not None and type(at) is int and now - at > CLAIM_VOID_MS:
            return False
        of, _, epoch = entry.claim.partition("/")[0].rpartition("#")
        if self.view.is_log or not epoch.isdecimal():
            return True
        return of in self.view.up and self.view.epochs[of] == int(epoch)

    def noted(self, what: str, cause: int, listener: str, update: int) -> None:
        """A handler says which update it is at from now on, or that it is through with it."""
        attempt = self._known(listener, update)
        if what == HANDLES:
            self.view.threads.handles(cause, listener, update)
            if attempt is not None:
                attempt.begun_at = self.view.now
                self.working.speaks(attempt)
        elif what == HANDLED:
            self.view.threads.handled(cause, listener)
            if attempt is not None:
                attempt.handled_at = self.view.now
                self.over(attempt)

    def _known(self, listener: str, update: int) -> Attempt | None:
        return self._taken.get((listener, self.view.epochs.get(listener, 0), update))

    def open_of(self, listener: str) -> list[Attempt]:
        """What a listener has not ended yet."""
        return [one for one in self.at_work_of(listener) if not one.is_over]

    def at_work_of(self, listener: str) -> list[Attempt]:
        """What a listener is at: what it has not ended, or ends with a call that takes long."""
        return self.working.of(listener)

    # -- calls -----------------------------------------------------------------------

    def issued(self, call: CallView, event: Event) -> None:
        """A listener (or whoever) calls."""
        thread = self.view.threads.of(event.n, call.caller)
        if call.what == TOAST:
            self._toast(call, thread)
        elif call.what == LIST:
            call.attempt = self._of_list(call, thread)
        elif call.what == REPLY:
            call.attempt = self._of_reply(call, thread)
            if call.attempt is not None:
                call.attempt.replies.append(call)
                if call.attempt.entry is not None:
                    call.attempt.entry.replies.append(call)
        elif call.what == REJECT:
            self._expired.reject(call, thread)
        elif call.what in (SAY, "editMessageText", "editMessageReplyMarkup"):
            self._expired.edited(call, thread)
            self._telling.told(call, thread, self._of_thread(thread))

    def _toast(self, call: CallView, thread: Thread | None) -> None:
        asked = self._queries.get(str(call.body.get("callback_query_id", "")), [])
        mine = [one for one in asked if one.listener == call.caller]
        if mine:
            call.attempt = mine[-1]
            mine[-1].toasts.append(call)
            self.working.speaks(mine[-1])
            self.over(mine[-1])
            if thread is not None:
                thread.toasted = mine[-1]

    def _of_list(self, call: CallView, thread: Thread | None) -> Attempt | None:
        if thread is not None and self._expired.take(thread, call):
            return None
        found = self._of_thread(thread)
        if found is None:
            able = [one for one in self.open_of(call.caller) if _fits(one, call)]
            for one in able if len(able) > 1 else ():
                one.is_unsure = True
            found = able[0] if len(able) == 1 else None
        if found is not None:
            self._settle_on(found)
            if not found.lists and found.entry is not None:
                found.cached = found.entry.text("requestID")
            found.lists.append(call)
        return found

    def _of_reply(self, call: CallView, thread: Thread | None) -> Attempt | None:
        found = self._of_thread(thread)
        if found is not None:
            return found if found.begun_at >= 0 else self._by_value(found, call)
        able = [one for one in self.open_of(call.caller) if _fits(one, call)]
        if len(able) > 1:
            able = [one for one in able if one.value == value_in(call)] or able
        if len(able) > 1:
            able = [one for one in able if self._is_for(one, call)] or able
        if len(able) != 1:
            for one in able:
                one.is_unsure = True
            return None
        self._settle_on(able[0])
        return able[0]

    def _by_value(self, found: Attempt, call: CallView) -> Attempt:
        """Which text a handler has is seen for sure by what it sends."""
        value = value_in(call)
        if found.update.kind != TEXT or found.value == value:
            return found
        for one in reversed(self.open_of(call.caller)):
            if one.update.kind == TEXT and one.value == value and not one.claim:
                one.claim, one.entry, found.claim = found.claim, found.entry, ""
                one.lists, found.lists = found.lists, one.lists
                self._claims[one.claim] = one
                return one
        return found

    def _is_for(self, attempt: Attempt, call: CallView) -> bool:
        """Whether a reply could well be this attempt's."""
        item = self.view.listed.get(call.id, {})
        mine = attempt.meant if attempt.entry is None else [attempt.entry]
        return any(
            call.id == one.text("requestID")
            or (call_id_of(item) and call_id_of(item) == one.text("callID"))
            for one in mine
        )

    def _of_thread(self, thread: Thread | None) -> Attempt | None:
        if thread is None:
            return None
        is_said = thread.update >= 0
        said = self._known(thread.host, thread.update)
        return said if is_said else self._claims.get(thread.claim)

    def _settle_on(self, attempt: Attempt) -> None:
        """A text turns out to be for what it was for when it came."""
        if attempt.entry is None and attempt.meant:
            attempt.entry = attempt.meant[-1]
            self._look_at(attempt, attempt.entry)

    # -- how calls end ------------------------------------------------------------------

    def ended(self, call: CallView) -> None:
        """A call has its answer."""
        attempt = call.attempt
        if attempt is None or attempt.entry is None:
            return
        entry = attempt.entry
        if call.what == LIST:
            self._list_ended(call, attempt, entry)
        elif call.what == REPLY and call.succeeded:
            attempt.settled_at = self.view.now
            if entry.settled_at < 0:
                entry.settled_at, entry.settled_n = self.view.now, call.n
            self.view.tell("settled", attempt)
        elif call.what == REPLY:
            self._failed(attempt, "reply")

    def _list_ended(self, call: CallView, attempt: Attempt, entry: EntryView) -> None:
        if not call.succeeded:
            self._failed(attempt, "list")
            return
        index = attempt.update.index
        if match_of(entry, call.items, attempt.cached, index):
            return
        if attempt.cached:
            entry.closed_at = self.view.now
        elif len(attempt.lists) == MATCH_TRIES:
            self._failed(attempt, "unlisted")

    def _failed(self, attempt: Attempt, why: str) -> None:
        attempt.failed_at, attempt.why = self.view.now, why
        self.view.tell("failed", attempt)

    def over(self, attempt: Attempt) -> None:
        """Nothing more is expected of it."""
        if attempt.over_at < 0:
            attempt.over_at = self.view.now

    def crashed(self, host: str) -> None:
        """A listener's life is over, and all that it was at."""
        for one in self.at_work_of(host):
            one.has_crashed = True
            self.over(one)

    # -- entries -------------------------------------------------------------------------

    def entry_changed(
        self,
        word: str,
        entry: EntryView,
        before: Mapping[str, Any],
        by: str,
        thread: Thread | None,
    ) -> None:
        """The store has another version of an entry, or has it no more."""
        if word == "gone":
            self._gone(entry, by, thread)
            return
        old = str(before.get("claimedBy", "") or "")
        if entry.claim and entry.claim != old and word == "changed":
            self._claimed(entry, by, thread)
        elif old and not entry.claim:
            self._released(old)
        if entry.waits and entry.prompt and entry.prompt not in entry.prompts:
            entry.prompts.append(entry.prompt)
        if entry.waits and (before.get("awaitingSince") != entry.fields.get("awaitingSince")
                            or before.get("awaitingText") is not True):  # fmt: skip
            self._waits += 1
            entry.waited_n = self._waits
            asked = self._claims.get(entry.claim or old)
            entry.asked_id = -1 if asked is None else asked.update.id

    def _claimed(self, entry: EntryView, by: str, thread: Thread | None) -> None:
        attempt = self._claimant(entry, by, thread)
        if thread is not None:
            thread.entry, thread.claim = entry.id, entry.claim
            thread.removed.clear()
        if attempt is not None:
            attempt.claim, attempt.claimed_at = entry.claim, self.view.now
            if attempt.entry is None:
                attempt.entry = entry
                self._look_at(attempt, entry)
            self._claims[entry.claim] = attempt

    def _claimant(self, entry: EntryView, by: str, thread: Thread | None) -> Attempt | None:
        """What a listener has claimed an entry for: presses on it and texts that are for it,
        in order; else the newest text, right or wrong."""
        busy = self.at_work_of(by)
        if thread is not None and thread.update >= 0:
            known = self._of_thread(thread)
            if known is not None and has_turn(known, busy, self._meant(known)):
                self._means(known)
            return known
        idle = [one for one in self.open_of(by) if not one.claim]
        doubt(idle, entry)
        for one in in_turn(idle, thread):
            # What it was for when it came may have changed before its turn.
            is_text = one.update.kind == TEXT and one.entry is None
            is_text = is_text and has_turn(one, busy, self._meant(one))
            if one.entry is entry or (is_text and self._means(one) is entry):
                self._passed_by(one, entry, idle)
                return one
        texts = [one for one in idle if one.update.kind == TEXT]
        return texts[-1] if texts else None

    def _passed_by(self, chosen: Attempt, entry: EntryView, idle: list[Attempt]) -> None:
        """Older texts that waited for their turn at an entry have had it: it was not for
        them."""
        for one in idle:
            if one.update.id < chosen.update.id and entry in (*one.behind, *one.meant):
                one.behind = [other for other in one.behind if other is not entry]
                if not one.behind and self._means(one) in (None, entry):
                    self.over(one)

    def _released(self, claim: str) -> None:
        attempt = self._claims.get(claim)
        if attempt is not None and attempt.update.kind == TEXT:
            self.over(attempt)

    def _gone(self, entry: EntryView, by: str, thread: Thread | None) -> None:
        if thread is not None:
            thread.removed.append(entry.id)
            entry.gone_claim = thread.claim
        attempt = self._claims.get(entry.claim) if entry.claim else None
        if attempt is not None and attempt.update.kind == TEXT:
            self.over(attempt)
        self._expired.gone(entry, by, self.age_us(entry, by))


def _fits(attempt: Attempt, call: CallView) -> bool:
    """Whether a list or reply may be this attempt's, as far as the project tells."""
    mine = attempt.meant if attempt.entry is None else [attempt.entry]
    if attempt.update.kind not in (OPTION, TEXT):
        return False
    directory = call.request.asked("directory") or ""
    return any(one.text("directory") in (directory, "") or not directory for one in mine)
