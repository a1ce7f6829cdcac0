"""One close per question; removal and edit after it, nothing before (QT-19 … QT-21, I1, I2, I8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sim.protocols.question.oracles.oracle import SECOND_US, OfListener, Owing
from sim.protocols.question.view import QuestionView
from sim.protocols.question.view_calls import REJECT, REPLY, CallView
from sim.protocols.question.view_records import Attempt, EntryView

EDITS: Final = ("editMessageText", "editMessageReplyMarkup")
Kept = tuple[EntryView, Mapping[str, Any]]


class OneReplyAtATime(OfListener):
    name = "one-reply-at-a-time"
    sentence = "While a reply to a question is on its way, or was taken, there is no other."
    catalogue = ("QT-43", "I1", "I8")
    IN_LOGS = True

    def __init__(self, view: QuestionView) -> None:
        super().__init__(view)
        self._replies: dict[str, list[CallView]] = {}

    def on_issued(self, call: CallView) -> str | None:
        if call.what != REPLY:
            return None
        before = self._replies.setdefault(call.id, [])
        self.exercised += 1
        for one in before:
            if one.is_open and one.caller in self.view.up and self._lives(one):
                return f"{call.caller} replies to {call.id}, as {one.caller} does"
            if one.succeeded:
                return f"{call.caller} replies to {call.id}, which {one.caller} has answered"
        before.append(call)
        return None

    def _lives(self, call: CallView) -> bool:
        """Whether its caller has not crashed meanwhile."""
        return call.n in self.view.calls


class OnePostPerAttempt(OfListener):
    name = "one-post-per-attempt"
    sentence = "A press or text sends one reply at most: what got lost is not sent again."
    catalogue = ("QT-43", "I1")
    IN_LOGS = True

    def on_issued(self, call: CallView) -> str | None:
        attempt = call.attempt
        if call.what != REPLY or attempt is None or attempt.is_unsure:
            return None
        self.exercised += 1
        if len(attempt.replies) == 1:
            return None
        return f"{call.caller} replies again for update {attempt.update.id}"


class ClaimsComeFirst(OfListener):
    name = "claims-come-first"
    sentence = "Before its first list an attempt has claimed its entry, and nobody else has."
    catalogue = ("I1", "I8")

    def on_issued(self, call: CallView) -> str | None:
        if call.what not in ("list", REPLY) or call.expiry is not None:
            return None
        attempt = call.attempt
        if attempt is None or attempt.entry is None:
            return None
        self.exercised += 1
        entry = attempt.entry
        if attempt.claim and entry.claim == attempt.claim:
            return None
        if attempt.claim and (attempt.cached or not entry.is_there):
            return None
        holder = entry.claim or "nobody"
        return f"{call.caller} asks for {entry.id}, which {holder} has claimed"


class SettledIsRemoved(Owing):
    name = "settled-is-removed"
    sentence = "An answered question leaves the store at once."
    catalogue = ("QT-20", "QT-26", "I2")
    obeyed_by = OfListener.obeyed_by
    IN_LOGS = True

    def on_settled(self, attempt: Attempt) -> None:
        entry = attempt.entry
        if entry is not None and entry.is_there:
            self.exercised += 1
            text = f"{attempt.listener} keeps {entry.id}, which is answered"
            self.owe(entry.id, attempt.listener, text, 5 * SECOND_US)

    def on_gone(self, kept: Kept) -> str | None:
        return self.pay(kept[0].id)

    def on_aside(self, kept: Kept) -> None:
        self.forget(kept[0].id)

    def on_log(self, line: Any) -> None:
        """A store that refuses now is no failure of the answer; it is logged (DQ-17)."""
        if line.level in ("error", "warning") and " store " in line.text:
            self.forgive(line.host)


class SettledIsShown(Owing):
    name = "settled-is-shown"
    sentence = "After success the question's message is edited, its buttons go."
    catalogue = ("QT-19", "I2")
    obeyed_by = OfListener.obeyed_by
    IN_LOGS = True

    def on_settled(self, attempt: Attempt) -> None:
        entry = attempt.entry
        number = attempt.update.message if attempt.update.is_press else 0
        number = number or (entry.message if entry is not None else 0)
        if number:
            self.exercised += 1
            text = f"{attempt.listener} leaves the buttons of message {number} as they are"
            self.owe((attempt.listener, number), attempt.listener, text, 15 * SECOND_US)

    def on_issued(self, call: CallView) -> str | None:
        if call.what not in EDITS or call.body.get("reply_markup", {}).get("inline_keyboard"):
            return None
        return self.pay((call.caller, call.body.get("message_id")))


class NothingIsShownBefore(OfListener):
    name = "nothing-is-shown-before"
    sentence = "A question's message stays as it is until it is answered, closed or too old."
    catalogue = ("QT-21", "QT-42", "QT-43", "I3")
    IN_LOGS = True

    def on_issued(self, call: CallView) -> str | None:
        if call.what not in EDITS:
            return None
        number, chat = call.body.get("message_id"), str(call.body.get("chat_id"))
        for store in self.view.stores.values():
            for entry in store.entries.values():
                if entry.message != number or entry.chat != chat:
                    continue
                self.exercised += 1
                if entry.settled_at < 0 and entry.closed_at < 0:
                    return f"{call.caller} edits message {number} of {entry.id}, which is open"
        self.exercised += 1
        return None


class ReplyOrReject(OfListener):
    name = "reply-or-reject"
    sentence = "A question is replied to or rejected, never both."
    catalogue = ("I1", "I9")
    IN_LOGS = True

    def __init__(self, view: QuestionView) -> None:
        super().__init__(view)
        self._replied: dict[str, CallView] = {}
        self._rejected: dict[str, CallView] = {}

    def on_crashed(self, host: str) -> None:
        """What died with its caller and had not arrived has closed nothing, as far as is
        known: the list tells (DQ-03, DQ-10)."""
        for calls in (self._replied, self._rejected):
            for id in [id for id, call in calls.items() if call.caller == host]:
                if calls[id].is_open and calls[id].applied_at < 0:
                    del calls[id]

    def on_issued(self, call: CallView) -> str | None:
        if call.what == REPLY:
            self.exercised += 1
            self._replied[call.id] = call
            reject = self._rejected.get(call.id)
            if reject is not None and (reject.is_open or reject.succeeded):
                return f"{call.caller} replies to {call.id}, which was rejected"
        elif call.what == REJECT:
            self.exercised += 1
            self._rejected[call.id] = call
            reply = self._replied.get(call.id)
            if reply is not None and (reply.is_open or reply.succeeded):
                return f"{call.caller} rejects {call.id}, which was replied to"
        return None
