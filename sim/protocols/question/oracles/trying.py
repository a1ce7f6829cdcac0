"""How often a question is looked for, how fast, and what ends it (§6, QT-37 … QT-41)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sim.protocols.question.constants import (
    ATTEMPT_LIMIT_MS,
    EXPIRY_PAUSE_MS,
    EXPIRY_TRIES,
    MATCH_PAUSE_MS,
    MATCH_TRIES,
)
from sim.protocols.question.oracles.matching import due_of
from sim.protocols.question.oracles.oracle import MS_US, SECOND_US, OfListener, Owing, seconds
from sim.protocols.question.view import QuestionView
from sim.protocols.question.view_calls import LIST, CallView
from sim.protocols.question.view_records import Attempt, EntryView, LogView

SLACK_US: Final = 50 * MS_US
"""How far a recording's times may be off; a simulated pause is exact."""


class TriesAreCounted(OfListener):
    name = "tries-are-counted"
    sentence = "An attempt lists 20 times at most, and one whose question is known lists once."
    catalogue = ("QT-33", "QT-37", "QT-39", "I5")
    IN_LOGS = True

    def on_issued(self, call: CallView) -> str | None:
        attempt = call.attempt
        if call.what != LIST or attempt is None or attempt.is_unsure:
            return None
        self.exercised += 1
        if len(attempt.lists) > MATCH_TRIES:
            return f"{call.caller} lists {len(attempt.lists)} times for {attempt.update.id}"
        if attempt.cached and len(attempt.lists) > 1 and not self.view.is_log:
            return f"{call.caller} looks again for {attempt.cached}, which it knows"
        return None


class TriesArePaced(OfListener):
    name = "tries-are-paced"
    sentence = "From the end of one list to the start of the next 300 ms go by."
    catalogue = ("QT-38", "QT-39")
    IN_LOGS = True

    def on_issued(self, call: CallView) -> str | None:
        attempt = call.attempt
        if call.what != LIST or attempt is None or attempt.is_unsure or len(attempt.lists) < 2:
            return None
        before = attempt.lists[-2]
        self.exercised += 1
        if before.is_open:
            return f"{call.caller} lists again before it has the list that it has asked for"
        gap, due = call.at - before.ended_at, MATCH_PAUSE_MS * MS_US
        late = self.view.grace_us(call.caller) + (SLACK_US if self.view.is_log else 0)
        early = SLACK_US if self.view.is_log else 0
        if due - early <= gap <= due + late:
            return None
        return f"{call.caller} lists again after {seconds(gap)}"


class TriesAreUsed(OfListener):
    name = "tries-are-used"
    sentence = "A question that is not listed is looked for 20 times before the user is told."
    catalogue = ("QT-37", "QT-39", "QT-40")
    IN_LOGS = True

    def on_issued(self, call: CallView) -> str | None:
        attempt = call.attempt
        if attempt is None or attempt.is_unsure or call.what not in WORDS_TO_USERS:
            return None
        if not attempt.lists or attempt.replies or attempt.cached or attempt.entry is None:
            return None
        last = attempt.lists[-1]
        if last.is_open or not last.succeeded or due_of(attempt, last):
            return None
        self.exercised += 1
        is_out_of_time = call.at - attempt.lists[0].at > (ATTEMPT_LIMIT_MS - 1_000) * MS_US
        if len(attempt.lists) >= MATCH_TRIES or is_out_of_time:
            return None
        return f"{call.caller} gives up after {len(attempt.lists)} lists"


WORDS_TO_USERS: Final = ("answerCallbackQuery", "sendMessage")


class FailedListsEndIt(OfListener):
    name = "failed-lists-end-it"
    sentence = "A list that fails ends the attempt at once."
    catalogue = ("QT-41",)
    IN_LOGS = True

    def on_issued(self, call: CallView) -> str | None:
        attempt = call.attempt
        if call.what != LIST or attempt is None or attempt.is_unsure or len(attempt.lists) < 2:
            return None
        before = attempt.lists[-2]
        self.exercised += not before.is_open
        if before.is_open or before.succeeded:
            return None
        return f"{call.caller} lists again after a list that failed"


