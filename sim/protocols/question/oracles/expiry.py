"""The TTL of 30 minutes, and what is done at its end (§5, QT-32, QT-44, DQ-09, DQ-10)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from sim.protocols.question.constants import CLEANING_EVERY_MS, QUESTION_TTL_MS
from sim.protocols.question.oracles.oracle import MS_US, SECOND_US, OfListener, Owing, seconds
from sim.protocols.question.view import QuestionView
from sim.protocols.question.view_calls import LIST, OPTION, REJECT, REPLY, TEXT, CallView
from sim.protocols.question.view_matching import EVERY, match_of
from sim.protocols.question.view_records import Attempt, EntryView, ExpiryView, LogView

Kept = tuple[EntryView, Mapping[str, Any]]
TTL_US: Final = QUESTION_TTL_MS * MS_US
AT_ONCE_US: Final = 5 * MS_US
"""Who claims so soon begins to handle an update when it comes."""
EDGE_US: Final = 1 * MS_US
"""Clocks count milliseconds."""


class InTimeIsInTime(OfListener):
    name = "in-time-is-in-time"
    sentence = (
        "A question that is 30:00.000 old or less is not removed, rejected, or called expired."
    )
    catalogue = ("QT-32",)
    IN_LOGS = True

    def on_gone(self, kept: Kept) -> str | None:
        entry = kept[0]
        if not entry.gone_by or entry.settled_at >= 0 or entry.closed_at >= 0:
            return None
        age = self.view.attempts.age_us(entry, entry.gone_by)
        if not TTL_US - SECOND_US < age <= TTL_US:
            return None
        return f"{entry.gone_by} removes {entry.id}, which is {seconds(age)} old"

    def on_issued(self, call: CallView) -> str | None:
        attempt = call.attempt
        if call.what == REJECT:
            self.exercised += 1
        if call.what != "answerCallbackQuery" or attempt is None or attempt.entry is None:
            return None
        if attempt.update.kind != OPTION or attempt.is_busy or attempt.value is None:
            return None
        waited = attempt.claimed_at - attempt.at
        if not 0 <= attempt.age_us <= TTL_US or not 0 <= waited <= AT_ONCE_US:
            return None
        entry = attempt.entry
        self.exercised += attempt.age_us > TTL_US - SECOND_US
        if attempt.lists or entry.settled_at >= 0 or entry.closed_at >= 0 or not entry.is_question:
            return None
        if entry.is_there or entry.is_lost:
            return None
        return f"{call.caller} calls {entry.id} expired at {seconds(attempt.age_us)}"


class LateIsLate(OfListener):
    name = "late-is-late"
    sentence = "A press or text for a question of more than 30 minutes is not brought to OpenCode."
    catalogue = ("QT-32",)
    IN_LOGS = True

    def on_update(self, attempt: Attempt) -> None:
        self.exercised += attempt.age_us > TTL_US

    def on_issued(self, call: CallView) -> str | None:
        attempt = call.attempt
        if attempt is None or call.what not in (LIST, REPLY) or attempt.is_unsure:
            return None
        if attempt.update.kind not in (OPTION, TEXT) or attempt.age_us <= TTL_US + EDGE_US:
            return None
        return f"{call.caller} asks {call.what} for a question of {seconds(attempt.age_us)}"


class TheOldAreRemoved(OfListener):
    name = "the-old-are-removed"
    sentence = "A question of more than 30 minutes is removed by the next cleaning turn, in 30 s."
    catalogue = ("QT-32",)

    TURN_US: Final = (CLEANING_EVERY_MS + 15_000) * MS_US
    MOST_US: Final = TTL_US + TURN_US

    def on_expired(self, expiry: ExpiryView) -> None:
        self.exercised += 1

    def at_end(self) -> Iterator[str]:
        for listener, poll in self.view.polls.items():
            if listener not in self.view.up or self.view.now - poll.at > 60 * SECOND_US:
                continue
            if self.view.had_trouble(listener, self.view.now - self.TURN_US):
                continue  # its last turn has come to nothing; there will be another one
            since_us = self.view.now - self.view.up[listener]
            for entry in self.view.attempts.entries():
                age = self.view.attempts.age_us(entry, listener)
                is_free = not self.view.attempts.is_claimed(entry, listener)
                is_seen = since_us > self.TURN_US and self._is_old_here(entry)
                late = self.MOST_US + self.view.grace_us(listener)
                if age > late and is_free and is_seen:
                    yield f"{listener} keeps {entry.id}, which is {seconds(age)} old"

    def _is_old_here(self, entry: EntryView) -> bool:
        """Whether it was there long enough for a turn to see it."""
        return self.view.now - entry.born_at > self.TURN_US


class TheOldAreRejected(Owing):
    name = "the-old-are-rejected"
    sentence = "At expiry a question that is listed is rejected, once."
    catalogue = ("QT-10", "QT-32")
    obeyed_by = OfListener.obeyed_by
    IN_LOGS = True

    def __init__(self, view: QuestionView) -> None:
        super().__init__(view)
        self._rejected: dict[str, None] = {}
        self._replied: dict[str, CallView] = {}

    def on_ended(self, call: CallView) -> None:
        expiry = call.expiry
        if call.what != LIST or expiry is None or not call.succeeded:
            return
        known = expiry.entry.text("requestID")
        due = match_of(expiry.entry, call.items, known, EVERY)
        if due and due not in self._rejected and not self._is_answered(due):
            self.exercised += 1
            text = f"{call.caller} does not reject the question of {expiry.entry.id}"
            self.owe(expiry.entry.id, call.caller, text, 5 * SECOND_US)

    def _is_answered(self, id: str) -> bool:
        """Whether it is answered, through another entry, which was about it, too."""
        reply = self._replied.get(id)
        return reply is not None and (reply.is_open or reply.succeeded)

    def on_issued(self, call: CallView) -> str | None:
        if call.what == REPLY:
            self._replied[call.id] = call
        for expiry in self.view.attempts.expiries:
            if not expiry.lists:  # what seemed to be its list was another's
                self.forget(expiry.entry.id)
        if call.what != REJECT:
            return None
        self._rejected[call.id] = None
        return None if call.expiry is None else self.pay(call.expiry.entry.id)


class ExpiryLooksForTheQuestion(Owing):
    name = "expiry-looks-for-the-question"
    sentence = "At expiry the question is looked for."
    catalogue = ("QT-32",)
    obeyed_by = OfListener.obeyed_by

    def on_expired(self, expiry: ExpiryView) -> None:
        self.exercised += 1
        text = f"{expiry.listener} does not look for the question of {expiry.entry.id}"
        self.owe(expiry.entry.id, expiry.listener, text, 60 * SECOND_US)

    def on_issued(self, call: CallView) -> str | None:
        for expiry in self.view.attempts.expiries:
            if expiry.is_shut and expiry.lists:  # the list seemed to be another's
                self.forget(expiry.entry.id)
        if call.what not in (LIST, REJECT) or call.expiry is None:
            return None
        return self.pay(call.expiry.entry.id)


class RejectsAreForTheExpired(OfListener):
    name = "rejects-are-for-the-expired"
    sentence = "Only the question of an entry that has expired is rejected, and only once."
    catalogue = ("QT-10", "QT-32", "QT-44", "I9")
    IN_LOGS = True

    def __init__(self, view: QuestionView) -> None:
        super().__init__(view)
        self._rejected: dict[tuple[str, str], None] = {}

    def on_issued(self, call: CallView) -> str | None:
        if call.what != REJECT:
            return None
        self.exercised += 1
        rejected = [one for one in self.view.attempts.expiries if call in one.rejects]
        key = (call.id, rejected[0].entry.id if rejected else "")
        if key in self._rejected:
            return f"{call.caller} rejects {call.id} again"
        self._rejected[key] = None
        if not rejected:
            return f"{call.caller} rejects {call.id}, whose entry has not expired"
        entry = rejected[0].entry
        item = self.view.listed.get(call.id, {})
        if match_of(entry, [item], entry.text("requestID"), EVERY):
            return None
        return f"{call.caller} rejects {call.id}, which is not the question of {entry.id}"


class FailedRejectsWarn(Owing):
    name = "failed-rejects-warn"
    sentence = "A reject that fails, or its list, is one warning in the log, and nobody is told."
    catalogue = ("QT-44",)
    obeyed_by = OfListener.obeyed_by

    def on_ended(self, call: CallView) -> None:
        if call.expiry is not None and not call.succeeded:
            self.exercised += 1
            text = f"{call.caller} does not warn of a reject that has failed"
            self.owe(call.caller, call.caller, text, SECOND_US)

    def on_log(self, line: LogView) -> str | None:
        return self.pay(line.host) if line.level in ("warning", "warn") else None


class ExpiryTakesTheButtons(Owing):
    name = "expiry-takes-the-buttons"
    sentence = (
        "The message of a question that has expired loses its buttons, whatever OpenCode says."
    )
    catalogue = ("QT-32", "QT-44")
    obeyed_by = OfListener.obeyed_by
    IN_LOGS = True

    def on_expired(self, expiry: ExpiryView) -> None:
        if expiry.entry.message:
            self.exercised += 1
            number = expiry.entry.message
            text = f"{expiry.listener} leaves the buttons of message {number}, which has expired"
            self.owe((expiry.listener, number), expiry.listener, text, 60 * SECOND_US)

    def on_issued(self, call: CallView) -> str | None:
        if not call.what.startswith("editMessage"):
            return None
        return self.pay((call.caller, call.body.get("message_id")))


class HandlingIsSpared(OfListener):
    name = "handling-is-spared"
    sentence = "What is being handled does not expire meanwhile: it goes on to its end."
    catalogue = ("QT-32", "I9")

    def on_gone(self, kept: Kept) -> str | None:
        entry = kept[0]
        if not entry.gone_by or entry.settled_at >= 0 or entry.closed_at >= 0 or not entry.claim:
            return None
        self.exercised += 1
        is_claimed = self.view.attempts.is_claimed(entry, entry.gone_by)
        if entry.gone_claim == entry.claim or not is_claimed:
            return None
        return f"{entry.gone_by} removes {entry.id}, at which {entry.claim} still works"
