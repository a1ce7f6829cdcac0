"""The form of the calls to OpenCode, and that there is a reason for each (§3, QT-06 … QT-10)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from sim.protocols.question.constants import OPENCODE_TIMEOUT_MS
from sim.protocols.question.oracles.oracle import MS_US, SECOND_US, OfListener, seconds
from sim.protocols.question.view_calls import LIST, OTHER, REJECT, REPLY, TEXT, CallView, value_in
from sim.protocols.question.view_records import Attempt, EntryView

QUESTION_CALLS: Final = (LIST, REPLY, REJECT)


class RequestsNameTheProject(OfListener):
    name = "requests-name-the-project"
    sentence = (
        "Lists, replies and rejects name the project of the entry, and none where it has none."
    )
    catalogue = ("QT-06", "QT-07", "QT-10")
    IN_LOGS = True

    def on_issued(self, call: CallView) -> str | None:
        if call.what not in QUESTION_CALLS:
            return None
        asked = call.request.asked("directory") or ""
        due = self._due(call)
        if not due:
            return None
        self.exercised += 1
        if asked in due:
            return None
        return f"{call.caller} asks {call.what} for the project {asked!r}, not for {due[0]!r}"

    def _due(self, call: CallView) -> list[str]:
        """The projects that it may name, none where that is not known."""
        if call.attempt is not None and call.attempt.entry is not None:
            return [call.attempt.entry.text("directory")]
        if call.what == REJECT and call.expiry is not None:
            return [call.expiry.entry.text("directory")]
        if call.expiry is not None:
            mine = self.view.attempts.expiries
            return [one.entry.text("directory") for one in mine if one.listener == call.caller]
        known = {
            one.text("directory"): None
            for store in self.view.stores.values()
            for one in store.known.values()
        }
        return list(known)


class RepliesHoldOneValue(OfListener):
    name = "replies-hold-one-value"
    sentence = 'A reply\'s body is {"answers": [[value]]}: one row, with one text.'
    catalogue = ("QT-08", "QT-46")
    IN_LOGS = True

    def on_issued(self, call: CallView) -> str | None:
        if call.what != REPLY:
            return None
        self.exercised += 1
        if value_in(call) is not None and set(call.body) == {"answers"}:
            return None
        return f"{call.caller} replies with {call.request.body!r}"


class RepliesSayWhatWasChosen(OfListener):
    name = "replies-say-what-was-chosen"
    sentence = (
        "A reply has the value of the option that somebody has pressed, or the text that he "
        "has written for this question."
    )
    catalogue = ("QT-09", "QT-17", "QT-26", "I4")
    IN_LOGS = True

    def on_issued(self, call: CallView) -> str | None:
        value = value_in(call) if call.what == REPLY else None
        if value is None:
            return None
        attempt = call.attempt
        if attempt is None or attempt.is_unsure:
            return self._of_nobody(call, value)
        self.exercised += 1
        if attempt.update.is_press and attempt.update.kind != "option":
            return f"{call.caller} replies to a press that chooses nothing: {attempt.update.data}"
        entry = attempt.entry
        if entry is not None and entry.is_there and value in (attempt.value, self._raw(attempt)):
            return None
        return f"{call.caller} replies {value!r}, where {attempt.value!r} was chosen"

    def _raw(self, attempt: Attempt) -> str | None:
        return attempt.update.text if attempt.update.kind == TEXT else None

    def _of_nobody(self, call: CallView, value: str) -> str | None:
        """It may be one of several attempts'; one of them has to fit."""
        able = [
            one
            for one in self.view.attempts.all
            if one.listener == call.caller and not one.is_foreign
        ]
        if any(value in (one.value, self._raw(one)) for one in able):
            return None
        return f"{call.caller} replies {value!r}, which nobody has chosen or written"


class CallsHaveAReason(OfListener):
    name = "calls-have-a-reason"
    sentence = (
        "A listener asks OpenCode only for a press or text of its chat that has an entry, or "
        "for an entry that is too old; and nothing but the three calls about questions."
    )
    catalogue = ("QT-01", "QT-17", "QT-29")
    IN_LOGS = True

    def on_issued(self, call: CallView) -> str | None:
        if call.caller not in self.view.polls or call.request.path.startswith("/bot"):
            return None
        self.exercised += 1
        if call.what == OTHER:
            return f"{call.caller} asks OpenCode for {call.request.word}"
        if call.attempt is not None or call.expiry is not None or self._has_reason(call.caller):
            return None
        return f"{call.caller} asks for {call.what}, though nobody has asked it for anything"

    def _has_reason(self, listener: str) -> bool:
        if any(one.listener == listener for one in self.view.attempts.expiries):
            return True
        return any(
            one.update.kind in ("option", TEXT) and self._can_answer(one)
            for one in self.view.attempts.open_of(listener)
        )

    def _can_answer(self, attempt: Attempt) -> bool:
        return attempt.entry is not None or bool(attempt.meant)


class StrangersAreIgnored(OfListener):
    name = "strangers-are-ignored"
    sentence = "What another chat, or a bot, presses or writes is no answer."
    catalogue = ("QT-17", "QT-29", "I4")
    IN_LOGS = True

    def on_update(self, attempt: Attempt) -> None:
        self.exercised += attempt.is_foreign

    def on_issued(self, call: CallView) -> str | None:
        if call.what != REPLY or value_in(call) is None:
            return None
        value = value_in(call)
        newest = (one for one in reversed(self.view.attempts.all) if one.listener == call.caller)
        able = (one for one in newest if value in (one.value, one.update.text))
        if not _all_foreign(able):
            return None
        return f"{call.caller} replies {value!r}, which came from elsewhere"

    def on_changed(self, kept: tuple[EntryView, Mapping[str, Any]]) -> str | None:
        entry, before = kept
        user = entry.fields.get("expectedUserId")
        if type(user) is not int or before.get("expectedUserId") == user:
            return None
        asked = (
            one
            for one in reversed(self.view.attempts.all)
            if one.update.user == user and one.update.kind == "custom"
        )
        if not _all_foreign(asked):
            return None
        return f"{entry.id} waits for {user}, who is not of this chat"


def _all_foreign(attempts: Iterator[Attempt]) -> bool:
    """Whether there are some, and none is of the chat; it mostly is with the first."""
    first = next(attempts, None)
    return first is not None and first.is_foreign and all(one.is_foreign for one in attempts)


class CallsEnd(OfListener):
    name = "calls-end"
    sentence = "No call of OpenCode lasts longer than 5 s, no attempt longer than 20 s."
    catalogue = ("QT-39",)
    IN_LOGS = True

    MOST_US: Final = OPENCODE_TIMEOUT_MS * MS_US + SECOND_US

    def on_ended(self, call: CallView) -> str | None:
        if call.what not in QUESTION_CALLS:
            return None
        self.exercised += 1
        lasted = call.ended_at - call.at
        if lasted <= self.MOST_US + self.view.grace_us(call.caller):
            return None
        return f"{call.caller} waits {seconds(lasted)} for {call.what}"
