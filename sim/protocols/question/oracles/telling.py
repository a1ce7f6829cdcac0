"""What people are told: successes, failures, toasts (§7, DQ-17, DQ-18)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sim.core.http import HttpResponse
from sim.protocols.question.constants import QUESTION_TTL_MS, TOAST_CHARS
from sim.protocols.question.oracles.oracle import SECOND_US, OfListener, Owing
from sim.protocols.question.texts import FAILED
from sim.protocols.question.view import QuestionView
from sim.protocols.question.view_attempts import TOAST
from sim.protocols.question.view_calls import OPTION, CallView
from sim.protocols.question.view_records import Attempt, EntryView, LogView
from sim.protocols.question.view_telling import SAY

TOLD_US: Final = 25 * SECOND_US
"""By then every attempt has ended, and somebody has heard of it (DQ-11)."""


class FailuresAreTold(Owing):
    name = "failures-are-told"
    sentence = (
        "Whoever has pressed or written is told of a failure, beginning with the words "
        f"{FAILED}: by a toast, by a message where there is none."
    )
    catalogue = ("QT-41", "QT-42", "QT-43")
    obeyed_by = OfListener.obeyed_by
    IN_LOGS = True

    def on_failed(self, attempt: Attempt) -> None:
        if not attempt.is_unsure:
            self.exercised += 1
            text = f"{attempt.listener} tells nobody that update {attempt.update.id} has failed"
            self.owe(attempt.n, attempt.listener, f"{text} ({attempt.why})", 15 * SECOND_US)

    def on_issued(self, call: CallView) -> str | None:
        if not call.says_failed:
            return None
        if call.attempt is not None and call.what == TOAST:
            return self.pay(call.attempt.n)
        if call.what == SAY:
            mine = [key for key, debt in self._owed.items() if debt.host == call.caller]
            known = call.attempt.n if call.attempt is not None else None
            for key in [known] if known in mine else mine:
                self.forget(key)
        return None


class SettledIsNeverFailed(OfListener):
    name = "settled-is-never-failed"
    sentence = "An answer that OpenCode has taken is never told as a failure."
    catalogue = ("I10",)
    IN_LOGS = True

    def on_issued(self, call: CallView) -> str | None:
        attempt = call.attempt
        if attempt is None or attempt.settled_at < 0 or call.what not in (TOAST, SAY):
            return None
        self.exercised += 1
        if not call.says_failed:
            return None
        return f"{call.caller} tells {call.body.get('text')!r} of an answer that was taken"


class FailedIsNeverSettled(OfListener):
    name = "failed-is-never-settled"
    sentence = "An attempt that has failed is told as nothing else: its only toast has the words."
    catalogue = ("QT-41", "QT-42", "QT-43")
    IN_LOGS = True

    def on_issued(self, call: CallView) -> str | None:
        attempt = call.attempt
        if attempt is None or attempt.failed_at < 0 or call.what != TOAST or attempt.is_unsure:
            return None
        self.exercised += 1
        if call.says_failed or attempt.settled_at >= 0:
            return None
        return f"{call.caller} tells {call.body.get('text')!r} of an answer that has failed"


class PressesAreAnsweredOnce(Owing):
    name = "presses-are-answered-once"
    sentence = "A press of the chat is answered with one toast, in time; others with none."
    catalogue = ("QT-17", "QT-23", "QT-41", "I10")
    obeyed_by = OfListener.obeyed_by
    IN_LOGS = True

    def __init__(self, view: QuestionView) -> None:
        super().__init__(view)
        self._first: dict[tuple[str, str], CallView] = {}

    def on_update(self, attempt: Attempt) -> None:
        if attempt.update.is_press and not attempt.is_foreign:
            self.exercised += 1
            queue = self.view.attempts.open_of(attempt.listener)
            behind = sum(one.update.unique_id == attempt.update.unique_id for one in queue)
            text = f"{attempt.listener} does not answer the press {attempt.update.data}"
            self.owe(attempt.n, attempt.listener, text, TOLD_US * max(1, behind))

    def on_issued(self, call: CallView) -> str | None:
        attempt = call.attempt
        if call.what != TOAST or attempt is None:
            return None
        if len(str(call.body.get("text", ""))) > TOAST_CHARS:
            return f"{call.caller} writes a toast of more than {TOAST_CHARS} characters"
        key = (call.caller, attempt.update.query)
        if self.view.had_trouble(call.caller, attempt.at):
            self.forget(attempt.n)
        first = self._first.setdefault(key, call)
        if first is not call and not self._is_retry(first, attempt):
            return f"{call.caller} answers the press {attempt.update.data} a second time"
        return self.pay(attempt.n)

    def _is_retry(self, first: CallView, attempt: Attempt) -> bool:
        """After a 429 a toast goes out once more; after a crash the press comes again."""
        is_429 = isinstance(first.answer, HttpResponse) and first.answer.status == 429
        return is_429 or attempt.toasts[0] is not first


class ClosedIsTold(Owing):
    name = "closed-is-told"
    sentence = "A known question that is listed no more is closed here, too: entry and buttons go."
    catalogue = ("QT-33", "I2")
    obeyed_by = OfListener.obeyed_by

    def on_ended(self, call: CallView) -> None:
        attempt = call.attempt
        entry = None if attempt is None else attempt.entry
        if attempt is None or entry is None or call.what != "list" or entry.closed_at < 0:
            return
        if entry.is_there and not attempt.replies:
            self.exercised += 1
            text = f"{attempt.listener} keeps {entry.id}, which was closed elsewhere"
            self.owe(entry.id, attempt.listener, text, 5 * SECOND_US)

    def on_gone(self, kept: tuple[Any, Mapping[str, Any]]) -> str | None:
        return self.pay(kept[0].id)

    def on_log(self, line: LogView) -> None:
        """A store that refuses now is asked again beside the handler."""
        if line.level == "error" and " store " in line.text:
            self.forgive(line.host)

    def on_aside(self, kept: tuple[Any, Mapping[str, Any]]) -> None:
        self.forget(kept[0].id)


class BadPressesAreHarmless(OfListener):
    name = "bad-presses-are-harmless"
    sentence = "A press that names no entry, no option, or nothing that can be read, asks nothing."
    catalogue = ("QT-09", "QT-17", "I4")
    IN_LOGS = True

    def on_issued(self, call: CallView) -> str | None:
        attempt = call.attempt
        if attempt is None or not attempt.update.is_press or attempt.update.kind != "option":
            return None
        if call.what not in ("list", "reply"):
            self.exercised += attempt.entry is None
            return None
        entry = attempt.entry
        if entry is None or not entry.is_question or attempt.value is None:
            return f"{call.caller} asks OpenCode for the press {attempt.update.data}"
        return None


class GoodPressesAreTried(OfListener):
    name = "good-presses-are-tried"
    sentence = (
        "A press on an option of an open question that nobody is at is looked for, whoever has "
        "claimed it and died."
    )
    catalogue = ("QT-05", "QT-42", "I3")

    def on_issued(self, call: CallView) -> str | None:
        attempt = call.attempt
        if call.what != TOAST or attempt is None or attempt.update.kind != OPTION:
            return None
        entry = attempt.entry
        if entry is None or attempt.value is None or attempt.is_busy or not entry.is_question:
            return None
        self.exercised += 1
        if attempt.lists or attempt.is_foreign or self._is_excused(attempt, entry):
            return None
        return f"{call.caller} turns the press {attempt.update.data} away"

    def _is_excused(self, attempt: Attempt, entry: EntryView) -> bool:
        is_over = entry.settled_at >= 0 or entry.closed_at >= 0 or not entry.is_there
        attempts, listener = self.view.attempts, attempt.listener
        is_claimed = attempts.is_claimed(entry, listener) and entry.claim != attempt.claim
        is_old = attempts.age_us(entry, listener) > QUESTION_TTL_MS * 1_000 or attempt.is_unsure
        return is_over or is_claimed or is_old or self.view.had_trouble(listener, attempt.at)
