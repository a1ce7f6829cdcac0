"""getUpdates for ever: its pace, its offsets, and what it says of failures (DQ-14, DQ-15)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sim.protocols.question.constants import (
    BUSY_POLL_MS,
    GET_UPDATES_TIMEOUT_MS,
    POLL_RETRY_MS,
)
from sim.protocols.question.oracles.oracle import MS_US, SECOND_US, OfListener, Owing, seconds
from sim.protocols.question.view import POLL, QuestionView
from sim.protocols.question.view_calls import BAD, TEXT, CallView
from sim.protocols.question.view_records import Attempt, LogView

SLACK_US: Final = 100 * MS_US


def offset_of(call: CallView) -> int:
    """The offset that a poll asks from; 0 where it names none."""
    asked = call.request.asked("offset") or call.body.get("offset") or 0
    try:
        return int(asked)
    except (TypeError, ValueError):
        return 0


class PollingGoesOn(OfListener):
    name = "polling-goes-on"
    sentence = "A listener that has begun to poll asks again: at once, or 5 s after a failure."
    catalogue = ("QT-04", "QT-30", "QT-44", "QT-45", "I6")
    IN_LOGS = True

    MOST_US: Final = POLL_RETRY_MS * MS_US + 3 * SECOND_US

    def __init__(self, view: QuestionView) -> None:
        super().__init__(view)
        self._ended: dict[str, CallView] = {}

    def on_crashed(self, host: str) -> None:
        self._ended.pop(host, None)

    def on_ended(self, call: CallView) -> None:
        if call.what == POLL:
            self._ended[call.caller] = call

    def on_polled(self, call: CallView) -> str | None:
        before = self._ended.pop(call.caller, None)
        if before is None:
            return None
        self.exercised += 1
        gap = call.at - before.ended_at
        if not before.succeeded and gap < POLL_RETRY_MS * MS_US - SLACK_US:
            return f"{call.caller} polls again {seconds(gap)} after a failure"
        led = self._led_since(call.caller)
        gap = call.at - max(before.ended_at, led)
        if led >= 0 and gap > self.MOST_US + self.view.grace_us(call.caller):
            return f"{call.caller} has not polled for {seconds(gap)}"
        return None

    def _led_since(self, listener: str) -> int:
        """Since when it has the lease; -1 where it has not, 0 where there is none."""
        leases = [store.lease for store in self.view.stores.values() if store.lease is not None]
        mine = [one.since for one in leases if one.owner.startswith(f"{listener}#")]
        return max(mine, default=-1 if leases else 0)

    def at_end(self) -> Iterator[str]:
        for listener, call in self._ended.items():
            led = self._led_since(listener)
            gap = self.view.now - max(call.ended_at, led)
            late = 2 * self.MOST_US + self.view.grace_us(listener)
            if listener in self.view.up and gap > late and led >= 0:
                yield f"{listener} has not polled for {seconds(gap)}"


class BusyPollsAreSpaced(OfListener):
    name = "busy-polls-are-spaced"
    sentence = "While something is being handled, polls that bring nothing new are 300 ms apart."
    catalogue = ("I6",)

    def __init__(self, view: QuestionView) -> None:
        super().__init__(view)
        self._last: dict[str, CallView] = {}

    def on_crashed(self, host: str) -> None:
        self._last.pop(host, None)

    def on_polled(self, call: CallView) -> str | None:
        before = self._last.get(call.caller)
        self._last[call.caller] = call
        if before is None or not before.succeeded or offset_of(before) != offset_of(call):
            return None
        self.exercised += 1
        gap = call.at - before.at
        if gap >= BUSY_POLL_MS * MS_US - MS_US or not isinstance(before.result, list):
            return None
        if not before.result:
            return None
        return f"{call.caller} polls from {offset_of(call)} again after {seconds(gap)}"


class PollsEnd(OfListener):
    name = "polls-end"
    sentence = "A getUpdates ends after 40 s, whoever does not answer."
    catalogue = ("I6", "QT-45")
    IN_LOGS = True

    MOST_US: Final = GET_UPDATES_TIMEOUT_MS * MS_US + SECOND_US

    def on_ended(self, call: CallView) -> str | None:
        if call.what != POLL:
            return None
        self.exercised += 1
        lasted = call.ended_at - call.at
        if lasted <= self.MOST_US + self.view.grace_us(call.caller):
            return None
        return f"{call.caller} waits {seconds(lasted)} for updates"


class OffsetsFollowHandling(OfListener):
    name = "offsets-follow-handling"
    sentence = "The offset passes an update when its handling has ended, and not before."
    catalogue = ("I3", "I6")
    IN_LOGS = True

    def on_polled(self, call: CallView) -> str | None:
        offset = offset_of(call)
        for one in self.view.attempts.open_of(call.caller):
            if one.update.id >= offset or not self._is_at_work(one):
                continue
            return f"{call.caller} passes update {one.update.id}, at which it still works"
        self.exercised += 1
        return None

    def _is_at_work(self, attempt: Attempt) -> bool:
        """A press that nobody has answered, a text whose calls have not come to an end."""
        if attempt.is_unsure or attempt.update.kind == BAD:
            return False
        if attempt.update.kind == TEXT:
            return bool(attempt.claim) and not attempt.is_over
        return not attempt.toasts


class FailuresKeepTheOffset(OfListener):
    name = "failures-keep-the-offset"
    sentence = "After a getUpdates that failed the next one asks from the same offset, or further."
    catalogue = ("QT-45", "I3")
    IN_LOGS = True

    def __init__(self, view: QuestionView) -> None:
        super().__init__(view)
        self._failed: dict[str, CallView] = {}

    def on_crashed(self, host: str) -> None:
        self._failed.pop(host, None)

    def on_ended(self, call: CallView) -> None:
        if call.what == POLL and not call.succeeded:
            self._failed[call.caller] = call

    def on_polled(self, call: CallView) -> str | None:
        before = self._failed.pop(call.caller, None)
        if before is None:
            return None
        self.exercised += 1
        known = [
            one.update.id
            for one in self.view.attempts.all
            if one.listener == call.caller and one.epoch == self.view.epochs.get(call.caller, 0)
        ]
        offset, most = offset_of(call), max(known, default=-1) + 1
        if offset_of(before) <= offset <= max(most, offset_of(before)):
            return None
        return f"{call.caller} polls from {offset} after a failure at {offset_of(before)}"


class FailingLinksAreNamed(Owing):
    name = "failing-links-are-named"
    sentence = "A call that failed is logged, and the log says which link it was."
    catalogue = ("QT-41", "QT-45")
    obeyed_by = OfListener.obeyed_by

    def on_ended(self, call: CallView) -> None:
        is_ours = call.caller in self.view.polls
        if call.succeeded or not is_ours or call.what in ("answerCallbackQuery",):
            return
        if call.what.startswith("editMessage") or call.what == "sendMessage":
            return
        self.exercised += 1
        link = "Telegram" if call.request.path.startswith("/bot") else "OpenCode"
        text = f"{call.caller} does not log that {link} has failed ({call.what})"
        self.owe((call.caller, link), call.caller, text, 5 * SECOND_US)

    def on_log(self, line: LogView) -> None:
        if line.level in ("warning", "warn", "error"):
            for link in ("Telegram", "OpenCode"):
                if link in line.text:
                    self.forget((line.host, link))