class AttemptsComeToAnEnd(Owing):
    name = "attempts-come-to-an-end"
    sentence = (
        "An attempt goes on after each list: with a reply, another list, or a word to the user."
    )
    catalogue = ("QT-04", "QT-39", "QT-40", "I6")
    obeyed_by = OfListener.obeyed_by

    def on_ended(self, call: CallView) -> None:
        attempt = call.attempt
        if call.what == LIST and attempt is not None and not attempt.is_unsure:
            self.exercised += 1
            text = f"{call.caller} does nothing any more about {attempt.update.id}"
            self.owe(attempt.n, call.caller, text, 5 * SECOND_US)

    def on_issued(self, call: CallView) -> None:
        if call.attempt is not None:
            self.forget(call.attempt.n)

    def on_log(self, line: LogView) -> None:
        """A store that refuses ends it in another way."""
        if line.level == "error" and "store" in line.text:
            self.forgive(line.host)


class HandlersRunSideBySide(Owing):
    name = "handlers-run-side-by-side"
    sentence = "A press or text for a question that nobody is at is worked on at once."
    catalogue = ("QT-47", "QT-27", "QT-40", "I6")
    obeyed_by = OfListener.obeyed_by

    def __init__(self, view: QuestionView) -> None:
        super().__init__(view)
        self._trouble: dict[str, int] = {}

    def on_update(self, attempt: Attempt) -> None:
        entry = attempt.entry or (attempt.meant[0] if attempt.meant else None)
        if attempt.is_over or attempt.update.kind == "bad" or entry is None or attempt.is_busy:
            return
        busy = self.view.attempts.at_work_of(attempt.listener)
        others = [one for one in busy if one is not attempt]
        if any(entry in (one.entry, *one.meant) for one in others) or self._waits(attempt, others):
            return
        self.exercised += 1
        text = f"{attempt.listener} does nothing about update {attempt.update.id}"
        self.owe(attempt.n, attempt.listener, text, 3 * SECOND_US)

    def _waits(self, attempt: Attempt, others: list[Attempt]) -> bool:
        """A text waits for what its sender has pressed before."""
        return attempt.update.kind == "text" and any(
            one.update.user == attempt.update.user for one in others
        )

    def on_gone(self, kept: tuple[EntryView, Mapping[str, Any]]) -> None:
        """A text for what has left the store meanwhile is nobody's."""
        for one in self.view.attempts.all:
            if one.update.kind == "text" and kept[0] in one.meant:
                self.forget(one.n)

    def on_issued(self, call: CallView) -> str | None:
        if call.attempt is not None:
            if self.view.had_trouble(call.caller, call.attempt.at):
                self.forget(call.attempt.n)
            return self.pay(call.attempt.n)
        for one in self.view.attempts.open_of(call.caller) if call.what != "getUpdates" else ():
            if one.is_unsure or call.what not in (LIST, "answerCallbackQuery"):
                self.forget(one.n)
        return None


class ExpiredAreLookedForTwice(OfListener):
    name = "expired-are-looked-for-twice"
    sentence = "At expiry there are two lists at most, 200 ms apart."
    catalogue = ("QT-32",)
    IN_LOGS = True

    def on_issued(self, call: CallView) -> str | None:
        expiry = call.expiry
        if call.what != LIST or expiry is None:
            return None
        self.exercised += 1
        if len(expiry.lists) > EXPIRY_TRIES:
            return (
                f"{call.caller} lists {len(expiry.lists)} times for the expired {expiry.entry.id}"
            )
        if len(expiry.lists) < 2:
            return None
        gap = call.at - expiry.lists[-2].ended_at
        late = self.view.grace_us(call.caller) + (SLACK_US if self.view.is_log else 0)
        due = EXPIRY_PAUSE_MS * MS_US
        if due - (SLACK_US if self.view.is_log else 0) <= gap <= due + late:
            return None
        return f"{call.caller} lists again after {seconds(gap)} at expiry"
